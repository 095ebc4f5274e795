// How the errors are spread at every boundary, for each implementation: a histogram on a symmetric logarithmic
// axis, the worst points as marks, and all of it as numbers. What failed computes something else and is left out.
import {scaleSymlog} from 'd3-scale';
import {select as choose} from 'd3-selection';

import {canvas, CIRCLE, drawMarks, legend, RING, TRIANGLE} from './chart.js';
import {algorithmColour, BOUNDARIES, filtered, l2Parts} from './data.js';
import {append, clear, simpleTable, tooltip, twin} from './dom.js';
import * as format from './format.js';
import {facetName} from './slices.js';

const SHAPES = {read: CIRCLE, write: TRIANGLE};
const WORST = 3;
const [WIDTH, ROW, RIGHT, TOP] = [1040, 48, 800, 34];
const BIN = 9;  // pixels
const nameOf = (summary) => `${summary.boundary.name} · ${summary.name}`;
const SMALLEST = 0.0001;  // 0.01 %: nothing below it is told apart, as the table prints two decimals

// The smallest value that at least this share of the sorted values do not exceed (nearest rank).
const quantile = (sorted, share) => sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1];

function summaryOf(boundary, name, records) {
  const entries = records.flatMap((record) => Object.keys(SHAPES).map((way) => ({record, way, error: record.error[`${boundary.key}_${way}`] ?? undefined})))
    .filter((entry) => entry.error !== undefined);
  const sizes = entries.map((entry) => Math.abs(entry.error)).sort((a, b) => a - b);
  const worst = [...entries].sort((a, b) => Math.abs(b.error) - Math.abs(a.error));
  return {boundary, name, algorithm: records[0]?.point.algorithm, entries, worst, count: entries.length,
    mean: sizes.reduce((sum, size) => sum + size, 0) / sizes.length, median: quantile(sizes, 0.5), p95: quantile(sizes, 0.95)};
}

export function errorSummaries(data, records) {
  const ok = records.filter((record) => record.status === 'ok');
  const names = [...new Set(ok.map(facetName))];
  return BOUNDARIES.flatMap((boundary) => names.flatMap((name) => l2Parts(data, boundary.key).map((part) =>
    summaryOf(boundary, [name, part.text].filter(Boolean).join(' · '), ok.filter((record) => facetName(record) === name && part.holds(record))))))
    .filter((summary) => summary.count);
}

const percentTick = (value) => (value === 0 ? '0' : `${value < 0 ? '\u2212' : '+'}${Math.abs(value * 100)}`);

// 0, then decades of per cent outwards as far as the data goes, none closer to the last than its label is wide.
function ticksOf(x) {
  const ticks = [0];
  const [low, high] = x.domain();
  for (const sign of [-1, 1]) {
    let last = x(0);
    for (let size = SMALLEST; size <= 1e4; size *= 10) {
      const value = sign * Number(size.toPrecision(1));
      if (value < low || value > high || Math.abs(x(value) - last) < 44) continue;
      ticks.push(value);
      last = x(value);
    }
  }
  return ticks;
}

// Bins of equal width on the page; 0 is the middle of one.
function binsOf(summary, x) {
  const bins = new Map();
  for (const entry of summary.entries) {
    const at = Math.round((x(entry.error) - x(0)) / BIN);
    bins.set(at, (bins.get(at) ?? 0) + 1);
  }
  return [...bins].sort(([a], [b]) => a - b).map(([at, count]) => ({at, count, from: x.invert(x(0) + (at - 0.5) * BIN), to: x.invert(x(0) + (at + 0.5) * BIN)}));
}

function drawAxis(svg, x, left, bottom) {
  for (const tick of ticksOf(x)) {
    append(svg, 'line', {class: 'gridline', x1: x(tick), x2: x(tick), y1: TOP, y2: bottom});
    append(svg, 'text', {class: 'tick', x: x(tick), y: bottom + 16, 'text-anchor': 'middle'}, percentTick(tick));
  }
  append(svg, 'text', {class: 'axis-label', x: (left + RIGHT) / 2, y: bottom + 36, 'text-anchor': 'middle'}, 'error, predicted / measured − 1 (%)');
  append(svg, 'text', {class: 'axis-label', x: RIGHT + 20, y: TOP - 12}, 'mean · 95 % · worst (%)');
}

function drawRow(svg, data, summary, x, {left, y, largest}) {
  const tip = tooltip();
  append(svg, 'text', {class: 'tick', x: left - 14, y: y + ROW / 2 + 4, 'text-anchor': 'end'}, nameOf(summary));
  for (const bin of binsOf(summary, x)) {
    const height = (ROW - 14) * Math.log1p(bin.count) / Math.log1p(largest);
    const bar = append(svg, 'rect', {class: 'bar', x: x(0) + bin.at * BIN - BIN / 2 + 0.5, width: BIN - 1, y: y + ROW - 8 - height, height,
      'data-count': bin.count, 'data-row': `${summary.boundary.key} ${summary.name}`, style: `fill:${algorithmColour(data, summary.algorithm)}`});
    choose(bar).on('mouseenter', () => tip.show(bar, [nameOf(summary), `${bin.count} of ${summary.count} errors from ${format.signedPercent(bin.from)} to ${format.signedPercent(bin.to)} %`]))
      .on('mouseleave', () => tip.hide());
  }
  append(svg, 'line', {class: 'gridline strong', x1: left, x2: RIGHT, y1: y + ROW - 8, y2: y + ROW - 8});
  append(svg, 'text', {class: 'tick', x: RIGHT + 20, y: y + ROW / 2 + 4},
    `${(summary.mean * 100).toFixed(2)} · ${(summary.p95 * 100).toFixed(2)} · ${format.signedPercent(summary.worst[0].error)}`);
}

const placeOf = (entry, x, y) => ({x: x(entry.error), y: y + ROW - 8});

function marksOf(data, summary, x, y) {
  return summary.worst.slice(0, WORST).map((entry) => ({...entry, ...placeOf(entry, x, y), kind: entry.way, path: SHAPES[entry.way], hollow: true, xValue: entry.error,
    yValue: `${summary.boundary.key} ${summary.name}`, colour: algorithmColour(data, summary.algorithm),
    lines: [entry.record.label, `${summary.boundary.name} ${entry.way}: error ${format.signedPercent(entry.error)} %`]}));
}

export function errors(root, data, store) {
  const note = append(root, 'p', {class: 'note', 'data-testid': 'errors-note'});
  const key = append(root, 'div');
  const chart = append(root, 'div');
  const listBox = append(root, 'div');
  const twinBox = twin(root);
  let drawn;  // {svg, x, summaries}

  // Rings stand at all errors of the selected point, whether it is among the worst or not.
  function select(state) {
    if (!drawn) return;
    const chosen = (record) => String(record.index) === state.point;
    choose(drawn.svg).selectAll('.mark').classed('selected', (m) => chosen(m.record)).attr('aria-pressed', (m) => chosen(m.record));
    const places = drawn.summaries.flatMap((summary, i) => summary.entries.filter((entry) => chosen(entry.record))
      .map((entry) => ({...placeOf(entry, drawn.x, TOP + i * ROW), record: entry.record})));
    choose(drawn.svg).select('.rings').selectAll('path').data(places).join('path').attr('class', 'ring').attr('d', RING).attr('transform', (m) => `translate(${m.x},${m.y})`);
    for (const box of [listBox, twinBox]) choose(box).selectAll('tr[data-index]').classed('selected', function () { return this.dataset.index === state.point; });
  }

  function draw(state) {
    [key, chart, listBox, twinBox].forEach(clear);
    drawn = undefined;
    const summaries = errorSummaries(data, filtered(data, state));
    note.textContent = summaries.length ? `Height: number of errors, logarithmic. Marks: the ${WORST} largest errors of each row. The axis is logarithmic on both sides of 0. Failed points are left out.`
      : 'No point in view was measured.';
    if (!summaries.length) return;
    const [low, high] = format.extent([-SMALLEST * 3, SMALLEST * 3, ...summaries.flatMap((summary) => summary.entries.map((entry) => entry.error))]);
    // Room for the row labels: letters of the 12 px font are 7 px wide on average.
    const left = 24 + 7 * Math.max(...summaries.map((summary) => nameOf(summary).length));
    const x = scaleSymlog([low * 1.3, high * 1.3], [left + 12, RIGHT - 12]).constant(SMALLEST);
    const bottom = TOP + summaries.length * ROW;
    const svg = canvas(chart, {testid: 'errors', label: 'Distribution of errors by boundary and implementation', width: WIDTH, height: bottom + 48});
    drawAxis(svg, x, left, bottom);
    const largest = format.extent(summaries.flatMap((summary) => binsOf(summary, x).map((bin) => bin.count)))[1];
    summaries.forEach((summary, i) => drawRow(svg, data, summary, x, {left, y: TOP + i * ROW, largest}));
    drawMarks(svg, summaries.flatMap((summary, i) => marksOf(data, summary, x, TOP + i * ROW)), store);
    legend(key, [{path: CIRCLE, hollow: true, colour: 'var(--muted)', text: 'read'}, {path: TRIANGLE, hollow: true, colour: 'var(--muted)', text: 'write'}]);
    drawn = {svg, x, summaries};
    drawWorst(listBox, summaries, store);
    drawTwins(twinBox, summaries, x);
    select(state);
  }
  return {draw, select};
}

const percentColumn = (name, key) => ({name: `${name} %`, key, numeric: true, value: (row) => row[key], text: (value) => (value * 100).toFixed(2)});
const rowColumns = [{name: 'boundary', key: 'boundary', value: (row) => row.boundary.name}, {name: 'implementation', key: 'name', value: (row) => row.name}];

// Errors that print as 0.00 have no worst point worth a line.
function drawWorst(root, summaries, store) {
  const rows = summaries.flatMap((summary) => summary.worst.slice(0, WORST).filter((entry) => Math.abs(entry.error) >= SMALLEST / 2).map((entry) => ({...summary, ...entry})));
  if (!rows.length) return;
  const table = simpleTable(root, {testid: 'errors-worst', caption: 'The largest errors of each row', rows, rowAttributes: (row) => ({'data-index': row.record.index}),
    columns: [...rowColumns, {name: 'direction', key: 'way', value: (row) => row.way},
      {name: 'error %', key: 'error', numeric: true, value: (row) => row.error, text: format.signedPercent}, {name: 'point', key: 'point', value: (row) => row.record.label}]});
  [...table.tBodies[0].rows].forEach((line, i) => {
    const box = line.querySelector('[data-column=point]');
    clear(box);
    append(box, 'button', {class: 'link'}, rows[i].record.label).addEventListener('click', () => store.choose(rows[i].record.index));
  });
}

function drawTwins(root, summaries, x) {
  simpleTable(root, {testid: 'errors-table', caption: 'Errors by boundary and implementation, reads and writes alike', rows: summaries, columns: [...rowColumns,
    {name: 'errors', key: 'count', numeric: true, value: (row) => row.count}, percentColumn('mean |error|', 'mean'), percentColumn('median |error|', 'median'),
    percentColumn('95 % of |error|', 'p95'), {name: 'worst error %', key: 'worst', numeric: true, value: (row) => row.worst[0].error, text: format.signedPercent},
    {name: 'at', key: 'at', value: (row) => `${row.worst[0].way}: ${row.worst[0].record.label}`}]});
  simpleTable(root, {testid: 'errors-bins', caption: 'The bars', rows: summaries.flatMap((summary) => binsOf(summary, x).map((bin) => ({...summary, bin}))), columns: [...rowColumns,
    {name: 'from %', key: 'from', numeric: true, value: (row) => row.bin.from, text: format.signedPercent}, {name: 'to %', key: 'to', numeric: true, value: (row) => row.bin.to, text: format.signedPercent},
    {name: 'errors', key: 'bin-count', numeric: true, value: (row) => row.bin.count}]});
}
