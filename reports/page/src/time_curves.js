// Times against N: how much faster than unfused attention, and how far above the lower bound.
import {scaleLinear} from 'd3-scale';

import {legend, logScale, thin} from './chart.js';
import {isUnfused, kindOf, baselineOf, tile} from './data.js';
import {AREA, drawCurves} from './curves.js';
import {append, simpleTable} from './dom.js';
import * as format from './format.js';
import {leftOutSentence, limiterText} from './roofs.js';
import {facetName} from './slices.js';

const SIDES = [{side: 'measurement', name: 'measured', what: 'measured times'},
  {side: 'prediction', name: 'bound', what: 'lower bounds of the times (predicted)'}];
function leftOutNote(note, data, records) {
  const sentence = leftOutSentence(data, records);
  if (sentence) append(note, 'p', {class: 'note', 'data-testid': 'left-out'}, sentence);
}

const timeOf = (record, side) => record[side].time_s || undefined;

const sameWork = (a, b) => kindOf(a.point) === kindOf(b.point) &&
  ['seqlen_q', 'seqlen_kv', 'batch', 'heads', 'kv_heads'].every((field) => a.point[field] === b.point[field]);

// From 0, or logarithmic where one large ratio would press the others together.
function ratioScale(ratios) {
  const [, most] = format.extent([1, ...ratios]);
  return most > 10 ? logScale([1, ...ratios], [AREA.bottom, AREA.top], 1.25) : scaleLinear([0, 1.08 * most], [AREA.bottom, AREA.top]);
}

// Of several kernels of one unfused algorithm the one of the same variant, if there is one.
function counterpart(data, record, curves) {
  const same = baselineOf(data, curves.flatMap(({algorithm, entries}) => entries.filter((entry) => sameWork(record, entry.record)).map((entry) => ({algorithm, record: entry.record}))));
  return (same.find((other) => other.record.point.variant === record.point.variant) ?? same[0])?.record;
}

// {curve, record, unfused, n, measurement, prediction}: the ratio of times on either side, absent where one of them is.
function speedups(data, curves) {
  return curves.filter((curve) => !isUnfused(data, curve)).flatMap((curve) => curve.entries.map(({record, n}) => {
    const unfused = counterpart(data, record, curves);
    const ratio = (side) => (unfused && timeOf(unfused, side) && timeOf(record, side) ? timeOf(unfused, side) / timeOf(record, side) : undefined);
    return {curve, record, unfused, n, measurement: ratio('measurement'), prediction: ratio('prediction')};
  })).filter((row) => row.measurement || row.prediction);
}

const speedupLines = (row, side) => [row.record.label, `${format.ratio(row[side.side])} faster than ${row.unfused.label}`,
  `${side.what}: ${format.seconds(timeOf(row.record, side.side))} instead of ${format.seconds(timeOf(row.unfused, side.side))}`];

const baselineNames = (rows, curve) => [...new Set(rows.filter((row) => row.curve === curve).map((row) => facetName(row.unfused)))].join(' or ');

export function speedupCurve({data, chart, key, table, note}, curves, state, store) {
  const rows = speedups(data, curves);
  append(note, 'p', {class: 'note'}, rows.length ? 'Time of unfused attention / time of the other, on one problem. Measured times and lower bounds are lines of their own: a ratio of bounds is no measurement and bounds nothing.'
    : 'This slice has no point of an unfused algorithm beside one of a fused algorithm.');
  if (!rows.length) return undefined;
  const marks = SIDES.flatMap((side) => rows.filter((row) => row[side.side]).map((row) => ({...row, kind: side.name, value: row[side.side], path: row.curve.path,
    colour: row.curve.colour, hollow: side.side === 'prediction', lines: speedupLines(row, side)})));
  const lines = SIDES.flatMap((side) => curves.map((curve) => ({colour: curve.colour, dashed: side.side === 'prediction',
    points: rows.filter((row) => row.curve === curve && row[side.side]).map((row) => ({n: row.n, value: row[side.side]}))}))).filter(({points}) => points.length);
  const x = logScale(rows.map((row) => row.n), [AREA.left, AREA.right], 1.15);
  const y = ratioScale(marks.map((mark) => mark.value));
  const used = curves.filter((curve) => rows.some((row) => row.curve === curve));
  legend(key, [...used.map((curve) => ({path: curve.path, colour: curve.colour, text: `${curve.name} over ${baselineNames(rows, curve)}`})),
    {line: 'curve', colour: 'var(--muted)', text: 'solid, filled: measured'}, {line: 'curve dashed', colour: 'var(--muted)', text: 'dashed, hollow: predicted lower bounds'}]);
  leftOutNote(note, data, rows.filter((row) => row.prediction).flatMap((row) => [row.record, row.unfused]));
  drawSpeedups(table, rows);
  return drawCurves(chart, {testid: 'curve-speedup', label: 'Speed-up over unfused attention against N', x, y, yLabel: 'times faster than unfused', yFormat: (value) => `${value}×`,
    curves: lines, references: [{points: x.domain().map((n) => ({n, value: 1}))}], marks: thin(marks, (mark) => String(mark.record.index) === state.point)}, store);
}

function drawSpeedups(root, rows) {
  const ratio = (value) => (value === undefined ? '' : format.ratio(value));
  simpleTable(root, {testid: 'curve-speedup-table', caption: 'Speed-up over unfused attention', rows, rowAttributes: (row) => ({'data-index': row.record.index}),
    columns: [{name: 'implementation', key: 'name', value: (row) => row.curve.name}, {name: 'N', key: 'n', numeric: true, value: (row) => row.n},
      {name: 'tile', key: 'tile', value: (row) => tile(row.record.point)}, {name: 'over', key: 'over', value: (row) => facetName(row.unfused)},
      {name: 'measured', key: 'measurement', numeric: true, value: (row) => row.measurement, text: ratio},
      {name: 'of lower bounds', key: 'prediction', numeric: true, value: (row) => row.prediction, text: ratio}]});
}

export function boundCurve({data, chart, key, table, note}, curves, state, store) {
  const rows = curves.flatMap((curve) => curve.entries.map((entry) => ({...entry, curve, bound: timeOf(entry.record, 'prediction'), measured: timeOf(entry.record, 'measurement')})))
    .filter((row) => row.bound && row.measured).map((row) => ({...row, value: row.measured / row.bound}));
  append(note, 'p', {class: 'note'}, rows.length ? 'Measured time / predicted lower bound. At 1 a kernel would keep the limiting roof busy all the time; below 1 the bound would be wrong.'
    : 'No point of this slice has a measured time.');
  if (!rows.length) return undefined;
  const marks = rows.map((row) => ({...row, kind: 'ratio', path: row.curve.path, colour: row.curve.colour, lines: [row.record.label,
    `measured ${format.seconds(row.measured)}: ${format.ratio(row.value)} the bound of ${format.seconds(row.bound)} (${limiterText(row.record)})`]}));
  const x = logScale(rows.map((row) => row.n), [AREA.left, AREA.right], 1.15);
  const y = ratioScale(rows.map((row) => row.value));
  const used = curves.filter((curve) => rows.some((row) => row.curve === curve));
  legend(key, [...used.map((curve) => ({path: curve.path, colour: curve.colour, text: curve.name})), {line: 'reference', colour: 'var(--muted)', text: 'lower bound'}]);
  leftOutNote(note, data, rows.map((row) => row.record));
  drawBounds(table, rows);
  return drawCurves(chart, {testid: 'curve-bound', label: 'Measured time over its lower bound against N', x, y, yLabel: 'measured time / lower bound', yFormat: (value) => `${value}`,
    curves: used.map((curve) => ({colour: curve.colour, points: rows.filter((row) => row.curve === curve)})),
    references: [{points: x.domain().map((n) => ({n, value: 1}))}], marks: thin(marks, (mark) => String(mark.record.index) === state.point)}, store);
}

function drawBounds(root, rows) {
  const time = (name, field) => ({name: `${name} (ms)`, key: field, numeric: true, value: (row) => row[field], text: format.column(rows.map((row) => row[field]), 1e-3)});
  simpleTable(root, {testid: 'curve-bound-table', caption: 'Measured time and predicted lower bound', rows, rowAttributes: (row) => ({'data-index': row.record.index}),
    columns: [{name: 'implementation', key: 'name', value: (row) => row.curve.name}, {name: 'N', key: 'n', numeric: true, value: (row) => row.n},
      {name: 'tile', key: 'tile', value: (row) => tile(row.record.point)}, time('lower bound', 'bound'), time('measured', 'measured'),
      {name: 'measured / bound', key: 'ratio', numeric: true, value: (row) => row.value, text: format.ratio},
      {name: 'limiter', key: 'limiter', value: (row) => row.record.prediction.limiter, text: (value, row) => limiterText(row.record)}]});
}
