// What the charts over sequence length share: the records of one slice at one tile, split into one curve for
// each implementation.
import {select as choose} from 'd3-selection';
import {line} from 'd3-shape';

import {axes, canvas, drawMarks, shapeOf} from './chart.js';
import {algorithmColour, distinct, filtered, tile} from './data.js';
import {append} from './dom.js';
import {facetName} from './slices.js';

const SIZE = [560, 400];
export const AREA = {left: 78, right: SIZE[0] - 30, top: 28, bottom: SIZE[1] - 48};

// Tiles of a data set from the smallest to the largest.
export function tiles(data) {
  const order = (a, b) => a.br - b.br || a.bc - b.bc;
  return [...new Set(data.records.map((record) => record.point).sort(order).map(tile))];
}

// N of a slice is what varies in it: the rows of K and V where those of Q stay (decoding), else those of Q.
function lengthOf(records) {
  const count = (field) => distinct(records.map((record) => record.point[field])).length;
  return count('seqlen_kv') > count('seqlen_q') ? 'seqlen_kv' : 'seqlen_q';
}

// An implementation without the chosen tile is shown at its own, if it has but one.
function atTile(records, wanted) {
  const chosen = records.filter((record) => tile(record.point) === wanted);
  const own = [...new Set(records.map((record) => tile(record.point)))];
  return chosen.length || own.length > 1 ? chosen : records;
}

// {name, colour, path, entries: [{record, n}]} for each implementation, by N. Two records with one N are told
// apart by the other length or the batch: each gets a curve of its own.
export function curvesOf(data, part, state) {
  const shown = new Set(filtered(data, state));
  const records = part.records.filter((record) => shown.has(record) && record.status !== 'failed');
  const field = lengthOf(records);
  const curves = [];
  for (const name of new Set(records.map(facetName))) {
    const own = atTile(records.filter((record) => facetName(record) === name), state.tile);
    const crowded = new Set(own.map((record) => record.point[field])).size < own.length;
    const other = field === 'seqlen_q' ? 'seqlen_kv' : 'seqlen_q';
    const key = (record) => (crowded ? `${record.point[other]} ${record.point.batch}` : '');
    for (const each of new Set(own.map(key))) {
      const members = own.filter((record) => key(record) === each).sort((a, b) => a.point[field] - b.point[field]);
      const {algorithm} = members[0].point;
      curves.push({name, algorithm, colour: algorithmColour(data, algorithm), path: shapeOf(data, members[0].point),
        entries: members.map((record) => ({record, n: record.point[field]}))});
    }
  }
  return curves;
}

// N's own values as ticks, thinned so that their labels do not meet.
function lengthTicks(x, values) {
  const ticks = [];
  for (const value of values) {
    if (!ticks.length || x(value) - x(ticks.at(-1)) > 46) ticks.push(value);
  }
  return ticks;
}

// A chart over N. `curves` are {colour, dashed, points: [{n, value}]}, `references` the same without colour;
// `marks` are {record, n, value, path, colour, hollow, kind, lines}.
export function drawCurves(root, {testid, label, x, y, yLabel, yFormat, curves, references = [], marks}, store) {
  const [width, height] = SIZE;
  const svg = canvas(root, {testid, label, width, height});
  const lengths = distinct(marks.map((mark) => mark.n));
  axes(svg, {x, y, area: AREA, xLabel: 'N', yLabel, xFormat: String, yFormat, xTicks: lengthTicks(x, lengths)});
  const clip = `clip-${testid}`;
  append(append(svg, 'clipPath', {id: clip}), 'rect', {x: AREA.left, y: AREA.top, width: AREA.right - AREA.left, height: AREA.bottom - AREA.top});
  const path = (points) => line()(points.map(({n, value}) => [x(n), y(value)]));
  for (const {points, style} of references) {
    append(svg, 'path', {class: `reference ${style ?? ''}`, 'clip-path': `url(#${clip})`, d: path(points)});
  }
  for (const {colour, dashed, points} of curves) {
    append(svg, 'path', {class: `curve${dashed ? ' dashed' : ''}`, d: path(points), style: `stroke:${colour}`});
  }
  drawMarks(svg, marks.map((mark) => ({...mark, x: x(mark.n), y: y(mark.value), xValue: mark.n, yValue: mark.value})), store);
  return svg;
}

export function markRows(box, point) {
  choose(box).selectAll('tr[data-index]').classed('selected', function () { return this.dataset.index === point; });
}
