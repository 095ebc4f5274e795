// Where the numbers come from: the run, the measurements' sources, the GPUs' rates.
import {distinct} from './data.js';
import {append, simpleTable} from './dom.js';
import * as format from './format.js';

const shown = (value) => (Array.isArray(value) ? value.join(' ') : typeof value === 'object' ? JSON.stringify(value) : String(value));

const COMMON = ['source', 'gpu', 'driver', 'cuda', 'measured_by', 'memory_clock_mhz', 'passes', 'repeats', 'stale'];
const RANGES = ['date', 'sm_clock_mhz_before', 'sm_clock_mhz_after'];

// Measurements that agree in the common fields are one row with a count.
function sources(records) {
  const rows = new Map();
  for (const {provenance: held} of records) {
    if (!held.source) continue;
    const values = Object.fromEntries(COMMON.map((name) => [name, held[name]]));
    const key = JSON.stringify(values);
    if (!rows.has(key)) rows.set(key, {values, held: []});
    rows.get(key).held.push(held);
  }
  return [...rows.values()];
}

function rangeOf(row, name) {
  const values = distinct(row.held.map((held) => held[name]));
  return values.length > 1 ? `${values[0]} to ${values[values.length - 1]}` : values[0];
}

export function provenance(root, data) {
  const run = Object.entries(data.json.provenance ?? {}).filter(([, value]) => value !== null && value !== '');
  simpleTable(root, {testid: 'provenance-run', caption: 'This run', rows: [['schema version', data.json.schema_version], ...run],
    columns: [{name: 'name', key: 'name', value: (row) => row[0].replace(/_/g, ' ')},
      {name: 'value', key: 'value', class: 'wrap', value: (row) => shown(row[1])}]});

  const measured = sources(data.records);
  if (measured.length) {
    const names = COMMON.filter((name) => measured.some((row) => row.values[name] !== undefined));
    const title = (name) => name.replace(/_/g, ' ').replace('mhz', 'MHz').replace(/^sm /, 'SM ');
    simpleTable(root, {testid: 'provenance-sources', caption: 'Measurements', rows: measured, columns: [
      {name: 'points', key: 'points', numeric: true, value: (row) => row.held.length},
      ...names.map((name) => ({name: title(name), key: name, value: (row) => row.values[name]})),
      ...RANGES.map((name) => ({name: title(name), key: name, value: (row) => rangeOf(row, name)}))]});
  }
  const rate = (name, key, value, text) => ({name, key, numeric: true, value, text});
  simpleTable(root, {testid: 'provenance-gpus', caption: 'GPUs of the model', rows: data.gpus, columns: [
    {name: 'GPU', key: 'name', value: (gpu) => gpu.full_name ?? gpu.name},
    rate('SMs', 'sms', (gpu) => gpu.sms ?? undefined),
    rate('clock', 'clock', (gpu) => gpu.clock_hz ?? undefined, (value) => (value === undefined ? '' : `${(value / 1e6).toFixed(0)} MHz`)),
    ...['hbm', 'l2', 'sram'].map((key) => rate({hbm: 'HBM', l2: 'L2', sram: 'shared memory'}[key], key, (gpu) => gpu[`${key}_bytes_per_s`] ?? undefined, (value) => format.bytesPerSecond(value))),
    rate('L2 capacity', 'l2-capacity', (gpu) => gpu.l2_capacity_bytes ?? undefined, (value) => (value === undefined ? '' : `${(value / 2 ** 20).toFixed(0)} MiB`)),
    {name: 'tensor FLOP/s', key: 'tensor', value: (gpu) => Object.entries(gpu.tensor_flops_per_s ?? {}).map(([dtype, value]) => `${dtype} ${format.flopsPerSecond(value)}`).join(', ')},
  ]});

  // Which of the rates are a datasheet's and which were measured, and by whom.
  const rates = data.gpus.flatMap((gpu) => Object.entries(gpu.sources ?? {}).map(([name, held]) => ({gpu, name, ...held})));
  if (!rates.length) return;
  const details = append(root, 'details', {class: 'twin'});
  append(details, 'summary', {}, 'Sources of the GPUs\u2019 rates');
  simpleTable(details, {testid: 'provenance-rates', rows: rates, columns: [
    {name: 'GPU', key: 'gpu', value: (row) => row.gpu.full_name ?? row.gpu.name}, {name: 'rate', key: 'rate', value: (row) => row.name.replace(/_/g, ' ')},
    {name: 'kind', key: 'kind', value: (row) => (row.measured ? 'measured' : 'documented')}, {name: 'source', key: 'source', class: 'wrap', value: (row) => row.source}]});
}
