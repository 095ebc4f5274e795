// Predicted against measured bytes, log-log, with the error of the same points beside it: on a logarithmic
// diagonal an error of 3 % cannot be seen.
import {scaleLinear} from 'd3-scale';
import {select as choose} from 'd3-selection';
import {line} from 'd3-shape';

import {axes, canvas, CIRCLE, drawMarks, legend, logScale, showSelection, thin, thinNote, TRIANGLE} from './chart.js';
import {algorithmColour, boundaryName, boundaryWord, bytesAt, filtered} from './data.js';
import {append, clear, simpleTable, twin} from './dom.js';
import * as format from './format.js';

const SHAPES = {read: CIRCLE, write: TRIANGLE};

function comparisons(records, boundary) {
  return records.flatMap((record) => ['read', 'write'].map((way) => ({
    record, way,
    predicted: bytesAt(record, 'prediction', boundary, way),
    measured: bytesAt(record, 'measurement', boundary, way),
    error: record.error[`${boundary}_${way}`] ?? undefined,
  }))).filter((entry) => entry.predicted > 0 && entry.measured > 0);
}

const linesOf = (entry) => [entry.record.label, `${entry.way}: predicted ${format.bytes(entry.predicted, 4)}, ` +
  `measured ${format.bytes(entry.measured, 4)}`, entry.error === undefined ? '' : `error ${format.signedPercent(entry.error)} %`];

function toMark(data, entry, x, y, yValue) {
  return {record: entry.record, kind: entry.way, path: SHAPES[entry.way], colour: algorithmColour(data, entry.record.point.algorithm),
    x: x(entry.measured), y: y(yValue), xValue: entry.measured, yValue, lines: linesOf(entry).filter(Boolean)};
}

function drawParity(root, data, entries, name, store) {
  const [width, height] = [560, 430];
  const area = {left: 70, right: width - 34, top: 28, bottom: height - 48};
  const svg = canvas(root, {testid: 'parity', label: `Predicted against measured ${name} bytes`, width, height});
  const all = entries.flatMap((entry) => [entry.predicted, entry.measured]);
  const x = logScale(all, [area.left, area.right]);
  const y = logScale(all, [area.bottom, area.top]);
  axes(svg, {x, y, area, xLabel: 'measured bytes', yLabel: 'predicted bytes', xFormat: format.bytesTick, yFormat: format.bytesTick});
  append(svg, 'path', {class: 'reference', d: line()(x.domain().map((value) => [x(value), y(value)]))});
  drawMarks(svg, entries.map((entry) => toMark(data, entry, x, y, entry.predicted)), store);
  return svg;
}

function drawErrors(root, data, entries, name, store) {
  const [width, height] = [560, 430];
  const area = {left: 70, right: width - 34, top: 28, bottom: height - 48};
  const svg = canvas(root, {testid: 'parity-error', label: `Error of predicted ${name} bytes`, width, height});
  const known = entries.filter((entry) => entry.error !== undefined);
  const x = logScale(entries.map((entry) => entry.measured), [area.left, area.right]);
  const errors = known.map((entry) => entry.error * 100);
  // Errors that all print as 0.00 % keep a scale.
  const y = scaleLinear(format.extent([-0.01, 0.01, ...errors]), [area.bottom - 8, area.top + 8]).nice();
  axes(svg, {x, y, area, xLabel: 'measured bytes', yLabel: 'error, predicted / measured − 1 (%)', xFormat: format.bytesTick,
    yFormat: (value) => (value === 0 ? '0' : `${value < 0 ? '\u2212' : '+'}${Number(Math.abs(value).toPrecision(3))}`)});
  append(svg, 'line', {class: 'reference', x1: area.left, x2: area.right, y1: y(0), y2: y(0)});
  drawMarks(svg, known.map((entry) => toMark(data, entry, x, y, entry.error * 100)), store);
  return svg;
}

export function parity(root, data, store) {
  const note = append(root, 'p', {class: 'note', 'data-testid': 'parity-note'});
  const key = append(root, 'div');
  const charts = append(root, 'div', {class: 'pair'});
  const twinBox = twin(root);
  let svgs = [];

  function select(state) {
    svgs.forEach((svg) => showSelection(svg, state.point));
    choose(twinBox).selectAll('tr[data-index]').classed('selected', function () { return this.dataset.index === state.point; });
  }

  function draw(state) {
    [key, charts, twinBox].forEach(clear);
    const name = boundaryWord(state.boundary);
    const all = comparisons(filtered(data, state), state.boundary);
    const entries = thin(all, (entry) => String(entry.record.index) === state.point);
    svgs = [];
    note.textContent = all.length
      ? `On the dashed line prediction and counter agree.${thinNote(entries.length, all.length)}`
      : `No point in view has both a predicted and a measured ${name} count.`;
    if (!all.length) return;
    const algorithms = data.algorithms.filter((algorithm) => entries.some((entry) => entry.record.point.algorithm === algorithm));
    legend(key, [...algorithms.map((algorithm) => ({path: CIRCLE, colour: algorithmColour(data, algorithm), text: algorithm})),
      {path: CIRCLE, colour: 'var(--muted)', text: 'read'}, {path: TRIANGLE, colour: 'var(--muted)', text: 'write'}]);
    svgs = [drawParity(charts, data, entries, name, store), drawErrors(charts, data, entries, name, store)];
    drawTwin(twinBox, entries, state.boundary);
    select(state);
  }
  return {draw, select};
}

function drawTwin(root, entries, boundary) {
  const size = (side) => ({name: `${side} (GB)`, key: side, numeric: true, value: (entry) => entry[side], text: format.column(entries.map((entry) => entry[side]), 1e9)});
  simpleTable(root, {testid: 'parity-table', caption: `${boundaryName(boundary)} bytes`, rows: entries,
    rowAttributes: (entry) => ({'data-index': entry.record.index}),
    columns: [{name: 'point', key: 'point', value: (entry) => entry.record.label}, {name: 'direction', key: 'way', value: (entry) => entry.way},
      size('predicted'), size('measured'),
      {name: 'error %', key: 'error', numeric: true, value: (entry) => entry.error, text: format.signedPercent}]});
}
