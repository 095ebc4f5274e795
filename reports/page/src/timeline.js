// A replay over time: where reads are found, what is live, and how many heads are read at once.
import {scaleLinear} from 'd3-scale';
import {line} from 'd3-shape';

import {axes, canvas, legend} from './chart.js';
import {append, simpleTable, tooltip, twin} from './dom.js';
import * as format from './format.js';

const SIZE = [560, 300];
const AREA = {left: 78, right: SIZE[0] - 30, top: 28, bottom: SIZE[1] - 48};
const MIB = 2 ** 20;
const COLUMNS = ['near_bytes', 'home_bytes', 'dram_bytes', 'written_bytes', 'live_bytes', 'live_cached_bytes', 'cached_bytes', 'heads'];

// One object for each step, with the bytes between L2 and SMs before and after it.
export function stepsOf(replay) {
  let moved = 0;
  return replay.launches.flatMap((launch) => launch.near_bytes.map((_, number) => {
    const step = {launch: launch.launch, number, ...Object.fromEntries(COLUMNS.map((name) => [name, launch[name][number]]))};
    const reads = step.near_bytes + step.home_bytes + step.dram_bytes;
    const begin = moved;
    moved += reads + step.written_bytes;
    return {...step, begin, end: moved, hit: reads ? (step.near_bytes + step.home_bytes) / reads : undefined, near: reads ? step.near_bytes / reads : undefined};
  }));
}

// Series: {name, colour, line, value(step)}; each step is a level, so that nothing between two steps is made up.
function drawSteps(root, {testid, label, yLabel, yFormat, series, highest, level}, steps) {
  const svg = canvas(root, {testid, label, width: SIZE[0], height: SIZE[1]});
  const x = scaleLinear([0, steps.at(-1).end], [AREA.left, AREA.right]);
  const y = scaleLinear([0, highest * 1.05], [AREA.bottom, AREA.top]);
  axes(svg, {x, y, area: AREA, xLabel: 'bytes between L2 and SMs', yLabel, xFormat: format.bytesTick, yFormat, xTicks: x.ticks(6).slice(1)});
  for (const step of steps) {
    if (step.number === 0 && step.begin > 0) append(svg, 'line', {class: 'gridline strong', x1: x(step.begin), x2: x(step.begin), y1: AREA.top, y2: AREA.bottom, 'data-launch': step.launch});
  }
  if (level) append(svg, 'line', {class: 'reference', x1: AREA.left, x2: AREA.right, y1: y(level), y2: y(level), 'data-value': level});
  for (const {key, colour, line: style, value} of series) {
    const ends = steps.flatMap((step) => (value(step) === undefined ? [[NaN, NaN]] : [[x(step.begin), y(value(step))], [x(step.end), y(value(step))]]));
    append(svg, 'path', {class: style, 'data-key': key, d: line().defined(([left]) => !Number.isNaN(left))(ends), style: `stroke:${colour}`});
  }
  const tip = tooltip();
  for (const step of steps) {
    const area = append(svg, 'rect', {class: 'step', x: x(step.begin), y: AREA.top, width: x(step.end) - x(step.begin), height: AREA.bottom - AREA.top});
    area.addEventListener('mouseenter', () => tip.show(area, linesOf(step)));
    area.addEventListener('mouseleave', () => tip.hide());
  }
}

const mib = (value) => `${format.grouped((value / MIB).toFixed(1))} MiB`;
const linesOf = (step) => [`${step.launch}, step ${step.number + 1}`, step.hit === undefined ? 'nothing is read' : `hit rate ${format.percent(step.hit)}`,
  `live ${mib(step.live_bytes)}, of it cached ${mib(step.live_cached_bytes)}`, `cached ${mib(step.cached_bytes)}`, step.heads ? `${step.heads} heads in flight` : ''];

const FOUND = [{key: 'hit', name: 'in the L2 (hit rate)', colour: 'var(--series-1)', line: 'curve', value: (step) => step.hit && step.hit * 100},
  {key: 'near', name: 'on the SM’s own side', colour: 'var(--series-5)', line: 'curve dashed', value: (step) => step.near && step.near * 100}];
const LIVE = [{key: 'live', name: 'live: used before, and read again later', colour: 'var(--series-0)', line: 'curve', value: (step) => step.live_bytes / MIB},
  {key: 'live-cached', name: 'live and cached', colour: 'var(--series-2)', line: 'curve', value: (step) => step.live_cached_bytes / MIB},
  {key: 'cached', name: 'cached', colour: 'var(--muted)', line: 'curve dashed', value: (step) => step.cached_bytes / MIB}];
const HEADS = [{key: 'heads', name: 'heads that CTAs in flight read', colour: 'var(--series-3)', line: 'curve', value: (step) => step.heads}];

function figure(root, title, series, level) {
  const box = append(root, 'div', {class: 'figure'});
  append(box, 'h3', {}, title);
  legend(box, [...series.map(({name, colour, line: style}) => ({line: style, colour, text: name})), ...(level ? [{line: 'reference', colour: 'var(--muted)', text: level}] : [])]);
  return box;
}

function stepsTable(root, steps) {
  const bytesColumn = (key, name) => ({name: `${name} (MiB)`, key, numeric: true, value: (step) => step[key], text: (value) => (value / MIB).toFixed(2)});
  simpleTable(twin(root), {testid: 'timeline-table', caption: 'Steps of equal shares of each launch’s tile accesses', rows: steps, columns: [
    {name: 'launch', key: 'launch', value: (step) => step.launch}, {name: 'step', key: 'number', numeric: true, value: (step) => step.number + 1},
    bytesColumn('near_bytes', 'found near'), bytesColumn('home_bytes', 'at home'), bytesColumn('dram_bytes', 'in DRAM'), bytesColumn('written_bytes', 'written'),
    {name: 'hit rate', key: 'hit', numeric: true, value: (step) => step.hit, text: format.percent},
    bytesColumn('live_bytes', 'live'), bytesColumn('live_cached_bytes', 'live, cached'), bytesColumn('cached_bytes', 'cached'),
    {name: 'heads', key: 'heads', numeric: true, value: (step) => step.heads},
  ]});
}

export function timeline(root, record) {
  const replay = record.timeline;
  if (!replay) {
    append(root, 'p', {class: 'note', 'data-testid': 'no-timeline'}, `Hit rate and live bytes of this point over time: hbmscope report FILE --timeline ${record.index} --html PAGE, of a file with the points of this report.`);
    return;
  }
  const steps = stepsOf(replay);
  if (!steps.length || !steps.at(-1).end) return;
  append(root, 'p', {class: 'note', 'data-testid': 'timeline-note'}, `This point over time, by --l2 replay, at the median of its placements (seed ${replay.seed}): ${format.bytes(replay.hbm_read_bytes)} read and ${
    format.bytes(replay.hbm_write_bytes)} written at DRAM. ${replay.launches.length > 1 ? `Launches, one after the other: ${replay.launches.map(({launch}) => launch).join('; ')}.` : ''}`);
  const grid = append(root, 'div', {class: 'pair'});
  drawSteps(figure(grid, 'Where reads are found', FOUND), {testid: 'timeline-hits', label: 'Share of reads found in the L2 over time', yLabel: 'share of bytes read', yFormat: (value) => `${value} %`, series: FOUND, highest: 100}, steps);
  const effective = replay.effective_bytes / MIB;
  drawSteps(figure(grid, 'Live working set', LIVE, `${mib(replay.effective_bytes)}: what the L2 holds of bytes that all SMs read`), {testid: 'timeline-live', label: 'Live and cached bytes over time', yLabel: 'distinct bytes', yFormat: (value) => `${format.grouped(value)} MiB`,
    series: LIVE, level: effective, highest: Math.max(effective, ...steps.flatMap((step) => LIVE.map(({value}) => value(step))))}, steps);
  if (steps.some((step) => step.heads)) {
    drawSteps(figure(grid, 'Heads in flight', HEADS), {testid: 'timeline-heads', label: 'Heads in flight over time', yLabel: 'heads', yFormat: String, series: HEADS, highest: Math.max(...steps.map((step) => step.heads))}, steps);
  }
  stepsTable(root, steps);
}
