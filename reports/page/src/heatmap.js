// Sequence length × tile for one slice of the data, one map per algorithm on a common logarithmic colour scale.
import {scaleBand, scaleSequentialLog} from 'd3-scale';
import {interpolateYlGnBu} from 'd3-scale-chromatic';
import {select as choose} from 'd3-selection';

import {listenToMarks} from './chart.js';
import {BOUNDARIES, boundaryName, bytesAt, filtered, sequence, tile, totalError} from './data.js';
import {append, clear, selector, simpleTable, tooltip, twin} from './dom.js';
import * as format from './format.js';
import {facetName, slices} from './slices.js';

const ratioTo = (name) => (record) => {
  const measured = bytesAt(record, 'measurement', 'hbm', 'total');
  return measured && record.prediction[name] ? measured / record.prediction[name] : undefined;
};
const plain = (value) => format.ratio(value);

export const QUANTITIES = new Map([
  ...BOUNDARIES.flatMap(({key, name}) => [
    [`${key}-measured`, {name: `${name} bytes, measured`, value: (record) => bytesAt(record, 'measurement', key, 'total'), text: format.bytes}],
    [`${key}-predicted`, {name: `${name} bytes, predicted`, value: (record) => bytesAt(record, 'prediction', key, 'total'), text: format.bytes}],
    [`${key}-error`, {name: `${name} error (colour by size)`, value: (record) => totalError(record, key), signed: true,
      text: (value) => `${format.signedPercent(value)} %`}],
  ]),
  ['over-compulsory', {name: 'HBM measured / compulsory', value: ratioTo('compulsory_bytes'), text: plain}],
  ['over-io', {name: 'HBM measured / io', value: ratioTo('io_bytes'), text: plain}],
  ['time', {name: 'time, measured', value: (record) => record.measurement.time_s ?? undefined, text: format.seconds}],
]);

// Errors may be zero or negative: their size is coloured, and nothing below 0.01 % is told apart.
const strength = (quantity, value) => (quantity.signed ? Math.max(1e-4, Math.abs(value)) : value);

function colourScale(quantity, records) {
  const values = records.map(quantity.value).filter((value) => value !== undefined).map((value) => strength(quantity, value)).filter((v) => v > 0);
  if (!values.length) return undefined;
  const [low, high] = format.extent(values);
  // The palest and darkest ends are left out: text must stay readable on both.
  const scale = scaleSequentialLog([low, high > low ? high : low * 1.01], (t) => interpolateYlGnBu(0.08 + 0.84 * t));
  return {scale, low, high, dark: (value) => Math.log(value / low) / Math.log(scale.domain()[1] / low) > 0.52};
}

function drawLegend(root, quantity, colours) {
  const box = append(root, 'div', {class: 'colour-legend', 'data-testid': 'heatmap-legend'});
  const text = (value) => (quantity.signed ? format.percent(value) : quantity.text(value));
  append(box, 'span', {}, text(colours.low));
  const stops = Array.from({length: 11}, (_, i) => colours.scale(colours.low * (colours.high / colours.low) ** (i / 10)));
  append(box, 'span', {class: 'bar', style: `background:linear-gradient(to right,${stops.join(',')})`});
  append(box, 'span', {}, text(colours.high));
  append(box, 'span', {class: 'note'}, 'logarithmic; dashed outline = no value');
}

function cellLines(record, quantity) {
  const value = quantity.value(record);
  return [record.label, value === undefined ? `${quantity.name}: absent` : `${quantity.name}: ${quantity.text(value)}`,
    record.status === 'ok' ? '' : `${record.status}: ${record.reason}`].filter(Boolean);
}

const COLUMN = 104;  // pixels

// Room for the row labels: digits of the 12 px font are at most 8 px wide.
const labelWidth = (rows) => 16 + 8 * Math.max(4, ...rows.map((row) => row.length));

// Letters of the title's bold 13 px font are up to 9 px wide on average.
const mapWidth = (name, rows, columns) => labelWidth(rows) + Math.max(9 * name.length, 4 + COLUMN * columns.length);

function drawMap(root, {name, records, rows, columns, quantity, colours, width}, store) {
  const left = labelWidth(rows);
  const area = {left, top: 58, rowHeight: 34};
  const height = area.top + rows.length * area.rowHeight + 8;
  const svg = append(root, 'svg', {class: 'heatmap', viewBox: `0 0 ${width} ${height}`, width: '100%', style: `max-width:${width}px`, role: 'group',
    'data-testid': `heatmap-${name.replace(/\W+/g, '-')}`, 'aria-label': `${quantity.name} of ${name} over sequence length and tile`});
  const x = scaleBand(columns, [area.left, area.left + COLUMN * columns.length]).padding(0.04);
  const y = scaleBand(rows, [area.top, height - 8]).padding(0.06);
  append(svg, 'text', {class: 'facet', x: area.left, y: 14}, name);
  append(svg, 'text', {class: 'axis-label', x: area.left - 8, y: area.top - 8, 'text-anchor': 'end'}, 'N');
  append(svg, 'text', {class: 'axis-label', x: area.left, y: 30}, 'tile Br×Bc');
  for (const row of rows) append(svg, 'text', {class: 'tick', x: area.left - 8, y: y(row) + y.bandwidth() / 2 + 4, 'text-anchor': 'end'}, row);
  for (const column of columns) append(svg, 'text', {class: 'tick', x: x(column) + x.bandwidth() / 2, y: area.top - 8, 'text-anchor': 'middle'}, column);
  const ordered = [...records].sort((a, b) => rows.indexOf(sequence(a.point)) - rows.indexOf(sequence(b.point)) ||
    columns.indexOf(tile(a.point)) - columns.indexOf(tile(b.point)));
  const cells = choose(svg).selectAll('g.cell').data(ordered.map((record) => ({record}))).join('g').attr('class', 'cell')
    .attr('transform', (m) => `translate(${x(tile(m.record.point))},${y(sequence(m.record.point))})`)
    .attr('data-index', (m) => m.record.index).attr('data-value', (m) => quantity.value(m.record) ?? null)
    .attr('role', 'button').attr('aria-label', (m) => cellLines(m.record, quantity).join(', ')).attr('tabindex', (m, i) => (i ? -1 : 0));
  cells.append('rect').attr('width', x.bandwidth()).attr('height', y.bandwidth()).attr('rx', 2).each(function (m) {
    const value = quantity.value(m.record);
    if (value === undefined || !colours) choose(this).attr('class', 'absent');
    else choose(this).style('fill', colours.scale(strength(quantity, value)));
  });
  cells.append('text').attr('x', x.bandwidth() / 2).attr('y', y.bandwidth() / 2 + 4).attr('text-anchor', 'middle').each(function (m) {
    const value = quantity.value(m.record);
    const dark = value !== undefined && colours?.dark(strength(quantity, value));
    choose(this).attr('class', value === undefined ? 'absent' : dark ? 'on-dark' : 'on-light')
      .text(value !== undefined ? quantity.text(value) : m.record.status === 'ok' ? '' : m.record.status);
  });
  const across = (i, delta) => ordered.findIndex((record) => tile(record.point) === tile(ordered[i].point) &&
    rows.indexOf(sequence(record.point)) === rows.indexOf(sequence(ordered[i].point)) + delta);
  listenToMarks(cells, store, tooltip(), (m) => m.record.index, (m) => cellLines(m.record, quantity),
    (i, key) => ({ArrowRight: i + 1, ArrowLeft: i - 1, ArrowDown: across(i, 1), ArrowUp: across(i, -1)}[key]));
  return svg;
}

function drawTwin(root, {name, records, rows, columns, quantity}) {
  const find = (row, column) => records.find((record) => sequence(record.point) === row && tile(record.point) === column);
  simpleTable(root, {testid: 'heatmap-table', caption: `${name}: ${quantity.name}`, rows,
    columns: [{name: 'N', key: 'seqlen', numeric: true, value: (row) => row}, ...columns.map((column) => ({name: column, key: column, numeric: true,
      value: (row) => (find(row, column) ? quantity.value(find(row, column)) : undefined), text: (value) => (value === undefined ? '' : quantity.text(value))}))]});
}

export function heatmap(root, data, store) {
  const controls = append(root, 'div', {class: 'controls'});
  const quantityControl = selector(controls, {testid: 'heatmap-quantity', label: 'Quantity', options: [...QUANTITIES].map(([key, {name}]) => [key, name]),
    value: store.get().quantity, onChange: (quantity) => store.set({quantity})});
  const parts = slices(data);
  const sliceControl = selector(controls, {testid: 'heatmap-slice', label: 'Slice', options: parts.map((part) => [part.key, part.key || 'all points']),
    value: store.get().slice, onChange: (slice) => store.set({slice})});
  const key = append(root, 'div');
  const maps = append(root, 'div', {class: 'facets', 'data-testid': 'heatmap'});
  const twinBox = twin(root);

  function select(state) {
    choose(maps).selectAll('.cell').classed('selected', (m) => String(m.record.index) === state.point)
      .attr('aria-pressed', (m) => String(m.record.index) === state.point);
  }

  function draw(state) {
    [key, maps, twinBox].forEach(clear);
    quantityControl.value = state.quantity;
    const part = parts.find((candidate) => candidate.key === state.slice) ?? parts[0];
    if (!part) return;
    sliceControl.value = part.key;
    const shown = new Set(filtered(data, state));
    const records = part.records.filter((record) => shown.has(record));
    if (!records.length) return append(maps, 'p', {class: 'note'}, 'The filters leave no point in this slice.');
    const quantity = QUANTITIES.get(state.quantity);
    const colours = colourScale(quantity, records);
    if (colours) drawLegend(key, quantity, colours);
    const facets = Map.groupBy ? Map.groupBy(records, facetName) : new Map([...new Set(records.map(facetName))].map((name) => [name, records.filter((record) => facetName(record) === name)]));
    for (const [name, members] of facets) {
      const order = (a, b) => a.seqlen_kv - b.seqlen_kv || a.seqlen_q - b.seqlen_q;
      const rows = [...new Set(members.map((record) => record.point).sort(order).map(sequence))];
      const columns = [...new Set(members.map((record) => record.point).sort((a, b) => a.br - b.br || a.bc - b.bc).map(tile))];
      const map = {name, records: members, rows, columns, quantity, colours, width: mapWidth(name, rows, columns)};
      drawMap(append(maps, 'div', {style: `flex: 0 1 ${map.width}px`}), map, store);
      drawTwin(twinBox, map);
    }
    select(state);
  }
  return {draw, select};
}
