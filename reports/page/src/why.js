// For one point: the three counts and the measurement on one axis, the reasons why they differ, and the replay over time.
import {axisBottom} from 'd3-axis';
import {scaleLog} from 'd3-scale';
import {select as choose} from 'd3-selection';

import {canvas, logTicks} from './chart.js';
import {bytesAt, isMeasured} from './data.js';
import {append, clear, simpleTable, twin} from './dom.js';
import * as format from './format.js';
import {timeline} from './timeline.js';

const total = (part) => (part?.hbm_read_bytes === undefined ? undefined : part.hbm_read_bytes + part.hbm_write_bytes);

// Without an L2 model the prediction repeats the compulsory bytes; a timeline is a replay all the same.
function modelOf(record) {
  const {prediction, point} = record;
  if (point.l2_mode !== undefined && point.l2_mode !== 'none') {
    const [low, high] = ['p05', 'p95'].map((end) => (prediction[`hbm_read_bytes_${end}`] === undefined ? undefined
      : prediction[`hbm_read_bytes_${end}`] + prediction[`hbm_write_bytes_${end}`]));
    return {name: `model (--l2 ${point.l2_mode})`, value: bytesAt(record, 'prediction', 'hbm', 'total'), low, high};
  }
  return {name: 'model (the replay below)', value: total(record.timeline)};
}

export function countsOf(record) {
  return [
    {key: 'io', name: 'io (no cache)', value: record.prediction.io_bytes, colour: 'var(--muted)'},
    {key: 'compulsory', name: 'compulsory (infinite cache)', value: record.prediction.compulsory_bytes, colour: 'var(--series-2)'},
    {key: 'model', ...modelOf(record), colour: 'var(--series-1)'},
    {key: 'measured', name: 'measured', value: bytesAt(record, 'measurement', 'hbm', 'total'), colour: 'var(--series-0)'},
  ].filter(({value}) => value > 0);
}

const timesCompulsory = (record, value) => (record.prediction.compulsory_bytes ? value / record.prediction.compulsory_bytes : undefined);

const WIDTH = 860;
const ROW = 30;
const LEFT = 190;
const RIGHT = WIDTH - 210;

function bars(root, record, counts) {
  const height = counts.length * ROW + 66;
  const bottom = counts.length * ROW + 22;
  const svg = canvas(root, {testid: 'counts', label: 'HBM bytes, counted and measured', width: WIDTH, height});
  const [low, high] = format.extent(counts.flatMap(({value, low: least, high: most}) => [value, least || value, most || value]));
  // At least a decade, so that counts which hardly differ have bars that hardly differ, and ticks their room.
  const x = scaleLog([Math.min(low / 1.6, high / 12), high * 1.05], [LEFT, RIGHT]);
  choose(svg).append('g').attr('class', 'axis').attr('transform', `translate(0,${bottom})`)
    .call(axisBottom(x).tickValues(logTicks(x, 62)).tickFormat(format.bytesTick).tickSizeInner(14 - bottom).tickSizeOuter(0).tickPadding(7));
  append(svg, 'text', {class: 'axis-label', x: (LEFT + RIGHT) / 2, y: bottom + 38, 'text-anchor': 'middle'}, 'bytes read and written at HBM (logarithmic)');
  counts.forEach((count, i) => {
    const y = 20 + i * ROW;
    append(svg, 'rect', {class: 'bar', x: LEFT, y, width: x(count.value) - LEFT, height: ROW - 10, 'data-key': count.key, 'data-value': count.value, style: `fill:${count.colour}`});
    if (count.low) {
      append(svg, 'path', {class: 'band', d: `M${x(count.low)},${y + 10}H${x(count.high)}M${x(count.low)},${y + 5}v10M${x(count.high)},${y + 5}v10`});
    }
    append(svg, 'text', {x: LEFT - 8, y: y + 15, 'text-anchor': 'end'}, count.name);
    append(svg, 'text', {x: x(Math.max(count.value, count.high ?? 0)) + 8, y: y + 15},
      `${format.bytes(count.value)}, ${format.ratio(timesCompulsory(record, count.value))} compulsory`);
  });
}

function countsTable(root, record, counts) {
  simpleTable(root, {testid: 'counts-table', caption: 'Bytes read and written at HBM', rows: counts, columns: [
    {name: 'count', key: 'name', value: (count) => count.name},
    {name: 'bytes', key: 'value', numeric: true, value: (count) => count.value, text: format.grouped},
    {name: '× compulsory', key: 'over-compulsory', numeric: true, value: (count) => timesCompulsory(record, count.value), text: format.ratio},
    {name: '5 % of placements below', key: 'low', numeric: true, value: (count) => count.low, text: (value) => (value ? format.grouped(value) : '')},
    {name: '95 % below', key: 'high', numeric: true, value: (count) => count.high, text: (value) => (value ? format.grouped(value) : '')},
  ]});
}

// The point that is shown while none is chosen: one with a timeline, else with reasons and a measurement.
const defaultRecord = (data) => data.records.find((record) => record.timeline) ?? data.records.find((record) => record.reasons.length && isMeasured(record))
  ?? data.records.find((record) => countsOf(record).length);

export function why(root, data) {
  const box = append(root, 'div', {'data-testid': 'why'});
  const drawn = append(root, 'div');
  let shown = null;

  function select(state) {
    const record = state.point === '' ? defaultRecord(data) : data.records[Number(state.point)];
    if (shown === record) return;
    shown = record;
    [box, drawn].forEach(clear);
    if (!record) return;
    append(box, 'p', {class: 'lead', 'data-testid': 'why-label'}, `#${record.index}: ${record.label}`);
    const counts = countsOf(record);
    if (!counts.length) return append(box, 'p', {class: 'note'}, 'Nothing was counted for this point.');
    bars(box, record, counts);
    const list = append(box, 'ul', {class: 'verdict', 'data-testid': 'reasons'});
    for (const sentence of record.reasons) append(list, 'li', {}, sentence);
    if (!record.reasons.length) append(list, 'li', {}, 'The reasons are not in this report: hbmscope report FILE --html PAGE writes them, where it knows the GPU.');
    if (!counts.some(({key}) => key === 'measured')) append(list, 'li', {}, 'Not measured: hbmscope validate runs the kernels, or takes recorded rows.');
    countsTable(twin(box), record, counts);
    timeline(drawn, record);
  }
  return {draw: select, select};
}
