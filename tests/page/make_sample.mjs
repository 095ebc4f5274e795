// Synthetic data sets for the page's test: values follow simple formulas, and are not results of anything.
// `node make_sample.mjs measured|predicted|single|unfused|replayed` prints JSON as `hbmscope ... --json -` does.

const SMS = 132;
const GPU = {
  name: 'h200', full_name: 'NVIDIA H200', sms: SMS, clock_hz: 1.98e9, hbm_bytes_per_s: 4.8e12, l2_bytes_per_s: 9.9e12,
  sram_bytes_per_s: SMS * 128 * 1.98e9, tensor_flops_per_s: {bf16: 9.894e14, fp16: 9.894e14}, exp_per_s: SMS * 16 * 1.98e9,
  l2_capacity_bytes: 62914560,
  sources: {hbm_bytes_per_s: {source: 'datasheet', measured: false}, l2_bytes_per_s: {source: 'a benchmark', measured: true}}
};

// A fixed pseudo-random sequence (Lehmer, modulus 2^31 - 1), so that the sample is the same every time.
let seed = 20261;
function random() {
  seed = (seed * 48271) % 2147483647;
  return seed / 2147483647;
}
const around = (value, spread) => Math.round(value * (1 + spread * (2 * random() - 1)));

function pointOf(algorithm, dtype, headDim, mask, seqlen, [br, bc]) {
  return {
    gpu: 'h200', algorithm, variant: 'mma', direction: 'forward', batch: 16384 / seqlen, heads: 16, kv_heads: 16, seqlen_q: seqlen, seqlen_kv: seqlen,
    head_dim: headDim, head_dim_v: headDim, dtype, mask, window: 0, page_size: 0, br, bc, stages: 1, splits: 1, order: 'q-fastest', l2_mode: 'none', cache_state: 'cold',
    placement: 0, seed: 1, kernel_hash: `synthetic-${algorithm}`
  };
}

// How often an unfused algorithm writes, and reads, a matrix of scores.
const SCORES = {standard: 2, 'standard-online': 1, 'standard-masked-dropout': 4};

function predict(point) {
  const {batch, heads, seqlen_q: n, head_dim: d, br, bc, mask} = point;
  const share = mask === 'causal' ? 0.5 * (1 + 1 / n) : 1;
  const operand = batch * heads * n * d * 2;
  const square = batch * heads * n * n * 2;
  const flops = Math.round(4 * batch * heads * n * n * d * share);
  const scores = (SCORES[point.algorithm] ?? 0) * square;
  const tiled = !scores;
  const tileShare = mask === 'causal' ? 0.5 * (1 + Math.max(br, bc) / n) : 1;
  const passes = Math.ceil(n / br);
  const read = tiled ? 3 * operand : 3 * operand + scores;
  const write = tiled ? operand + batch * heads * n * 4 : operand + scores;
  const l2Read = tiled ? operand + Math.round(2 * operand * passes * tileShare) : 2 * operand * passes + operand + scores;
  const sramRead = Math.round((tiled ? tileShare : 1) * batch * heads * n * n * d * 4 * (1 / 64 + 1 / br) * 2);
  const time = Math.max(flops / 9.894e14, read / 4.8e12, sramRead / GPU.sram_bytes_per_s);
  return {
    hbm_read_bytes: read, hbm_write_bytes: write, l2_read_bytes: l2Read, l2_write_bytes: write, sram_read_bytes: sramRead, sram_write_bytes: l2Read,
    io_bytes: l2Read + write, compulsory_bytes: read + write, footprint_bytes: 4 * operand, flops, executed_flops: Math.round(flops * tileShare / share),
    time_s: time, limiter: time === flops / 9.894e14 ? 'tensor' : time === read / 4.8e12 ? 'hbm' : 'sram'
  };
}

function measure(point, prediction) {
  const standard = point.algorithm === 'standard';
  const deferred = Math.min(around(40e6, 0.2), prediction.hbm_write_bytes);
  const measurement = {
    hbm_read_bytes: around(prediction.hbm_read_bytes * (standard ? 0.9 : 1.15), 0.12), hbm_write_bytes: around(prediction.hbm_write_bytes * 1.02, 0.02) - deferred,
    hbm_deferred_write_bytes: deferred, l2_read_bytes: around(prediction.l2_read_bytes, 0.004), l2_write_bytes: around(prediction.l2_write_bytes, 0.003),
    sram_read_bytes: around(prediction.sram_read_bytes, 0.015), sram_write_bytes: around(prediction.sram_write_bytes, 0.012), local_bytes: 0,
    time_s: prediction.time_s * (1.6 + random()), time_spread: 0.004, max_error: 0.003
  };
  return measurement;
}

function errorsOf(prediction, measurement) {
  const names = ['hbm_read', 'hbm_write', 'l2_read', 'l2_write', 'sram_read', 'sram_write'];
  const deferred = {hbm_write: measurement.hbm_deferred_write_bytes};
  return Object.fromEntries(names.map((name) => [name, prediction[`${name}_bytes`] / (measurement[`${name}_bytes`] + (deferred[name] ?? 0)) - 1]));
}

function recordOf(point, number) {
  const prediction = predict(point);
  const record = {point, status: 'ok', feasible: true, reason: '', prediction};
  if (point.br === 256 && point.head_dim === 128) {
    return {...record, status: 'skipped', feasible: false, reason: 'shared memory: needs 266240 B, limit 232448 B </script><b>"quoted", a comma'};
  }
  record.traffic = ['hbm', 'l2', 'sram'].map((boundary) => ({launch: `${point.algorithm}_mma`, tensor: 'K', boundary, read_bytes: prediction[`${boundary}_read_bytes`], write_bytes: 0}));
  if (number % 16 === 3) return record;
  record.measurement = measure(point, prediction);
  record.error = errorsOf(prediction, record.measurement);
  record.provenance = {source: 'recorded', gpu: 'NVIDIA H200', driver: 'synthetic', cuda: 'synthetic', date: '2026-11-29T12:00:00Z', measured_by: 'synthetic', sm_clock_mhz_before: 1980,
    sm_clock_mhz_after: 1980 - 15 * (number % 2), memory_clock_mhz: 3201, passes: 3, repeats: 5, hbm_spread: 0.002, registers: 168, spill_bytes: 0, stale: false};
  if (number % 16 === 5) delete record.measurement.sram_read_bytes, delete record.error.sram_read;
  return record;
}

const DOCUMENT = {
  schema_version: 1,
  provenance: {tool: 'hbmscope', version: '0.1.0', git_commit: 'synthetic', argv: ['hbmscope', 'validate', '--seqlen', '512..8192*4'], date: '2026-11-29T12:00:00Z', gpu: 'NVIDIA H200'}
};

function measured() {
  const records = [];
  for (const algorithm of ['standard', 'flash2'])
    for (const dtype of ['bf16', 'fp16'])
      for (const headDim of [64, 128])
        for (const mask of ['full', 'causal'])
          for (const seqlen of [512, 2048, 8192])
            for (const tile of [[64, 64], [128, 64], [256, 64]])
              records.push(recordOf(pointOf(algorithm, dtype, headDim, mask, seqlen, tile), records.length));
  return {...DOCUMENT, gpus: [GPU], records};
}

// No measurement; two GPUs, one without an L2 rate and without fp16; a window, unequal lengths, GQA, a model-only
// variant without shared-memory counts.
function predicted() {
  const other = {...GPU, name: 'other', full_name: 'Another GPU', l2_bytes_per_s: undefined, hbm_bytes_per_s: 2e12, tensor_flops_per_s: {bf16: 3e14}};
  const records = [];
  for (const gpu of [GPU, other])
    for (const [algorithm, variant] of [['standard', 'mma'], ['standard', 'paper'], ['standard-online', 'paper'], ['flash1', 'paper'], ['flash2', 'mma']])
      for (const seqlen of [500, 1000, 2000])
        for (const tile of [[64, 64], [128, 32]]) {
          const point = {...pointOf(algorithm, 'bf16', 128, 'window', seqlen, tile), gpu: gpu.name, variant, batch: 1, kv_heads: 4, window: 256, seqlen_kv: seqlen + 24};
          const prediction = predict(point);
          if (variant === 'paper') delete prediction.sram_read_bytes, delete prediction.sram_write_bytes;
          records.push({point, status: 'ok', feasible: true, prediction, provenance: {stale: false}});
        }
  return {...DOCUMENT, gpus: [GPU, other], records};
}

function single() {
  return {...DOCUMENT, gpus: [GPU], records: [recordOf(pointOf('flash2', 'bf16', 128, 'full', 4096, [128, 64]), 0)]};
}

// Unfused algorithms other than standard beside fused ones; kernels measured, exact at L2; counts not measured, and with the
// roofs that are known. Two numbers of tokens.
function unfused() {
  const records = [];
  for (const [algorithm, variant] of [['flash2', 'mma'], ['standard-masked-dropout', 'paper'], ['standard-online', 'mma'], ['flash1', 'paper'], ['standard-online', 'paper']])
    for (const [seqlen, batch] of [[512, 32], [2048, 8], [8192, 2], [512, 16], [1024, 8], [2048, 4], [4096, 2]])
      for (const tile of [[64, 64], [128, 64]]) {
        const record = recordOf({...pointOf(algorithm, 'bf16', 64, 'full', seqlen, tile), variant, batch}, 0);
        if (variant === 'paper') {
          delete record.measurement, delete record.error, delete record.provenance;
          record.roofs = ['hbm', 'l2', 'tensor', 'exp'].map((roof) => ({roof, demand: 1, rate_per_s: 1e12, time_s: 1e-12, binds_s: 0}));
        } else {
          for (const way of ['read', 'write']) record.measurement[`l2_${way}_bytes`] = record.prediction[`l2_${way}_bytes`];
          record.error = errorsOf(record.prediction, record.measurement);
        }
        records.push(record);
      }
  return {...DOCUMENT, gpus: [GPU], records};
}

// Two launches: the first one writes in one of its steps and reads nothing.
function timelineOf(launches) {
  const effective = 31457280;
  return {seed: 3, hbm_read_bytes: 300e6, hbm_write_bytes: 70e6, effective_bytes: effective, launches: launches.map((launch, number) => {
    const steps = Array.from({length: 20 + 60 * number}, (_, i) => i);
    const idle = (i) => number === 0 && i === 7;
    return {launch, accesses: 100 * steps.length, near_bytes: steps.map((i) => (idle(i) ? 0 : 4e6 + 1e5 * i)), home_bytes: steps.map((i) => (idle(i) ? 0 : 1e5)),
      dram_bytes: steps.map((i) => (idle(i) ? 0 : 1e6 - 1e4 * i)), written_bytes: steps.map(() => 2e5), live_bytes: steps.map((i) => Math.round(effective * 1.3 * Math.sin((i + 1) / 30) ** 2)),
      live_cached_bytes: steps.map((i) => Math.round(effective * Math.sin((i + 1) / 30) ** 2)), cached_bytes: steps.map(() => effective), heads: steps.map((i) => 1 + (i % 3))};
  })};
}

// Every point twice: without an L2 model, and with the misses of a simulated L2. Those have reasons, and one a timeline.
function replayed() {
  const records = [];
  for (const algorithm of ['standard', 'flash2'])
    for (const seqlen of [512, 2048, 8192]) {
      const none = recordOf(pointOf(algorithm, 'bf16', 128, 'full', seqlen, [128, 64]), 0);
      const prediction = {...none.prediction};
      for (const way of ['read', 'write']) {
        const name = `hbm_${way}_bytes`;
        prediction[name] = around(none.measurement[name] + (way === 'write' ? none.measurement.hbm_deferred_write_bytes : 0), 0.01);
        Object.assign(prediction, {[`${name}_p05`]: Math.round(0.99 * prediction[name]), [`${name}_p95`]: Math.round(1.01 * prediction[name])});
      }
      records.push(none, {...none, point: {...none.point, l2_mode: 'replay'}, prediction, error: errorsOf(prediction, none.measurement),
        hbm_reasons: ['K and V are read 64 times.', 'They do not fit.'], hbm_conclusions: ['Measured: 1.4 times compulsory.']});
      if (seqlen === 2048) records.at(-1).timeline = timelineOf(algorithm === 'standard' ? ['S = QKᵀ', 'O = PV'] : ['flash2']);
    }
  return {...DOCUMENT, gpus: [GPU], records};
}

const SAMPLES = {measured, predicted, single, unfused, replayed};

// One count is the largest of 64 bits, which a double cannot hold.
const withLargestCount = (json) => json.replace(/"footprint_bytes":\d+/, '"footprint_bytes":18446744073709551615');

const make = SAMPLES[process.argv[2]];
if (!make) throw new Error(`usage: node make_sample.mjs ${Object.keys(SAMPLES).join('|')}`);
process.stdout.write(withLargestCount(JSON.stringify(make())));
