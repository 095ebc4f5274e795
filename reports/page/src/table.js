// The table of predictions and measurements: sortable, one boundary at a time, skipped points with their reason.
import {boundaryName, bytesAt, fieldName, filtered, sequence, tile, valueOf} from './data.js';
import {append, cell, clear} from './dom.js';
import * as format from './format.js';
import {limiterText} from './roofs.js';

const ROWS_PER_STEP = 1000;
const WAYS = ['read', 'write'];
const exact = (value) => (value === undefined ? '' : `${format.grouped(value)} B`);

function byteColumn(records, key, group, name, value) {
  const text = format.column(records.map(value), 1e9);
  return {key, group, name, numeric: true, value, text, title: exact};
}

function columnsFor(data, records, boundary) {
  const point = (field, name = fieldName(field)) => ({key: field, group: 'point', name, numeric: typeof data.values.get(field)[0] === 'number',
    value: (record) => valueOf(record.point, field)});
  const columns = [{key: 'index', group: 'point', name: '#', numeric: true, value: (record) => record.index},
    point('algorithm'), ...data.varying.map((field) => point(field)),
    {key: 'seqlen', group: 'point', name: 'N', numeric: true, value: (record) => record.point.seqlen_q, text: (value, record) => sequence(record.point)},
    {key: 'tile', group: 'point', name: 'tile', numeric: true, value: (record) => tile(record.point), sort: (record) => record.point.br * 1e6 + record.point.bc},
    {key: 'status', group: 'point', name: 'status', value: (record) => record.status}];
  const values = [];
  for (const way of WAYS) {
    const group = `${boundaryName(boundary)} ${way} (GB)`;
    values.push(byteColumn(records, `pred-${way}`, group, 'predicted', (record) => bytesAt(record, 'prediction', boundary, way)));
    values.push(byteColumn(records, `meas-${way}`, group, 'measured', (record) => bytesAt(record, 'measurement', boundary, way)));
    values.push({key: `err-${way}`, group, name: 'error %', numeric: true, value: (record) => record.error[`${boundary}_${way}`] ?? undefined,
      text: format.signedPercent});
  }
  if (boundary === 'hbm') {
    for (const name of ['compulsory', 'io']) {
      values.push(byteColumn(records, name, 'counts (GB)', name, (record) => record.prediction[`${name}_bytes`] ?? undefined));
    }
  }
  for (const [side, name] of [['prediction', 'lower bound'], ['measurement', 'measured']]) {
    const value = (record) => record[side].time_s ?? undefined;
    values.push({key: `time-${side}`, group: 'time (ms)', name, numeric: true, value, text: format.column(records.map(value), 1e-3)});
  }
  values.push({key: 'limiter', group: 'time (ms)', name: 'limiter', value: (record) => record.prediction.limiter, text: (value, record) => limiterText(record)});
  values.push({key: 'reason', group: 'not run', name: 'reason', value: (record) => record.reason || undefined, class: 'reason'});
  // What no point of the report has takes no room, whatever is filtered.
  return [...columns, ...values.filter(({value}) => data.records.some((record) => value(record) !== undefined))];
}

function drawHead(head, columns, state, store) {
  clear(head);
  const groups = append(head, 'tr', {class: 'groups'});
  for (let i = 0; i < columns.length;) {
    const span = columns.slice(i).findIndex((column) => column.group !== columns[i].group);
    const width = span < 0 ? columns.length - i : span;
    append(groups, 'th', {colspan: width, scope: 'colgroup'}, columns[i].group);
    columns[i].first = true;
    i += width;
  }
  const names = append(head, 'tr');
  for (const column of columns) {
    const sorted = state.sort.replace(/^-/, '') === column.key;
    const order = !sorted ? 'none' : state.sort.startsWith('-') ? 'descending' : 'ascending';
    const box = append(names, 'th', {scope: 'col', 'aria-sort': order, class: `${column.numeric ? 'number' : ''} ${column.first ? 'first' : ''}`});
    append(box, 'button', {'data-testid': `sort-${column.key}`, class: 'sort'}, column.name)
      .addEventListener('click', () => {
        store.set({sort: store.get().sort === column.key ? `-${column.key}` : column.key});
        head.querySelector(`[data-testid="sort-${column.key}"]`).focus();
      });
  }
}

// Absent values come last in either order.
function sortRecords(records, columns, sort) {
  const column = columns.find((candidate) => candidate.key === sort.replace(/^-/, '')) ?? columns[0];
  const sign = sort.startsWith('-') ? -1 : 1;
  const value = column.sort ?? column.value;
  return [...records].sort((a, b) => {
    const [left, right] = [value(a) ?? undefined, value(b) ?? undefined];
    if (left === undefined || right === undefined) return (left === undefined) - (right === undefined);
    return left === right ? a.index - b.index : sign * (left < right ? -1 : 1);
  });
}

function drawRow(body, columns, record, store) {
  const line = append(body, 'tr', {'data-index': record.index, 'data-status': record.status, class: record.status === 'ok' ? null : 'muted'});
  for (const column of columns) {
    const box = cell(line, column, record);
    if (column.first) box.classList.add('first');
    if (column.key === 'index') {
      clear(box);
      append(box, 'button', {class: 'link', 'aria-label': `Select ${record.label}`}, String(record.index));
    }
  }
  line.addEventListener('click', () => store.toggle(record.index));
}

export function table(root, data, store) {
  append(root, 'p', {class: 'note'}, `Bytes in GB (10⁹), time in ms; hover a number for the exact count. Absent values are empty. HBM writes include those written back after the kernels. ` +
    `Common to all points: ${data.constant.join(', ')}.`);
  const scroll = append(root, 'div', {class: 'scroll tall', tabindex: '0', role: 'region', 'aria-label': 'Predicted and measured bytes'});
  const main = append(scroll, 'table', {'data-testid': 'points', class: 'points'});
  const head = append(main, 'thead');
  const body = append(main, 'tbody');
  const more = append(root, 'button', {'data-testid': 'more-rows', hidden: ''});
  let limit = ROWS_PER_STEP;

  function select(state) {
    for (const line of body.rows) {
      const chosen = line.dataset.index === state.point;
      line.classList.toggle('selected', chosen);
      if (chosen) line.setAttribute('aria-current', 'true');
      else line.removeAttribute('aria-current');
    }
    reveal(scroll, head, body.querySelector('tr.selected'));
  }

  function draw(state) {
    const records = filtered(data, state);
    const columns = columnsFor(data, records, state.boundary);
    drawHead(head, columns, state, store);
    clear(body);
    for (const record of sortRecords(records, columns, state.sort).slice(0, limit)) drawRow(body, columns, record, store);
    more.hidden = records.length <= limit;
    more.textContent = `Show ${Math.min(ROWS_PER_STEP, records.length - limit)} more of ${records.length} points`;
    select(state);
  }
  more.addEventListener('click', () => {
    limit += ROWS_PER_STEP;
    draw(store.get());
  });
  return {draw, select};
}

// Scrolls only the table's own box: the page must not jump when a chart's mark is chosen.
function reveal(scroll, head, line) {
  if (!line) return;
  const [box, row] = [scroll.getBoundingClientRect(), line.getBoundingClientRect()];
  const top = box.top + head.getBoundingClientRect().height;
  if (row.top < top || row.bottom > box.bottom) scroll.scrollTop += row.top - top - (box.bottom - top) / 2;
}
