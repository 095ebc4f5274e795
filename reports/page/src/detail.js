// Everything known about the selected point.
import {BOUNDARIES, boundaryName, bytesAt} from './data.js';
import {append, clear, simpleTable} from './dom.js';
import * as format from './format.js';
import {limiterText} from './roofs.js';

const count = (value) => (value === undefined ? '' : format.grouped(value));

function comparison(root, record) {
  const rows = BOUNDARIES.flatMap(({key}) => ['read', 'write'].map((way) => ({key, way})));
  simpleTable(root, {testid: 'detail-bytes', caption: 'Bytes at each boundary; HBM writes with the deferred ones', rows, columns: [
    {name: 'boundary', key: 'boundary', value: (row) => `${boundaryName(row.key)} ${row.way}`},
    {name: 'predicted (B)', key: 'predicted', numeric: true, value: (row) => bytesAt(record, 'prediction', row.key, row.way), text: count},
    {name: 'measured (B)', key: 'measured', numeric: true, value: (row) => bytesAt(record, 'measurement', row.key, row.way), text: count},
    {name: 'error %', key: 'error', numeric: true, value: (row) => record.error[`${row.key}_${row.way}`] ?? undefined, text: format.signedPercent},
  ]});
}

// The rest of prediction and measurement by name, whatever the tool wrote.
function rest(root, record) {
  const shown = (side, name) => /^(hbm|l2|sram)_(read|write)_bytes$/.test(name) && !(side === 'measurement' && name === 'hbm_write_bytes');
  const rows = ['prediction', 'measurement'].flatMap((side) => Object.entries(record[side])
    .filter(([name, value]) => !shown(side, name) && value !== null).map(([name, value]) => ({side, name, value})));
  simpleTable(root, {testid: 'detail-rest', caption: 'Other values', rows, columns: [
    {name: 'of', key: 'side', value: (row) => row.side}, {name: 'name', key: 'name', value: (row) => (row.name === 'hbm_write_bytes' ? 'hbm write bytes within the range' : row.name.replace(/_s$/, '').replace(/_/g, ' '))},
    {name: 'value', key: 'value', numeric: true, value: (row) => row.value, text: (value, row) => {
      if (row.name === 'limiter') return limiterText(record);
      if (typeof value !== 'number') return String(value);
      if (row.name.endsWith('time_s')) return format.seconds(value, 4);
      return Number.isInteger(value) ? format.grouped(value) : value.toPrecision(4);
    }},
  ]});
}

function traffic(root, record) {
  if (!record.traffic.length) return;
  const reads = format.column(record.traffic.map((row) => row.read_bytes), 1e9);
  const writes = format.column(record.traffic.map((row) => row.write_bytes), 1e9);
  simpleTable(root, {testid: 'detail-traffic', caption: 'Predicted traffic per launch and tensor', rows: record.traffic, columns: [
    {name: 'launch', key: 'launch', value: (row) => row.launch}, {name: 'tensor', key: 'tensor', value: (row) => row.tensor},
    {name: 'boundary', key: 'boundary', value: (row) => row.boundary},
    {name: 'read (GB)', key: 'read', numeric: true, value: (row) => row.read_bytes ?? undefined, text: reads, title: (value) => `${count(value)} B`},
    {name: 'write (GB)', key: 'write', numeric: true, value: (row) => row.write_bytes ?? undefined, text: writes, title: (value) => `${count(value)} B`},
  ]});
}

function pairs(object) {
  return Object.entries(object).filter(([, value]) => value !== null && value !== '').map(([name, value]) => `${name.replace(/_/g, ' ')} ${typeof value === 'number' && !Number.isInteger(value) ? value.toPrecision(3) : value}`).join(', ');
}

export function detail(root, data, store) {
  const bar = append(document.body, 'div', {id: 'selection', role: 'status', hidden: '', 'data-testid': 'selection'});
  const text = append(bar, 'span');
  append(bar, 'a', {href: '#', 'data-testid': 'selection-details'}, 'Details').addEventListener('click', (event) => {
    event.preventDefault();
    root.scrollIntoView();
    root.focus({preventScroll: true});
  });
  append(bar, 'button', {'data-testid': 'selection-clear'}, 'Clear').addEventListener('click', () => store.set({point: ''}));
  const box = append(root, 'div', {'data-testid': 'detail'});

  function select(state) {
    clear(box);
    const record = state.point === '' ? undefined : data.records[Number(state.point)];
    bar.hidden = !record;
    if (!record) return append(box, 'p', {class: 'note'}, 'Choose a point in the table or in a chart.');
    text.textContent = `#${record.index}  ${record.label}`;
    append(box, 'p', {class: 'lead', 'data-testid': 'detail-label'}, `#${record.index}: ${record.label}`);
    if (record.status !== 'ok') append(box, 'p', {class: 'status'}, `${record.status}: ${record.reason}`);
    const grid = append(box, 'div', {class: 'facets'});
    for (const part of [comparison, rest, traffic]) part(append(grid, 'div'), record);
    append(box, 'p', {class: 'note'}, `Point: ${pairs(record.point)}.`);
    if (record.provenance.source) append(box, 'p', {class: 'note'}, `Measurement: ${pairs(record.provenance)}.`);
  }
  return {draw: select, select};
}
