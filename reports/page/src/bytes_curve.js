// Bytes of one head against N on logarithmic axes, beside what grows as N and as N².
import {legend, logScale, thin} from './chart.js';
import {boundaryName, boundaryWord, bytesAt, tile} from './data.js';
import {AREA, drawCurves} from './curves.js';
import {append, simpleTable} from './dom.js';
import * as format from './format.js';

const ELEMENT_BYTES = {fp32: 4, bf16: 2, fp16: 2, fp8: 1};
const SIDES = {prediction: 'predicted', measurement: 'measured'};

// Of one query head of one batch entry, so that a sweep at a constant number of tokens shows the growth too.
const perHead = (record, side, boundary) => {
  const bytes = bytesAt(record, side, boundary, 'total');
  return bytes ? bytes / (record.point.batch * record.point.heads) : undefined;
};

function pointsOf(curve, side, boundary) {
  return curve.entries.map((entry) => ({...entry, side, curve, value: perHead(entry.record, side, boundary)})).filter((point) => point.value);
}

// One operand and one matrix of scores of a head: slopes 1 and 2.
function references(curves) {
  const entries = curves.flatMap((curve) => curve.entries);
  const {head_dim: d, dtype} = entries[0].record.point;
  const element = ELEMENT_BYTES[dtype];
  const ends = format.extent(entries.map((entry) => entry.n));
  return [{style: '', text: 'N·d: one operand of a head', points: ends.map((n) => ({n, value: n * d * element}))},
    {style: 'dotted', text: 'N²: one score matrix of a head', points: ends.map((n) => ({n, value: n * n * element}))}];
}

const linesOf = (point, boundary) => [point.record.label,
  `${boundaryName(boundary)} read + write, ${SIDES[point.side]}: ${format.bytes(point.value, 4)} for each head`];

export function bytesCurve({chart, key, table, note}, curves, state, store) {
  const {boundary} = state;
  const sides = Object.keys(SIDES).map((side) => curves.map((curve) => ({curve, points: pointsOf(curve, side, boundary)})).filter(({points}) => points.length));
  const all = sides.flat().flatMap(({points}) => points);
  append(note, 'p', {class: 'note'}, all.length ? `${boundaryName(boundary)} bytes, read + write, divided by batch × heads.`
    : `No ${boundaryWord(boundary)} bytes in this slice.`);
  if (!all.length) return undefined;
  const slopes = references(curves);
  const x = logScale(all.map((point) => point.n), [AREA.left, AREA.right], 1.15);
  const y = logScale(all.map((point) => point.value), [AREA.bottom, AREA.top], 1.6);
  const marks = thin(all, (point) => String(point.record.index) === state.point).map((point) => ({...point, kind: point.side, path: point.curve.path,
    colour: point.curve.colour, hollow: point.side === 'prediction', lines: linesOf(point, boundary)}));
  legend(key, [...curves.map((curve) => ({path: curve.path, colour: curve.colour, text: curve.name})),
    {line: 'curve', colour: 'var(--muted)', text: 'line, hollow: predicted'},
    ...(sides[1].length ? [{path: curves[0].path, colour: 'var(--muted)', text: 'filled: measured'}] : []),
    ...slopes.map(({style, text}) => ({line: `reference ${style}`, colour: 'var(--muted)', text}))]);
  drawTable(table, curves, boundary);
  return drawCurves(chart, {testid: 'curve-bytes', label: `${boundaryName(boundary)} bytes of a head against N`, x, y, yLabel: 'bytes for each head',
    yFormat: format.bytesTick, references: slopes, marks, curves: sides[0].map(({curve, points}) => ({colour: curve.colour, points}))}, store);
}

function drawTable(root, curves, boundary) {
  const rows = curves.flatMap((curve) => curve.entries.map((entry) => ({...entry, curve})));
  simpleTable(root, {testid: 'curve-bytes-table', caption: `${boundaryName(boundary)} bytes for each head, read + write`, rows,
    rowAttributes: (row) => ({'data-index': row.record.index}), columns: [
      {name: 'implementation', key: 'name', value: (row) => row.curve.name}, {name: 'N', key: 'n', numeric: true, value: (row) => row.n},
      {name: 'tile', key: 'tile', value: (row) => tile(row.record.point)},
      ...Object.entries(SIDES).map(([side, name]) => ({name: `${name} (MB)`, key: side, numeric: true, value: (row) => perHead(row.record, side, boundary),
        text: format.column(rows.map((row) => perHead(row.record, side, boundary)), 1e6)}))]});
}
