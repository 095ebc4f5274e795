// What the page must show, computed here from the data alone, not by the page's code.
import fs from 'node:fs';

export const BOUNDARIES = ['hbm', 'l2', 'sram'];
export const WAYS = ['read', 'write'];

// The data as it stands in the file. The report may hold "<" only as \u003c.
export function dataOf(file) {
  const html = fs.readFileSync(file, 'utf8');
  const part = (id) => html.split(`id="${id}">`)[1].split('</script>')[0];
  return {text: part('hbmscope-data'), data: JSON.parse(part('hbmscope-data')), fields: JSON.parse(part('hbmscope-fields')), unfused: JSON.parse(part('hbmscope-unfused'))};
}

const present = (value) => value !== undefined && value !== null;

export function bytes(record, side, boundary, way) {
  if (way === 'total') {
    const parts = WAYS.map((each) => bytes(record, side, boundary, each));
    return parts.every(present) ? parts[0] + parts[1] : undefined;
  }
  const values = record[side];
  if (!values) return undefined;
  const main = values[`${boundary}_${way}_bytes`];
  if (side === 'prediction' || boundary !== 'hbm' || way === 'read') return main ?? undefined;
  const deferred = values.hbm_deferred_write_bytes;
  return present(main) && present(deferred) ? main + deferred : undefined;
}

export function error(record, boundary, way) {
  const [predicted, measured] = ['prediction', 'measurement'].map((side) => bytes(record, side, boundary, way));
  return present(predicted) && measured ? predicted / measured - 1 : undefined;
}

// {count, mean, worst} of |error|, `worst` signed.
export function errorSummary(records, boundary, ways) {
  const errors = records.flatMap((record) => ways.map((way) => error(record, boundary, way))).filter(present);
  if (!errors.length) return undefined;
  const worst = errors.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a));
  return {count: errors.length, mean: errors.reduce((sum, e) => sum + Math.abs(e), 0) / errors.length, worst};
}

// Comparable marks of the parity plot.
export function parityMarks(records, boundary) {
  return records.flatMap((record, index) => WAYS.map((way) => ({
    index, way, measured: bytes(record, 'measurement', boundary, way), predicted: bytes(record, 'prediction', boundary, way)
  }))).filter((mark) => mark.measured > 0 && mark.predicted > 0);
}

export function rooflineMarks(records, level) {
  return records.map((record, index) => {
    const measured = bytes(record, 'measurement', level, 'total');
    const moved = measured ?? bytes(record, 'prediction', level, 'total');
    const time = record.measurement?.time_s ?? record.prediction?.time_s;
    const flops = record.prediction?.flops;
    if (!moved || !time || !flops) return undefined;
    return {index, intensity: flops / moved, performance: flops / time, measured: present(measured) && present(record.measurement?.time_s)};
  }).filter(present);
}

// Roofs that the lower bound of a record leaves out: those that its list lacks, else those that its GPU or its
// prediction lacks.
export function leftOut({gpus}, record) {
  const {point, prediction} = record;
  if (!present(prediction?.time_s)) return [];
  const all = ['hbm', 'l2', 'sram', 'tensor', 'exp'];
  if (record.roofs) return all.filter((roof) => !record.roofs.some((row) => row.roof === roof));
  const gpu = gpus.find((each) => each.name === point.gpu);
  if (!gpu) return [];
  const lacks = {l2: !gpu.l2_bytes_per_s, sram: !present(prediction.sram_read_bytes), tensor: !gpu.tensor_flops_per_s[point.dtype]};
  return all.filter((roof) => lacks[roof]);
}

// Variants without kernels count each in its own way.
const kind = (point) => (['paper', 'autograd'].includes(point.variant) ? point.variant : 'kernel');

// Those records that fused ones are compared with: of the first of the unfused algorithms (their names) that has any.
export const baselineAmong = (records, unfused) => unfused.map((name) => records.filter((record) => record.point.algorithm === name)).find((own) => own.length) ?? [];

// The largest ratio of an unfused to a fused algorithm's HBM bytes, each at its best tile, over all problems.
export function largestSaving(records, side, unfused) {
  const names = ['gpu', 'direction', 'batch', 'heads', 'kv_heads', 'seqlen_q', 'seqlen_kv', 'head_dim', 'head_dim_v', 'dtype', 'mask', 'window', 'page_size',
    'cache_state', 'l2_mode'];
  const problem = ({point}) => names.map((name) => point[name]).join() + kind(point);
  const ok = records.filter((record) => record.status === 'ok' && bytes(record, side, 'hbm', 'total'));
  const ratios = ok.filter((record) => !unfused.includes(record.point.algorithm)).flatMap((fused) => {
    const same = baselineAmong(ok.filter((record) => problem(record) === problem(fused)), unfused).map((record) => bytes(record, side, 'hbm', 'total'));
    return same.length ? [Math.min(...same) / bytes(fused, side, 'hbm', 'total')] : [];
  });
  return ratios.length ? Math.max(...ratios) : undefined;
}

const implementation = (record) => `${record.point.algorithm} ${record.point.variant ?? ''}`.trim();

// The records of each L2 model apart at HBM, where there are several; together elsewhere.
export function l2Parts(records, boundary) {
  const modes = [...new Set(records.map((record) => record.point.l2_mode))].sort();
  if (boundary !== 'hbm' || modes.length < 2) return [['', records]];
  return modes.map((mode) => [mode, records.filter((record) => record.point.l2_mode === mode)]);
}

// [{boundary, name, errors (sorted by size), mean, median, p95, worst}] of points that did not fail.
export function errorDistributions(records) {
  const ok = records.filter((record) => record.status === 'ok');
  const names = [...new Set(ok.map(implementation))];
  return BOUNDARIES.flatMap((boundary) => names.flatMap((name) => l2Parts(ok, boundary).map(([mode, part]) => {
    const errors = part.filter((record) => implementation(record) === name).flatMap((record) => WAYS.map((way) => error(record, boundary, way))).filter(present);
    const sizes = errors.map(Math.abs).sort((a, b) => a - b);
    // Nearest rank: how many values are needed to reach the share.
    const quantile = (share) => sizes.find((size, i) => (i + 1) / sizes.length >= share - 1e-12);
    return {boundary, name: mode ? `${name} · L2 model ${mode}` : name, count: errors.length, mean: sizes.reduce((a, b) => a + b, 0) / sizes.length, median: quantile(0.5), p95: quantile(0.95),
      worst: errors.find((each) => Math.abs(each) === sizes.at(-1))};
  }))).filter((row) => row.count);
}

// All of a point but its implementation. Remembered, for it is asked for each pair of points.
const works = new Map();
function work(record) {
  if (!works.has(record)) works.set(record, JSON.stringify(Object.entries(record.point).filter(([name]) => !['algorithm', 'variant', 'kernel_hash'].includes(name))) + kind(record.point));
  return works.get(record);
}

// Time of unfused attention at the same tile over a fused algorithm's, per point.
export function speedup(records, record, side, unfused) {
  if (unfused.includes(record.point.algorithm)) return undefined;
  const others = baselineAmong(records.filter((other) => work(other) === work(record)), unfused);
  const other = others.find((each) => each.point.variant === record.point.variant) ?? others[0];
  const [slow, fast] = [other, record].map((each) => each?.[side]?.time_s);
  return slow && fast ? slow / fast : undefined;
}

// RFC 4180: quoted fields may hold commas, quotes (doubled) and line ends.
export function parseCsv(text) {
  const rows = [[]];
  let field = '';
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') field += c;
      else if (text[i + 1] === '"') field += text[++i];
      else quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === ',') rows.at(-1).push(field), field = '';
    else if (c === '\n') rows.at(-1).push(field.replace(/\r$/, '')), rows.push([]), field = '';
    else field += c;
  }
  rows.pop();
  return rows;
}
