// Bytes and times against sequence length, for one slice of the data at one tile.
import {showSelection} from './chart.js';
import {boundCurve, speedupCurve} from './time_curves.js';
import {bytesCurve} from './bytes_curve.js';
import {curvesOf, markRows, tiles} from './curves.js';
import {append, clear, selector, twin} from './dom.js';
import {slices} from './slices.js';

const FIGURES = [['Bytes', bytesCurve], ['Speed-up over unfused attention', speedupCurve], ['Measured time against its lower bound', boundCurve]];

function figure(root, title) {
  const box = append(root, 'div', {class: 'figure'});
  append(box, 'h3', {}, title);
  const parts = {note: append(box, 'div'), key: append(box, 'div'), chart: append(box, 'div')};
  const table = twin(box);
  return {...parts, table, box};
}

export function scaling(root, data, store) {
  const controls = append(root, 'div', {class: 'controls'});
  const parts = slices(data);
  const sliceControl = selector(controls, {testid: 'scaling-slice', label: 'Slice', options: parts.map((part) => [part.key, part.key || 'all points']),
    value: store.get().slice, onChange: (slice) => store.set({slice})});
  const tileControl = selector(controls, {testid: 'scaling-tile', label: 'Tile', options: tiles(data).map((name) => [name, name]),
    value: store.get().tile, onChange: (tile) => store.set({tile})});
  const grid = append(root, 'div', {class: 'pair'});
  const figures = FIGURES.map(([title, draw]) => ({draw, ...figure(grid, title)}));
  let svgs = [];

  function select(state) {
    svgs.forEach((svg) => showSelection(svg, state.point));
    figures.forEach(({table}) => markRows(table, state.point));
  }

  function draw(state) {
    const part = parts.find((candidate) => candidate.key === state.slice) ?? parts[0];
    if (!part) return;
    sliceControl.value = part.key;
    tileControl.value = state.tile;
    const curves = curvesOf(data, part, state);
    svgs = [];
    for (const {draw: drawFigure, note, key, chart, table, box} of figures) {
      [note, key, chart, table].forEach(clear);
      const svg = drawFigure({data, note, key, chart, table}, curves, state, store);
      box.classList.toggle('empty', !svg);
      if (svg) svgs.push(svg);
    }
    select(state);
  }
  return {draw, select};
}
