// Reads the embedded JSON and derives what several parts of the page need.

export const SCHEMA_VERSION = 3;

export const BOUNDARIES = [
  {key: 'hbm', name: 'HBM', plain: 'HBM'},
  {key: 'l2', name: 'L2', plain: 'L2'},
  {key: 'sram', name: 'Shared memory', plain: 'shared-memory'},
];
export const boundaryName = (key) => BOUNDARIES.find((boundary) => boundary.key === key).name;
// Before a noun within a sentence: "shared-memory bytes".
export const boundaryWord = (key) => BOUNDARIES.find((boundary) => boundary.key === key).plain;

const POINT_FIELDS = [
  'gpu', 'algorithm', 'variant', 'direction', 'dtype', 'mask', 'page_size', 'batch', 'heads', 'kv_heads',
  'seqlen_q', 'seqlen_kv', 'head_dim', 'head_dim_v', 'br', 'bc', 'stages', 'splits', 'order', 'kv_walk', 'l2_mode',
  'cache_state', 'placement', 'seed'
];

// A field's value as it is told apart and shown: a window is part of its mask.
export const valueOf = (point, field) => (field === 'mask' && point.mask === 'window' ? `window ${point.window}` : point[field]);

const FIELD_NAMES = {
  head_dim: 'd', head_dim_v: 'd v', batch: 'B', heads: 'H', kv_heads: 'H kv', cache_state: 'cache', l2_mode: 'L2 model'
};
export const fieldName = (field) => FIELD_NAMES[field] ?? field.replace(/_/g, ' ');

export function distinct(values) {
  const found = [...new Set(values.filter((value) => value !== undefined && value !== null))];
  return found.sort((a, b) => (typeof a === 'number' && typeof b === 'number' ? a - b : String(a) < String(b) ? -1 : 1));
}

export const sequence = (point) =>
  point.seqlen_q === point.seqlen_kv ? `${point.seqlen_q}` : `${point.seqlen_q}/${point.seqlen_kv}`;
export const tile = (point) => `${point.br}×${point.bc}`;

// Fields whose meaning the sequence and tile columns already carry.
const SHOWN_OTHERWISE = new Set(['algorithm', 'seqlen_q', 'seqlen_kv', 'br', 'bc']);

const NBSP = '\u00a0';
function fieldText(field, value) {
  if (['gpu', 'variant', 'dtype', 'mask', 'direction', 'cache_state', 'order'].includes(field)) return `${value}`;
  return `${fieldName(field)} ${value}`.replaceAll(' ', NBSP);
}

function label(point, varying) {
  const rest = varying.filter((field) => point[field] !== undefined).map((field) => fieldText(field, valueOf(point, field)));
  return [point.algorithm, ...rest, `N${NBSP}${sequence(point)}`, `tile${NBSP}${tile(point)}`].join(' · ');
}

export const ROOFS = ['hbm', 'l2', 'sram', 'tensor', 'exp'];

// Records of JSON list the roofs that are known. Of those from CSV the GPU tells, and whether the prediction has
// shared-memory bytes; of a GPU that is not in the report nothing can be said.
function knownRoofs(gpus, record) {
  if (record.roofs?.length) return record.roofs.map((row) => row.roof);
  const gpu = gpus.find((each) => each.name === record.point.gpu);
  if (!gpu) return ROOFS;
  const known = {hbm: true, l2: gpu.l2_bytes_per_s, sram: record.prediction.sram_read_bytes !== undefined, tensor: gpu.tensor_flops_per_s?.[record.point.dtype], exp: gpu.exp_per_s};
  return ROOFS.filter((roof) => known[roof]);
}

// Roofs that the lower bound of the time does not know of.
function leftOut(gpus, record) {
  if (record.prediction?.time_s === undefined) return [];
  const known = knownRoofs(gpus, record);
  return ROOFS.filter((roof) => !known.includes(roof));
}

// `unfused`: the tool's list of the unfused algorithms' names.
export function readData(text, unfused) {
  const json = JSON.parse(text);
  if (!(json.schema_version <= SCHEMA_VERSION)) {
    throw new Error(`schema_version is ${json.schema_version}; this page reads up to ${SCHEMA_VERSION}`);
  }
  const points = json.records.map((record) => record.point);
  const values = new Map(POINT_FIELDS.map((field) => [field, distinct(points.map((point) => valueOf(point, field)))]));
  // V's head dim and the KV heads say nothing new as long as they equal their partner on every point.
  const repeats = (field, partner) => points.every((point) => point[field] === point[partner]);
  const silent = new Set([['head_dim_v', 'head_dim'], ['kv_heads', 'heads']].filter((pair) => repeats(...pair)).map(([field]) => field));
  const varying = POINT_FIELDS.filter((field) => !silent.has(field)).filter((field) => values.get(field).length > 1 && !SHOWN_OTHERWISE.has(field));
  const absent = (field) => field === 'page_size' && values.get(field)[0] === 0;
  const constant = POINT_FIELDS.filter((field) => !silent.has(field) && !absent(field)).filter((field) => values.get(field).length === 1 && !SHOWN_OTHERWISE.has(field))
    .map((field) => fieldText(field, values.get(field)[0]));
  const records = json.records.map((record, index) => ({
    index,
    point: record.point,
    status: record.status,
    feasible: record.feasible,
    reason: record.reason ?? '',
    prediction: record.prediction ?? {},
    measurement: record.measurement ?? {},
    error: record.error ?? {},
    provenance: record.provenance ?? {},
    leftOut: leftOut(json.gpus ?? [], record),
    traffic: record.traffic ?? [],
    reasons: [...(record.hbm_reasons ?? []), ...(record.hbm_conclusions ?? [])],
    timeline: record.timeline,
    label: label(record.point, varying),
  }));
  const algorithms = [...new Set(points.map((point) => point.algorithm))];
  const variants = new Map(algorithms.map((name) => [name, [...new Set(points.filter((point) => point.algorithm === name).map((point) => point.variant))]]));
  return {text, json, records, values, varying, constant, algorithms, variants, unfused, gpus: json.gpus ?? []};
}

// Absent when either part is absent: half a sum is not a sum.
const sum = (a, b) => (a === undefined || b === undefined ? undefined : a + b);

// Bytes of one record at a boundary; `side` is 'prediction' or 'measurement', `way` is 'read', 'write' or
// 'total'. Measured HBM writes include those written back after the kernels (deferred), as the prediction does.
export function bytesAt(record, side, boundary, way) {
  const part = (name) => record[side][`${boundary}_${name}_bytes`] ?? undefined;
  if (way === 'read') return part('read');
  const deferred = side === 'measurement' && boundary === 'hbm' ? part('deferred_write') : 0;
  const write = sum(part('write'), deferred);
  return way === 'write' ? write : sum(part('read'), write);
}

export function totalError(record, boundary) {
  const predicted = bytesAt(record, 'prediction', boundary, 'total');
  const measured = bytesAt(record, 'measurement', boundary, 'total');
  return predicted === undefined || !measured ? undefined : predicted / measured - 1;
}

// Each L2 model predicts HBM bytes of its own: where a report holds several, errors at HBM are summed up apart. Parts
// {mode, text, holds(record)}, one without mode and text for all records where there is nothing to tell apart.
export function l2Parts(data, boundary) {
  const modes = boundary === 'hbm' ? data.values.get('l2_mode') : [];
  if (modes.length < 2) return [{mode: '', text: '', holds: () => true}];
  return modes.map((mode) => ({mode, text: `L2 model ${mode}`, holds: (record) => record.point.l2_mode === mode}));
}

export const isMeasured = (record) => Object.values(record.measurement).some((value) => typeof value === 'number');

// Variants that only count are compared with themselves, kernels with kernels.
const COUNTS = new Set(['paper', 'autograd']);
export const kindOf = (point) => (COUNTS.has(point.variant) ? point.variant : 'kernel');

// Unfused algorithms send scores through memory.
export const isUnfused = (data, point) => data.unfused.includes(point.algorithm);

// The members of `list` (each has an algorithm) that the fused ones are compared with: those of the first unfused
// algorithm that has any.
export function baselineOf(data, list) {
  const name = data.unfused.find((algorithm) => list.some((each) => each.algorithm === algorithm));
  return list.filter((each) => each.algorithm === name);
}

// The standard algorithm, with which others are compared first, has a colour of its own in every report.
export function algorithmColour(data, algorithm) {
  if (algorithm === 'standard') return 'var(--series-0)';
  const others = data.algorithms.filter((each) => each !== 'standard');
  return `var(--series-${1 + (others.indexOf(algorithm) % 5)})`;
}

// Fields offered as filters: the algorithm always, others when they differ between points.
export function filterFields(data) {
  const candidates = ['gpu', 'variant', 'direction', 'dtype', 'head_dim', 'mask', 'l2_mode', 'cache_state'];
  return ['algorithm', ...candidates.filter((field) => data.values.get(field).length > 1)];
}

export function filtered(data, state) {
  const fields = filterFields(data).filter((field) => state[field]);
  return data.records.filter((record) => fields.every((field) => String(valueOf(record.point, field)) === state[field]));
}
