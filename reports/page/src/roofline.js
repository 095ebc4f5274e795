// Hierarchical roofline: FLOP/s over FLOP per byte at HBM, L2 and shared memory, under tensor cores and
// exponentials. Values of the roofs stand in
// the legend. A mark is filled when bytes and time were measured, hollow when either is predicted.
import {select as choose} from 'd3-selection';
import {line} from 'd3-shape';

import {axes, canvas, CIRCLE, drawMarks, legend, logScale, shapeOf, showSelection, thin, thinNote} from './chart.js';
import {algorithmColour, BOUNDARIES, boundaryName, boundaryWord, bytesAt, distinct, filtered} from './data.js';
import {append, clear, selector, simpleTable, twin} from './dom.js';
import * as format from './format.js';
import {leftOutSentence, limiterText} from './roofs.js';
import {facetName} from './slices.js';

// Intensity and performance of one record at one level; measured values where there are any.
export function rooflinePoint(record, level) {
  const {flops} = record.prediction;
  const measured = bytesAt(record, 'measurement', level, 'total');
  const bytes = measured ?? bytesAt(record, 'prediction', level, 'total');
  const time = record.measurement.time_s ?? record.prediction.time_s ?? undefined;
  if (!flops || !bytes || !time) return undefined;
  return {record, intensity: flops / bytes, performance: flops / time,
    bytesFrom: measured === undefined ? 'predicted' : 'measured',
    timeFrom: record.measurement.time_s === undefined ? 'predicted bound' : 'measured'};
}

// The roofs of one GPU: a bandwidth per level and a compute ceiling per dtype in view.
function roofsOf(gpu, dtypes) {
  const bandwidths = BOUNDARIES.map(({key, name}) => ({level: key, name, rate: gpu?.[`${key}_bytes_per_s`] ?? undefined}));
  const ceilings = dtypes.map((dtype) => ({dtype, rate: gpu?.tensor_flops_per_s?.[dtype] ?? undefined}));
  return {bandwidths, ceilings};
}

// A visible pair costs 2·(d + dv) FLOP and at least one exponential in the forward pass, so the exponential
// units cap useful FLOP/s, for each head dim at another height.
function exponentialRoofs(gpu, points) {
  if (!gpu?.exp_per_s) return [];
  const dims = points.map(({record}) => record.point).filter((point) => point.direction === 'forward');
  return distinct(dims.map((point) => point.head_dim + point.head_dim_v)).map((sum) => {
    const {head_dim: d, head_dim_v: dv} = dims.find((point) => point.head_dim + point.head_dim_v === sum);
    return {name: d === dv ? `d ${d}` : `d ${d}/${dv}`, perExponential: 2 * sum, rate: gpu.exp_per_s * 2 * sum};
  });
}

// Ceilings of equal rate (bf16 and fp16) are one line with both names.
function mergedCeilings(ceilings) {
  const rates = distinct(ceilings.map((ceiling) => ceiling.rate));
  return rates.map((rate) => ({rate, names: ceilings.filter((ceiling) => ceiling.rate === rate).map((ceiling) => ceiling.dtype).join(', ')}));
}

const LINES = {hbm: 'roof', l2: 'roof dashed', sram: 'roof dotted'};

function drawRoofs(svg, x, y, roofs, level) {
  const [low, high] = x.domain();
  const top = Math.max(...roofs.ceilings.map((ceiling) => ceiling.rate));
  const [floor] = y.domain();
  for (const {level: key, rate} of roofs.bandwidths) {
    if (!rate) continue;
    const end = Number.isFinite(top) ? Math.min(high, top / rate) : high;
    const start = Math.max(low, floor / rate);
    if (start >= end) continue;
    append(svg, 'path', {class: `${LINES[key]}${key === level ? '' : ' faint'}`, 'data-roof': key, 'data-value': rate,
      d: line()([start, end].map((value) => [x(value), y(value * rate)]))});
  }
  const steepest = Math.max(...roofs.bandwidths.map((roof) => roof.rate ?? 0));
  for (const {rate, names} of roofs.ceilings) {
    append(svg, 'path', {class: 'roof ceiling', 'data-roof': names, 'data-value': rate,
      d: line()([steepest ? Math.max(low, rate / steepest) : low, high].map((value) => [x(value), y(rate)]))});
  }
  let named = Infinity;  // the place of the last name, from the lowest roof up
  for (const {rate, name} of roofs.exponentials) {
    // One roof needs no name at its line; names that would meet are left to the legend.
    if (roofs.exponentials.length > 1 && named - y(rate) > 12) {
      named = y(rate);
      append(svg, 'text', {class: 'tick', x: x(high) + 5, y: named + 4}, name);
    }
    append(svg, 'path', {class: 'roof exponential', 'data-roof': `exp ${name}`, 'data-value': rate,
      d: line()([steepest ? Math.max(low, rate / steepest) : low, high].map((value) => [x(value), y(rate)]))});
  }
}

function linesOf(point, level) {
  return [point.record.label, `${boundaryName(level)}: ${point.intensity.toPrecision(3)} FLOP/B (${point.bytesFrom} bytes)`,
    `${format.flopsPerSecond(point.performance)} (${point.timeFrom} time ${format.seconds(point.record.measurement.time_s ?? point.record.prediction.time_s)})`];
}

function drawChart(root, data, points, roofs, level, store) {
  const [width, height] = [860, 460];
  // Room for the names of several roofs of exponentials: letters of the 12 px font are up to 8 px wide.
  const names = roofs.exponentials.length > 1 ? Math.max(...roofs.exponentials.map(({name}) => name.length)) : 0;
  const area = {left: 92, right: width - Math.max(34, 8 * names + 5), top: 30, bottom: height - 50};
  const svg = canvas(root, {testid: 'roofline', label: `Roofline of ${boundaryWord(level)} bytes`, width, height});
  const rates = roofs.ceilings.map((ceiling) => ceiling.rate);
  const ridge = Math.min(...rates) / (roofs.bandwidths.find((roof) => roof.level === level).rate ?? NaN);
  const x = logScale([...points.map((point) => point.intensity), ...(Number.isFinite(ridge) ? [ridge / 2, ridge * 2] : [])], [area.left, area.right], 1.6);
  const y = logScale([...points.map((point) => point.performance), ...rates, ...roofs.exponentials.map((roof) => roof.rate)], [area.bottom, area.top], 1.6);
  axes(svg, {x, y, area, xLabel: `FLOP per ${boundaryWord(level)} byte`, yLabel: 'useful FLOP/s',
    xFormat: (value) => format.grouped(value), yFormat: format.flopsPerSecondTick});
  drawRoofs(svg, x, y, roofs, level);
  drawMarks(svg, points.map((point) => {
    const {record} = point;
    return {record, kind: 'point', path: shapeOf(data, record.point), colour: algorithmColour(data, record.point.algorithm),
      hollow: point.bytesFrom !== 'measured' || point.timeFrom !== 'measured', x: x(point.intensity), y: y(point.performance),
      xValue: point.intensity, yValue: point.performance, lines: linesOf(point, level)};
  }), store);
  return svg;
}

function drawLegend(root, data, points, roofs, level) {
  const implementations = new Map(points.map(({record}) => [facetName(record), record.point]));
  legend(root, [
    ...roofs.bandwidths.map(({level: key, name, rate}) => ({colour: 'var(--text)', line: LINES[key], faint: key !== level, testid: `roof-${key}`,
      text: `${name}: ${rate ? format.bytesPerSecond(rate) : 'no rate in the GPU file'}`})),
    ...roofs.ceilings.map(({names, rate}) => ({colour: 'var(--text)', line: 'roof ceiling', testid: 'roof-compute', text: `Tensor cores, ${names}: ${format.flopsPerSecond(rate)}`})),
    ...roofs.exponentials.map(({name, rate, perExponential}) => ({colour: 'var(--muted)', line: 'roof exponential', testid: 'roof-exp',
      text: `Exponentials, ${name}: ${format.flopsPerSecond(rate)} (${perExponential} FLOP each)`})),
    ...[...implementations].map(([text, point]) => ({colour: algorithmColour(data, point.algorithm), path: shapeOf(data, point), text})),
    {colour: 'var(--muted)', path: CIRCLE, text: 'filled: bytes and time measured'},
    {colour: 'var(--muted)', path: CIRCLE, hollow: true, text: 'hollow: bytes or time predicted'},
  ]);
}

export function roofline(root, data, store) {
  const controls = append(root, 'div', {class: 'controls'});
  const levelControl = selector(controls, {testid: 'roofline-level', label: 'Level', options: BOUNDARIES.map(({key, name}) => [key, name]),
    value: store.get().level, onChange: (level) => store.set({level})});
  const note = append(root, 'p', {class: 'note', 'data-testid': 'roofline-note'});
  const box = append(root, 'div', {class: 'with-legend'});
  const chart = append(box, 'div');
  const key = append(box, 'div');
  const twinBox = twin(root);
  let svg;
  let drawnGpu;

  function select(state) {
    const {gpu} = data.records[state.point || 0]?.point ?? {};
    if (state.point !== '' && gpu !== drawnGpu && filtered(data, state).some((record) => record.point.gpu === gpu)) return draw(state);
    if (svg) showSelection(svg, state.point);
    choose(twinBox).selectAll('tr[data-index]').classed('selected', function () { return this.dataset.index === state.point; });
  }

  function draw(state) {
    [chart, key, twinBox].forEach(clear);
    svg = undefined;
    levelControl.value = state.level;
    const inView = filtered(data, state);
    const chosen = data.records[Number(state.point)]?.point.gpu;
    const gpuName = state.point !== '' && inView.some((record) => record.point.gpu === chosen) ? chosen : inView[0]?.point.gpu;
    drawnGpu = gpuName;
    const gpu = data.gpus.find((candidate) => candidate.name === gpuName);
    const onGpu = inView.filter((record) => record.point.gpu === gpuName);
    const all = onGpu.map((record) => rooflinePoint(record, state.level)).filter(Boolean);
    const points = thin(all, (point) => String(point.record.index) === state.point);
    const others = inView.length - onGpu.length;
    note.textContent = all.length
      ? `Roofs of ${gpu?.full_name ?? gpuName}; the roof of the chosen level is strong.${others ? ` ${others} points of other GPUs are left out: filter by GPU to see them.` : ''}${thinNote(points.length, all.length)} ${leftOutSentence(data, all.filter((point) => point.timeFrom !== 'measured').map((point) => point.record))}`
      : 'No point in view has FLOPs, bytes and a time at this level.';
    if (!all.length) return;
    const roofs = roofsOf(gpu, distinct(onGpu.map((record) => record.point.dtype)));
    roofs.ceilings = mergedCeilings(roofs.ceilings);
    roofs.exponentials = exponentialRoofs(gpu, points);
    svg = drawChart(chart, data, points, roofs, state.level, store);
    drawLegend(key, data, points, roofs, state.level);
    drawTwin(twinBox, points, state.level);
    select(state);
  }
  return {draw, select};
}

function drawTwin(root, points, level) {
  simpleTable(root, {testid: 'roofline-table', caption: `Roofline of ${boundaryWord(level)} bytes`, rows: points,
    rowAttributes: (point) => ({'data-index': point.record.index}),
    columns: [{name: 'point', key: 'point', value: (point) => point.record.label},
      {name: 'FLOP/B', key: 'intensity', numeric: true, value: (point) => point.intensity, text: format.column(points.map((point) => point.intensity), 1)},
      {name: 'TFLOP/s', key: 'performance', numeric: true, value: (point) => point.performance, text: format.column(points.map((point) => point.performance), 1e12)},
      {name: 'bytes', key: 'bytes-from', value: (point) => point.bytesFrom}, {name: 'time', key: 'time-from', value: (point) => point.timeFrom},
      {name: 'limiter', key: 'limiter', value: (point) => point.record.prediction.limiter, text: (value, point) => limiterText(point.record)}]});
}
