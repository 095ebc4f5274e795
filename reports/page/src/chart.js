// What the charts share: logarithmic axes, marks that answer to mouse and keyboard, legends.
import {axisBottom, axisLeft} from 'd3-axis';
import {scaleLinear, scaleLog} from 'd3-scale';
import {select} from 'd3-selection';
import {symbol, symbolCircle, symbolCross, symbolDiamond, symbolSquare, symbolStar, symbolTriangle, symbolWye} from 'd3-shape';

import {isUnfused} from './data.js';
import {append, tooltip} from './dom.js';
import {extent} from './format.js';

const LARGEST_MARK_COUNT = 2000;
export const CIRCLE = symbol(symbolCircle, 46)();
export const TRIANGLE = symbol(symbolTriangle, 42)();
export const RING = symbol(symbolCircle, 220)();

// Unfused algorithms have triangles or what is pointed, fused ones circles or what is not; variants of one algorithm, which
// share its colour, have shapes of their own.
const POINTED = [TRIANGLE, symbol(symbolStar, 48)(), symbol(symbolWye, 46)()];
const ROUND = [CIRCLE, symbol(symbolSquare, 42)(), symbol(symbolDiamond, 42)(), symbol(symbolCross, 42)()];
export function shapeOf(data, point) {
  const shapes = isUnfused(data, point) ? POINTED : ROUND;
  return shapes[data.variants.get(point.algorithm).indexOf(point.variant) % shapes.length];
}

// Evenly thinned, so that a sweep of 100,000 points still opens; the caller says how many are left out.
export function thin(list, keep) {
  const step = Math.ceil(list.length / LARGEST_MARK_COUNT);
  return step <= 1 ? list : list.filter((item, i) => i % step === 0 || keep(item));
}

export function thinNote(shown, all) {
  return shown === all ? '' : ` Every ${Math.ceil(all / LARGEST_MARK_COUNT)}th of ${all} marks is drawn.`;
}

export function canvas(parent, {testid, label, width, height}) {
  return append(parent, 'svg', {
    'data-testid': testid, viewBox: `0 0 ${width} ${height}`, width: '100%', role: 'group', 'aria-label': label,
    style: `max-width:${width}px`
  });
}

// A logarithmic scale around the values with a little air.
export function logScale(values, range, air = 1.3) {
  const [low, high] = extent(values);
  return scaleLog([low / air, high * air], range);
}

// Of 1 to 9 of each decade, 1, 2 and 5, or 1 alone the most whose labels do not meet: `room` pixels each. Within less than
// a decade these may leave less than two, and then round steps have to do.
export function logTicks(scale, room) {
  const [low, high] = scale.domain();
  const [from, to] = scale.range();
  const decade = Math.abs(to - from) / Math.log10(high / low);
  const wanted = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1]].find((digits) => Math.log10(digits.length > 1 ? 10 / digits.at(-1) : 10) * decade >= room) ?? [1];
  const ticks = scale.ticks().filter((tick) => wanted.includes(Math.round(tick / 10 ** Math.floor(Math.log10(tick * 1.0001)))));
  return ticks.length > 1 ? ticks : scaleLinear(scale.domain(), scale.range()).ticks(4);
}

export function axes(svg, {x, y, xLabel, yLabel, xFormat, yFormat, area, xTicks}) {
  const {left, right, top, bottom} = area;
  const root = select(svg);
  const ticks = (scale, room) => (scale.base ? logTicks(scale, room) : scale.ticks(6));
  root.append('g').attr('class', 'axis').attr('transform', `translate(0,${bottom})`)
    .call(axisBottom(x).tickValues(xTicks ?? ticks(x, 62)).tickFormat(xFormat).tickSizeInner(top - bottom).tickSizeOuter(0).tickPadding(7));
  root.append('g').attr('class', 'axis').attr('transform', `translate(${left},0)`)
    .call(axisLeft(y).tickValues(ticks(y, 24)).tickFormat(yFormat).tickSizeInner(left - right).tickSizeOuter(0).tickPadding(7));
  root.append('text').attr('class', 'axis-label').attr('x', (left + right) / 2).attr('y', bottom + 38)
    .attr('text-anchor', 'middle').text(xLabel);
  root.append('text').attr('class', 'axis-label').attr('x', left).attr('y', top - 10).attr('text-anchor', 'start').text(yLabel);
}

// Marks: {record, x, y, path, colour, hollow, lines}. One mark of the chart is in the tab order; arrow keys move
// between marks from left to right, Enter or Space selects, Escape clears.
export function drawMarks(svg, marks, store) {
  const tip = tooltip();
  const ordered = [...marks].sort((a, b) => a.x - b.x || a.y - b.y);
  const group = append(svg, 'g', {class: 'marks'});
  const nodes = select(group).selectAll('path').data(ordered).join('path')
    .attr('class', 'mark').attr('d', (m) => m.path).attr('transform', (m) => `translate(${m.x},${m.y})`)
    .attr('data-index', (m) => m.record.index).attr('data-kind', (m) => m.kind)
    .attr('data-x', (m) => m.xValue).attr('data-y', (m) => m.yValue).attr('data-measured', (m) => !m.hollow)
    .style('fill', (m) => (m.hollow ? 'var(--surface)' : m.colour)).style('stroke', (m) => m.colour)
    .attr('role', 'button').attr('aria-label', (m) => m.lines.join(', ')).attr('tabindex', (m, i) => (i === 0 ? 0 : -1));
  listenToMarks(nodes, store, tip, (m) => m.record.index, (m) => m.lines,
    (i, key) => ({ArrowRight: i + 1, ArrowDown: i + 1, ArrowLeft: i - 1, ArrowUp: i - 1}[key]));
  append(svg, 'g', {class: 'rings'});
  return nodes;
}

// `step(i, key)` gives the number of the mark that an arrow key leads to.
export function listenToMarks(nodes, store, tip, indexOf, linesOf, step) {
  const all = nodes.nodes();
  const focus = (i) => {
    if (!all[i]) return;
    all.forEach((node) => node.setAttribute('tabindex', '-1'));
    all[i].setAttribute('tabindex', '0');
    all[i].focus();
  };
  nodes
    .on('click', (event, m) => store.toggle(indexOf(m)))
    .on('mouseenter focus', (event, m) => tip.show(event.currentTarget, linesOf(m)))
    .on('mouseleave blur', () => tip.hide())
    .on('keydown', (event, m) => {
      const i = all.indexOf(event.currentTarget);
      const target = {Home: 0, End: all.length - 1}[event.key] ?? step(i, event.key);
      if (target !== undefined) focus(target);
      else if (event.key === 'Enter' || event.key === ' ') store.toggle(indexOf(m));
      else if (event.key === 'Escape') store.set({point: ''});
      else return;
      event.preventDefault();
    });
}

// A ring lies over the selected marks; the marks themselves stay where they are, so that focus is kept.
export function showSelection(svg, point) {
  const marks = select(svg).selectAll('.mark');
  marks.classed('selected', (m) => String(m.record.index) === point)
    .attr('aria-pressed', (m) => String(m.record.index) === point);
  select(svg).select('.rings').selectAll('path').data(marks.data().filter((m) => String(m.record.index) === point))
    .join('path').attr('class', 'ring').attr('d', RING).attr('transform', (m) => `translate(${m.x},${m.y})`);
}

// Legend entries: {colour, path, hollow, line, text, testid, faint}.
export function legend(parent, entries) {
  const list = append(parent, 'ul', {class: 'legend'});
  for (const entry of entries) {
    const item = append(list, 'li', {'data-testid': entry.testid, class: entry.faint ? 'faint' : null});
    const swatch = append(item, 'svg', {width: 22, height: 14, viewBox: '-11 -7 22 14', 'aria-hidden': 'true'});
    if (entry.path) {
      append(swatch, 'path', {class: 'mark', d: entry.path,
        style: `fill:${entry.hollow ? 'var(--surface)' : entry.colour};stroke:${entry.colour}`});
    } else {
      append(swatch, 'line', {x1: -10, x2: 10, class: entry.line, style: `stroke:${entry.colour}`});
    }
    append(item, 'span', {}, entry.text);
  }
  return list;
}
