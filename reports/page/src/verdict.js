// What the data says, in plain words. Every number is computed here from the records.
import {baselineOf, BOUNDARIES, bytesAt, isMeasured, isUnfused, kindOf, l2Parts, sequence, tile, valueOf} from './data.js';
import {append, clear, simpleTable} from './dom.js';
import * as format from './format.js';
import {leftOutSentence} from './roofs.js';

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// Errors (predicted / measured − 1) of the records at one boundary, reads and writes apart.
function errorsAt(records, boundary, ways = ['read', 'write']) {
  return records.flatMap((record) => ways
    .map((way) => ({record, way, error: record.error[`${boundary}_${way}`] ?? undefined}))
    .filter((entry) => entry.error !== undefined));
}

export function summarise(records, boundary, ways) {
  const errors = errorsAt(records, boundary, ways);
  if (!errors.length) return undefined;
  const worst = errors.reduce((a, b) => (Math.abs(b.error) > Math.abs(a.error) ? b : a));
  return {count: errors.length, mean: mean(errors.map((entry) => Math.abs(entry.error))), worst};
}

const plural = (count, noun) => `${format.grouped(count)} ${noun}${count === 1 ? '' : 's'}`;

function countSentence(records) {
  const measured = records.filter(isMeasured);
  const count = (status) => records.filter((record) => record.status === status).length;
  const sources = [...new Set(measured.map((record) => record.provenance.source).filter(Boolean))];
  const gpus = [...new Set(measured.map((record) => record.provenance.gpu).filter(Boolean))];
  const where = (gpus.length ? ` on ${gpus.join(', ')}` : '') + (sources.length ? ` (${sources.join(' and ')})` : '');
  const parts = [measured.length ? `${format.grouped(measured.length)} measured${where}` : 'none measured, so this is prediction alone'];
  const alone = records.filter((record) => !isMeasured(record) && record.status === 'ok').length;
  if (alone && measured.length) parts.push(`${format.grouped(alone)} predicted only`);
  if (count('skipped')) parts.push(`${format.grouped(count('skipped'))} skipped`);
  if (count('failed')) parts.push(`${format.grouped(count('failed'))} failed`);
  const stale = records.filter((record) => record.provenance.stale).length;
  if (stale) parts.push(`${format.grouped(stale)} with counters recorded from an older kernel (stale)`);
  return `${plural(records.length, 'point')}: ${parts.join('; ')}.`;
}

function errorSentence(records, boundary, part) {
  const summary = summarise(records.filter(part.holds), boundary.key);
  if (!summary) return undefined;
  return `Predicted ${boundary.plain} bytes${part.text && ` (${part.text})`} differ from the counters by ${format.percent(summary.mean)} on average and by ` +
    `${format.percent(Math.abs(summary.worst.error))} at worst (${plural(summary.count, 'comparison')}).`;
}

function rangeOf(values) {
  const [low, high] = format.extent(values);
  return {median: median(values), low, high};
}

// HBM measured against the two counts that need no cache model: how far above the fewest bytes possible
// (compulsory), and how far below what no cache at all would move (io).
export function hbmBounds(records) {
  const pairs = records.map((record) => ({
    measured: bytesAt(record, 'measurement', 'hbm', 'total'),
    compulsory: record.prediction.compulsory_bytes ?? undefined,
    io: record.prediction.io_bytes ?? undefined,
  })).filter((pair) => pair.measured && pair.compulsory && pair.io);
  if (!pairs.length) return undefined;
  const overCompulsory = pairs.map((pair) => pair.measured / pair.compulsory);
  const ioOver = pairs.map((pair) => pair.io / pair.measured);
  return {count: pairs.length, overCompulsory: rangeOf(overCompulsory), ioOver: rangeOf(ioOver)};
}

const rangeText = (range) => `${format.ratio(range.low)} to ${format.ratio(range.high)} (median ${format.ratio(range.median)})`;

function boundsSentence(algorithm, records) {
  const bounds = hbmBounds(records);
  if (!bounds) {
    const pairs = records.map((record) => record.prediction).filter((each) => each.io_bytes && each.compulsory_bytes);
    if (!pairs.length) return undefined;
    return `${algorithm}: with no cache at all (io) HBM would move ${rangeText(rangeOf(pairs.map((each) => each.io_bytes / each.compulsory_bytes)))} ` +
      'the compulsory bytes.';
  }
  return `${algorithm}: the counters saw ${rangeText(bounds.overCompulsory)} the compulsory HBM bytes. ` +
    `With no cache at all (io) it would have been ${rangeText(bounds.ioOver)} what was measured.`;
}

const problemKey = (point) => ['gpu', 'direction', 'batch', 'heads', 'kv_heads', 'seqlen_q', 'seqlen_kv', 'head_dim',
  'head_dim_v', 'dtype', 'mask', 'window', 'page_size', 'cache_state', 'l2_mode'].map((field) => point[field])
  .concat(kindOf(point)).join('|');

const least = (entries) => entries.reduce((a, b) => (b.total < a.total ? b : a));

// The problem on which a fused algorithm saves most HBM bytes over an unfused one, each at its best tile. The
// paper's way of counting is compared with itself only.
export function biggestSaving(data, side) {
  const problems = new Map();
  for (const record of data.records) {
    const total = bytesAt(record, side, 'hbm', 'total');
    if (!total || record.status !== 'ok') continue;
    const key = problemKey(record.point);
    if (!problems.has(key)) problems.set(key, []);
    problems.get(key).push({record, algorithm: record.point.algorithm, total});
  }
  const pairs = [...problems.values()].map((entries) => ({unfused: baselineOf(data, entries), fused: entries.filter((entry) => !isUnfused(data, entry))}))
    .filter(({unfused, fused}) => unfused.length && fused.length).map(({unfused, fused}) => ({unfused: least(unfused), fused: least(fused)}));
  if (!pairs.length) return undefined;
  return pairs.reduce((a, b) => (b.unfused.total / b.fused.total > a.unfused.total / a.fused.total ? b : a));
}

function savingSentence(data) {
  const side = biggestSaving(data, 'measurement') ? 'measurement' : 'prediction';
  const saving = biggestSaving(data, side);
  if (!saving) return undefined;
  const {unfused, fused} = saving;
  const {point} = fused.record;
  const [slowTime, fastTime] = [unfused, fused].map((entry) => entry.record.measurement.time_s);
  const time = slowTime && fastTime ? `, and takes ${format.seconds(fastTime)} instead of ${format.seconds(slowTime)}` : '';
  return {record: fused.record, text: `Biggest saving: ${point.algorithm} at tile ${tile(point)} moves ` +
    `${format.bytes(fused.total)} through HBM where ${unfused.algorithm} moves ${format.bytes(unfused.total)}: ` +
    `${format.ratio(unfused.total / fused.total)} less (${side === 'measurement' ? 'measured' : 'predicted'}; ` +
    `N\u00a0${sequence(point)}, d\u00a0${point.head_dim}, ${point.dtype}, ${valueOf(point, 'mask')})${time}.`};
}

function errorTable(root, data, store) {
  const rows = data.algorithms.flatMap((algorithm) => BOUNDARIES.flatMap((boundary) => l2Parts(data, boundary.key).map((part) => {
    const records = data.records.filter((record) => record.point.algorithm === algorithm && part.holds(record));
    return {algorithm, boundary, part, read: summarise(records, boundary.key, ['read']), write: summarise(records, boundary.key, ['write'])};
  }))).filter((row) => row.read || row.write);
  if (!rows.length) return;
  const columns = [{name: 'algorithm', key: 'algorithm', value: (row) => row.algorithm},
    {name: 'boundary', key: 'boundary', value: (row) => [row.boundary.name, row.part.text].filter(Boolean).join(', ')}];
  for (const way of ['read', 'write']) {
    columns.push({name: `${way}: points`, key: `${way}-count`, numeric: true, value: (row) => row[way]?.count});
    columns.push({name: `${way}: mean |error| %`, key: `${way}-mean`, numeric: true, value: (row) => row[way]?.mean,
      text: (value) => (value === undefined ? '' : (value * 100).toFixed(2))});
    columns.push({name: `${way}: worst error %`, key: `${way}-worst`, numeric: true, value: (row) => row[way]?.worst.error,
      text: format.signedPercent});
  }
  const table = simpleTable(root, {testid: 'verdict-errors', columns, rows,
    caption: 'Error = predicted / measured − 1. Choose a worst error to select its point.',
    rowAttributes: (row) => ({'data-algorithm': row.algorithm, 'data-boundary': row.boundary.key, 'data-l2-mode': row.part.mode})});
  [...table.tBodies[0].rows].forEach((line, i) => {
    for (const way of ['read', 'write']) {
      const worst = rows[i][way]?.worst;
      const box = line.querySelector(`[data-column="${way}-worst"]`);
      if (!worst) continue;
      const text = box.textContent;
      clear(box);
      append(box, 'button', {class: 'link', title: worst.record.label}, text)
        .addEventListener('click', () => store.choose(worst.record.index));
    }
  });
}

const L2_NOTES = {
  none: 'Without an L2 model (l2_mode none) the predicted HBM bytes are the compulsory count.',
  replay: 'With a simulated L2 (l2_mode replay) the predicted HBM bytes are its misses, the median of several placements of the tensors.',
};

export function verdict(root, data, store) {
  append(root, 'p', {'data-testid': 'verdict-count', class: 'lead'}, countSentence(data.records));
  const list = append(root, 'ul', {class: 'verdict'});
  const saving = savingSentence(data);
  if (saving) {
    const item = append(list, 'li', {'data-testid': 'verdict-saving'}, `${saving.text} `);
    append(item, 'button', {class: 'link'}, 'Select this point')
      .addEventListener('click', () => store.choose(saving.record.index));
  }
  for (const boundary of BOUNDARIES) {
    for (const part of l2Parts(data, boundary.key)) {
      const text = errorSentence(data.records, boundary, part);
      if (text) append(list, 'li', {'data-testid': `verdict-${boundary.key}`, 'data-l2-mode': part.mode}, text);
    }
  }
  for (const algorithm of data.algorithms) {
    const records = data.records.filter((record) => record.point.algorithm === algorithm);
    const text = boundsSentence(algorithm, records);
    if (text) append(list, 'li', {'data-testid': `verdict-bounds-${algorithm}`}, text);
  }
  for (const mode of data.values.get('l2_mode').filter((each) => L2_NOTES[each])) append(list, 'li', {class: 'note'}, L2_NOTES[mode]);
  const left = leftOutSentence(data, data.records);
  if (left) append(list, 'li', {'data-testid': 'verdict-left-out'}, `${left} With those roofs the times may be longer.`);
  errorTable(root, data, store);
}
