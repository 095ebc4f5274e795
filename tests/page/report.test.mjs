// node report.test.mjs REPORT.html
//
// Reads the report's values back in a real browser and compares them with the data in the same file.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import {after, before, test} from 'node:test';

import {attributes, byId, launch, open} from './browser.mjs';
import {clipped, overlaps} from './layout.mjs';
import {BOUNDARIES, bytes, dataOf, error, errorDistributions, errorSummary, largestSaving, parityMarks, parseCsv, rooflineMarks, speedup, WAYS} from './expected.mjs';

const file = process.argv[2];
if (!file) {
  console.error('usage: node report.test.mjs REPORT.html');
  process.exit(2);
}
const {text, data, fields, unfused} = dataOf(file);
const {records} = data;
const algorithms = [...new Set(records.map((record) => record.point.algorithm))];
const complaints = [];
let browser;
let page;

before(async () => {
  browser = await launch();
  page = await open(browser, file, {complaints});
});
after(async () => {
  await browser?.close();
});

const number = (shown) => Number(shown.replace(/[\u202f ]/g, '').replace('\u2212', '-').replace('×', '').replace('%', ''));
const close = (actual, expected, message) => assert.ok(Math.abs(actual - expected) <= 1e-9 * Math.abs(expected), `${message}: ${actual} is not ${expected}`);
const optional = (value) => (value === undefined || value === null || value === '' ? null : String(value));

// The text may round, but only at its last digit.
function rounds(shown, expected, message) {
  const digits = (shown.split('.')[1] ?? '').replace(/[^0-9].*$/, '').length;
  assert.ok(Math.abs(number(shown) - expected) <= 0.5000001 * 10 ** -digits, `${message}: ${shown} is not ${expected}`);
}

test('the report holds points', () => {
  assert.ok(records.length > 0);
});

test('verdict: counts of points', async () => {
  const sentence = (await byId(page, 'verdict-count').textContent()).replace(/\u202f/g, '');
  const measured = records.filter((record) => Object.values(record.measurement ?? {}).some((value) => typeof value === 'number')).length;
  const skipped = records.filter((record) => record.status === 'skipped').length;
  assert.match(sentence, new RegExp(`^${records.length} point`));
  assert.match(sentence, measured ? new RegExp(`: ${measured} measured`) : /none measured/);
  if (skipped) assert.match(sentence, new RegExp(`\\b${skipped} skipped`));
  else assert.doesNotMatch(sentence, /skipped/);
});

test('verdict: mean and worst error per algorithm and boundary', async () => {
  for (const algorithm of algorithms) {
    const own = records.filter((record) => record.point.algorithm === algorithm);
    for (const boundary of BOUNDARIES) {
      const row = page.locator(`[data-testid=verdict-errors] tr[data-algorithm="${algorithm}"][data-boundary="${boundary}"]`);
      const expected = WAYS.map((way) => errorSummary(own, boundary, [way]));
      assert.equal(await row.count(), expected.some(Boolean) ? 1 : 0, `${algorithm} ${boundary}`);
      for (const [i, way] of WAYS.entries()) {
        if (!expected[i]) continue;
        const cell = (name) => row.locator(`[data-column=${way}-${name}]`);
        assert.equal(Number(await cell('count').textContent()), expected[i].count);
        rounds(await cell('mean').textContent(), expected[i].mean * 100, `${algorithm} ${boundary} ${way} mean`);
        rounds(await cell('worst').textContent(), expected[i].worst * 100, `${algorithm} ${boundary} ${way} worst`);
      }
    }
  }
});

test('verdict: HBM against compulsory and io', async () => {
  for (const algorithm of algorithms) {
    const own = records.filter((record) => record.point.algorithm === algorithm && record.prediction?.compulsory_bytes && record.prediction.io_bytes);
    const measured = own.filter((record) => bytes(record, 'measurement', 'hbm', 'total'));
    const ratios = measured.length ? measured.map((record) => bytes(record, 'measurement', 'hbm', 'total') / record.prediction.compulsory_bytes)
      : own.map((record) => record.prediction.io_bytes / record.prediction.compulsory_bytes);
    const sentence = byId(page, `verdict-bounds-${algorithm}`);
    assert.equal(await sentence.count(), ratios.length ? 1 : 0);
    if (!ratios.length) continue;
    const [low, high] = (await sentence.textContent()).match(/[\d.\u202f]+×/g);
    rounds(low, Math.min(...ratios), `${algorithm} lowest`);
    rounds(high, Math.max(...ratios), `${algorithm} highest`);
  }
});

test('verdict: sentences on errors and the biggest saving', async () => {
  for (const boundary of BOUNDARIES) {
    const expected = errorSummary(records, boundary, WAYS);
    assert.equal(await byId(page, `verdict-${boundary}`).count(), expected ? 1 : 0);
    if (!expected) continue;
    const [mean, worst] = (await byId(page, `verdict-${boundary}`).textContent()).match(/[\d.\u202f]+(?=\u202f%)/g);
    rounds(mean, expected.mean * 100, `${boundary} mean`);
    rounds(worst, Math.abs(expected.worst) * 100, `${boundary} worst`);
  }
  const saving = largestSaving(records, 'measurement', unfused) ?? largestSaving(records, 'prediction', unfused);
  assert.equal(await byId(page, 'verdict-saving').count(), saving ? 1 : 0);
  if (!saving) return;
  const sentence = await byId(page, 'verdict-saving').textContent();
  rounds(sentence.match(/([\d.\u202f]+×) less/)[1], saving, 'saving');
  assert.ok(unfused.includes(sentence.match(/where (\S+) moves/)[1]), sentence);
});

async function rowsOf(boundary) {
  await byId(page, 'boundary').selectOption(boundary);
  return page.$$eval('[data-testid=points] tbody tr', (rows) => rows.map((row) => ({
    index: Number(row.dataset.index), status: row.dataset.status,
    cells: Object.fromEntries([...row.cells].map((cell) => [cell.dataset.column, [cell.getAttribute('data-value'), cell.textContent]]))
  })));
}

for (const boundary of BOUNDARIES) {
  test(`table: every cell at ${boundary} is the JSON's value`, async () => {
    const rows = await rowsOf(boundary);
    assert.equal(rows.length, Math.min(records.length, 1000));
    for (const {index, status, cells} of rows) {
      const record = records[index];
      const expected = {seqlen: record.point.seqlen_q, tile: `${record.point.br}×${record.point.bc}`, algorithm: record.point.algorithm, status: record.status,
        reason: record.reason, 'time-prediction': record.prediction?.time_s, 'time-measurement': record.measurement?.time_s, limiter: record.prediction?.limiter};
      for (const way of WAYS) {
        expected[`pred-${way}`] = bytes(record, 'prediction', boundary, way);
        expected[`meas-${way}`] = bytes(record, 'measurement', boundary, way);
        const own = error(record, boundary, way);
        assert.equal(cells[`err-${way}`][0] === null, own === undefined, `error of point ${index}`);
        if (own !== undefined) rounds(cells[`err-${way}`][1], own * 100, `error of point ${index}`);
      }
      assert.equal(status, record.status);
      for (const [name, value] of Object.entries(expected)) {
        assert.equal(cells[name][0], optional(value), `${name} of point ${index}`);
        if (optional(value) === null) assert.equal(cells[name][1], '', `${name} of point ${index} is absent`);
        else if (/^(pred|meas)-/.test(name)) rounds(cells[name][1], value / 1e9, `${name} of point ${index}`);
      }
    }
  });
}

test('table: sorting, absent values last', async () => {
  for (const direction of ['ascending', 'descending']) {
    await byId(page, 'sort-meas-read').click();
    assert.equal(await page.locator('th:has([data-testid=sort-meas-read])').getAttribute('aria-sort'), direction);
    const values = (await attributes(page, '[data-testid=points] td[data-column=meas-read]', ['data-value'])).map((cell) => cell['data-value']);
    const present = values.filter((value) => value !== null).map(Number);
    assert.deepEqual(values.slice(present.length), values.slice(present.length).map(() => null));
    assert.deepEqual(present, [...present].sort((a, b) => (direction === 'ascending' ? a - b : b - a)));
  }
  await byId(page, 'sort-index').click();
});

test('filter: one algorithm in the table and in the charts', async () => {
  await byId(page, 'boundary').selectOption('l2');
  for (const algorithm of algorithms) {
    await byId(page, 'filter-algorithm').selectOption(algorithm);
    const indices = records.map((record, i) => i).filter((i) => records[i].point.algorithm === algorithm);
    const shown = (await attributes(page, '[data-testid=points] tbody tr', ['data-index'])).map((row) => Number(row['data-index']));
    assert.deepEqual(shown, indices.slice(0, 1000));
    const marks = parityMarks(records, 'l2').filter((mark) => indices.includes(mark.index)).length;
    assert.equal(await page.locator('[data-testid=parity] .mark').count(), marks);
    assert.ok((await page.evaluate(() => location.hash)).includes(`algorithm=${algorithm}`));
  }
  await byId(page, 'filter-algorithm').selectOption('');
});

for (const boundary of BOUNDARIES) {
  test(`parity at ${boundary}: a mark for every compared count`, async () => {
    await byId(page, 'boundary').selectOption(boundary);
    const expected = parityMarks(records, boundary);
    const marks = await attributes(page, '[data-testid=parity] .mark', ['data-index', 'data-kind', 'data-x', 'data-y']);
    assert.equal(marks.length, expected.length);
    for (const {index, way, measured, predicted} of expected) {
      const mark = marks.find((each) => Number(each['data-index']) === index && each['data-kind'] === way);
      assert.deepEqual([Number(mark['data-x']), Number(mark['data-y'])], [measured, predicted]);
    }
    assert.equal(await page.locator('[data-testid=parity-error] .mark').count(), expected.length);
    assert.equal(await page.locator('[data-testid=parity-table] tbody tr').count(), expected.length);
  });
}

test('heat map: every point is a cell of one slice, with its value', async () => {
  const quantities = {'hbm-measured': ['measurement', 'hbm'], 'l2-predicted': ['prediction', 'l2'], 'sram-measured': ['measurement', 'sram']};
  const slices = await page.$$eval('[data-testid=heatmap-slice] option', (options) => options.map((option) => option.value));
  for (const [quantity, [side, boundary]] of Object.entries(quantities)) {
    await byId(page, 'heatmap-quantity').selectOption(quantity);
    const seen = [];
    for (const slice of slices) {
      await byId(page, 'heatmap-slice').selectOption(slice);
      const cells = await page.$$eval('[data-testid=heatmap] .cell', (nodes) => nodes.map((node) => ({index: Number(node.dataset.index), value: node.getAttribute('data-value'),
        place: `${node.closest('svg').dataset.testid} ${node.getAttribute('transform')}`})));
      assert.equal(new Set(cells.map((cell) => cell.place)).size, cells.length, 'two points share a cell');
      for (const {index, value} of cells) assert.equal(value, optional(bytes(records[index], side, boundary, 'total')), `${quantity} of point ${index}`);
      if (cells.some((cell) => cell.value !== null)) assert.equal(await byId(page, 'heatmap-legend').count(), 1);
      seen.push(...cells.map((cell) => cell.index));
    }
    assert.deepEqual(seen.sort((a, b) => a - b), records.map((record, i) => i));
  }
});

for (const level of BOUNDARIES) {
  test(`roofline at ${level}: marks, roofs and their values`, async () => {
    await byId(page, 'roofline-level').selectOption(level);
    const gpu = records[0].point.gpu;
    const expected = rooflineMarks(records, level).filter((mark) => records[mark.index].point.gpu === gpu);
    const marks = await attributes(page, '[data-testid=roofline] .mark', ['data-index', 'data-x', 'data-y', 'data-measured']);
    assert.equal(marks.length, expected.length);
    for (const mark of marks) {
      const own = expected.find((each) => each.index === Number(mark['data-index']));
      close(Number(mark['data-x']), own.intensity, 'intensity');
      close(Number(mark['data-y']), own.performance, 'performance');
      assert.equal(mark['data-measured'], String(own.measured));
    }
    const spec = data.gpus.find((each) => each.name === gpu);
    for (const boundary of BOUNDARIES) {
      const rate = spec[`${boundary}_bytes_per_s`];
      const legend = await byId(page, `roof-${boundary}`).textContent();
      if (rate) rounds(legend.match(/([\d.]+) TB\/s/)[1], rate / 1e12, legend);
      else assert.match(legend, /no rate/);
    }
    assert.equal(await page.locator('[data-testid=roofline] .roof:not(.faint):not(.ceiling):not(.exponential)').count(), spec[`${level}_bytes_per_s`] ? 1 : 0);
    assert.ok(await byId(page, 'roof-compute').count() >= 1);
    // 2·(d + dv) FLOP of a visible pair for one exponential.
    const sums = [...new Set(expected.map((mark) => records[mark.index].point.head_dim + records[mark.index].point.head_dim_v))].sort((a, b) => a - b);
    const roofs = await attributes(page, '[data-testid=roofline] .roof.exponential', ['data-value']);
    assert.deepEqual(roofs.map((roof) => Number(roof['data-value'])), sums.map((sum) => spec.exp_per_s * 2 * sum));
    assert.equal(await byId(page, 'roof-exp').count(), sums.length);
    assert.equal(await page.locator('[data-testid=roofline-table] tbody tr').count(), expected.length);
  });
}

test('errors: every error is in a bar, and the numbers are those of the data', async () => {
  const expected = errorDistributions(records);
  const row = ({boundary, name}) => `${boundary} ${name}`;
  const bars = await attributes(page, '[data-testid=errors] .bar', ['data-row', 'data-count']);
  const table = await page.$$eval('[data-testid=errors-table] tbody tr', (lines) => lines.map((line) => [...line.cells].map((cell) => [cell.getAttribute('data-value'), cell.textContent])));
  const marks = await attributes(page, '[data-testid=errors] .mark', ['data-index', 'data-kind', 'data-x', 'data-y']);
  assert.equal(table.length, expected.length);
  for (const [i, summary] of expected.entries()) {
    const inBars = bars.filter((bar) => bar['data-row'] === row(summary)).reduce((sum, bar) => sum + Number(bar['data-count']), 0);
    assert.equal(inBars, summary.count, row(summary));
    const [, , count, mean, median, p95, worst] = table[i];
    assert.equal(Number(count[0]), summary.count);
    for (const [cell, value] of [[mean, summary.mean], [median, summary.median], [p95, summary.p95], [worst, summary.worst]]) rounds(cell[1], value * 100, row(summary));
    const own = marks.filter((mark) => mark['data-y'] === row(summary));
    assert.equal(own.length, Math.min(3, summary.count));
    assert.ok(own.some((mark) => Math.abs(Number(mark['data-x'])) === Math.abs(summary.worst)), 'the worst error has a mark');
    for (const mark of own) assert.equal(Number(mark['data-x']), records[mark['data-index']].error[`${summary.boundary}_${mark['data-kind']}`]);
  }
  const shown = await attributes(page, '[data-testid=errors-worst] tbody tr', ['data-index']);
  assert.equal(shown.length > 0, expected.some((summary) => Math.abs(summary.worst) >= 5e-5));
});

// Calls `check` for every slice and tile that the charts over N can show.
async function eachCurve(check) {
  const options = (id) => page.$$eval(`[data-testid=${id}] option`, (nodes) => nodes.map((node) => node.value));
  for (const slice of await options('scaling-slice')) {
    await byId(page, 'scaling-slice').selectOption(slice);
    for (const tile of await options('scaling-tile')) {
      await byId(page, 'scaling-tile').selectOption(tile);
      await check();
    }
  }
}
const marksOf = (chart) => attributes(page, `[data-testid=${chart}] .mark`, ['data-index', 'data-kind', 'data-x', 'data-y']);
const lengthsOf = (record) => [record.point.seqlen_q, record.point.seqlen_kv];

for (const boundary of BOUNDARIES) {
  test(`bytes against N at ${boundary}: each point in one slice at its tile, for each head`, async () => {
    await byId(page, 'boundary').selectOption(boundary);
    const seen = {prediction: new Set(), measurement: new Set()};
    await eachCurve(async () => {
      for (const mark of await marksOf('curve-bytes')) {
        const record = records[mark['data-index']];
        const total = bytes(record, mark['data-kind'], boundary, 'total');
        close(Number(mark['data-y']), total / (record.point.batch * record.point.heads), `${mark['data-kind']} of point ${mark['data-index']}`);
        assert.ok(lengthsOf(record).includes(Number(mark['data-x'])));
        seen[mark['data-kind']].add(Number(mark['data-index']));
      }
    });
    for (const [side, found] of Object.entries(seen)) {
      const expected = records.map((record, i) => i).filter((i) => records[i].status !== 'failed' && bytes(records[i], side, boundary, 'total'));
      assert.deepEqual([...found].sort((a, b) => a - b), expected, side);
    }
  });
}

test('speed-up against N: measured and predicted ratios, on lines of their own', async () => {
  const seen = {measured: new Set(), bound: new Set()};
  const sides = {measured: 'measurement', bound: 'prediction'};
  await eachCurve(async () => {
    const marks = await marksOf('curve-speedup');
    for (const mark of marks) {
      close(Number(mark['data-y']), speedup(records, records[mark['data-index']], sides[mark['data-kind']], unfused), `speed-up of point ${mark['data-index']}`);
      seen[mark['data-kind']].add(Number(mark['data-index']));
    }
    // One solid line of measured points, one dashed of bounds, for each implementation that has them.
    const lines = (kind) => new Set(marks.filter((mark) => mark['data-kind'] === kind).map((mark) => records[mark['data-index']].point).map((point) => `${point.algorithm} ${point.variant}`)).size;
    assert.equal(await page.locator('[data-testid=curve-speedup] .curve:not(.dashed)').count(), lines('measured'));
    assert.equal(await page.locator('[data-testid=curve-speedup] .curve.dashed').count(), lines('bound'));
  });
  for (const [kind, found] of Object.entries(seen)) {
    const expected = records.map((record, i) => i).filter((i) => records[i].status !== 'failed' && speedup(records, records[i], sides[kind], unfused));
    assert.deepEqual([...found].sort((a, b) => a - b), expected, kind);
  }
});

test('unfused algorithms have one shape, fused ones another', async () => {
  for (const chart of ['curve-bytes', 'curve-bound', 'roofline']) {
    const shapes = {true: new Set(), false: new Set()};
    for (const mark of await attributes(page, `[data-testid=${chart}] .mark`, ['data-index', 'd'])) {
      shapes[unfused.includes(records[mark['data-index']].point.algorithm)].add(mark.d);
    }
    assert.ok(shapes.true.size <= 1 && shapes.false.size <= 1, `${chart}: one shape each`);
    assert.equal(new Set([...shapes.true, ...shapes.false]).size, shapes.true.size + shapes.false.size, `${chart}: not the same`);
  }
});

test('measured time over its lower bound against N', async () => {
  const seen = new Set();
  await eachCurve(async () => {
    for (const mark of await marksOf('curve-bound')) {
      const record = records[mark['data-index']];
      close(Number(mark['data-y']), record.measurement.time_s / record.prediction.time_s, `ratio of point ${mark['data-index']}`);
      seen.add(Number(mark['data-index']));
    }
  });
  const expected = records.map((record, i) => i).filter((i) => records[i].status !== 'failed' && records[i].measurement?.time_s && records[i].prediction?.time_s);
  assert.deepEqual([...seen].sort((a, b) => a - b), expected);
});

// A point that every chart can show; the last one, so that the heat map has to change its slice.
const everywhere = records.findLastIndex((record) => parityMarks([record], 'hbm').length === 2 && rooflineMarks([record], 'hbm').length);
const skipUnmeasured = everywhere < 0 && 'no point is measured at HBM';

async function selectedIn(other) {
  const find = (selector) => other.$$eval(selector, (nodes) => [...new Set(nodes.map((node) => node.__data__ ? node.__data__.record.index : Number(node.dataset.index)))]);
  return {table: await find('[data-testid=points] tr.selected'), parity: await find('[data-testid=parity] .ring'), errors: await find('[data-testid=parity-error] .ring'),
    distribution: await find('[data-testid=errors] .ring'), bytes: await find('[data-testid=curve-bytes] .ring'), speedup: await find('[data-testid=curve-speedup] .ring'),
    bound: await find('[data-testid=curve-bound] .ring'), roofline: await find('[data-testid=roofline] .ring'), heatmap: await find('[data-testid=heatmap] .cell.selected')};
}
const all = (indices) => ({table: indices, parity: indices, errors: indices, distribution: indices, bytes: indices,
  speedup: indices.filter((i) => ['measurement', 'prediction'].some((side) => speedup(records, records[i], side, unfused))),
  bound: indices.filter((i) => records[i].measurement?.time_s), roofline: indices, heatmap: indices});

test('selection: one chart selects everywhere, and the URL keeps it', {skip: skipUnmeasured}, async () => {
  const fresh = await open(browser, file, {complaints});
  await fresh.locator(`[data-testid=roofline] .mark[data-index="${everywhere}"]`).dispatchEvent('click');
  assert.deepEqual(await selectedIn(fresh), all([everywhere]));
  assert.match(await fresh.evaluate(() => location.hash), new RegExp(`[#&]point=${everywhere}(&|$)`));
  assert.match(await byId(fresh, 'detail-label').textContent(), new RegExp(`^#${everywhere}:`));
  const again = await open(browser, file, {complaints, hash: await fresh.evaluate(() => location.hash)});
  assert.deepEqual(await selectedIn(again), all([everywhere]));
  await byId(again, 'selection-clear').click();
  assert.deepEqual(await selectedIn(again), all([]));
  await again.locator(`[data-testid=points] tr[data-index="${everywhere}"] button`).click();
  assert.deepEqual(await selectedIn(again), all([everywhere]));
  await Promise.all([fresh.context().close(), again.context().close()]);
});

test('selection: by keyboard alone', {skip: skipUnmeasured}, async () => {
  const fresh = await open(browser, file, {complaints});
  for (const chart of ['parity', 'errors', 'curve-bytes', 'curve-bound', 'roofline', 'heatmap']) {
    const mark = chart === 'heatmap' ? '.cell' : '.mark';
    const stops = fresh.locator(`[data-testid=${chart}] ${mark}[tabindex="0"]`);
    assert.equal(await stops.count(), chart === 'heatmap' ? await fresh.locator('svg.heatmap').count() : 1, 'tab stops');
    await stops.first().focus();
    const start = await fresh.evaluateHandle(() => document.activeElement);
    await fresh.keyboard.press('ArrowRight');
    const alone = (await stops.first().locator('xpath=..').locator(mark).count()) === 1;
    assert.equal(await fresh.evaluate((first) => document.activeElement === first, start), alone, 'an arrow key moves on');
    const focused = await fresh.evaluate(() => Number(document.activeElement.dataset.index));
    await fresh.keyboard.press('Enter');
    const names = {errors: 'distribution', 'curve-bytes': 'bytes', 'curve-bound': 'bound'};
    const {table, [names[chart] ?? chart]: own} = await selectedIn(fresh);
    assert.deepEqual([table, own], [[focused], [focused]]);
    assert.equal(await fresh.evaluate(() => Number(document.activeElement.dataset.index)), focused, 'focus stays');
    await fresh.keyboard.press('Escape');
    assert.deepEqual((await selectedIn(fresh)).table, []);
  }
  await fresh.context().close();
});

async function download(id) {
  const [saved] = await Promise.all([page.waitForEvent('download'), byId(page, id).click()]);
  return fs.readFileSync(await saved.path(), 'utf8');
}

test('download: the JSON is the embedded text', async () => {
  assert.equal(await download('download-json'), text);
});

test('download: the CSV has every column and value', async () => {
  const csv = await download('download-csv');
  const rows = parseCsv(csv);
  for (const large of text.match(/(?<=[:,])\d{16,}(?=[,}])/g) ?? []) assert.ok(csv.includes(large), `${large} is exact`);
  assert.deepEqual(rows[0], fields.map(([column]) => column));
  assert.equal(rows.length, records.length + 1);
  for (const [i, record] of records.entries()) {
    const expected = fields.map(([, group, key]) => {
      const value = group === 'schema' ? data.schema_version : group === 'status' ? record[key] : record[group]?.[key];
      return typeof value === 'boolean' ? String(Number(value)) : optional(value) ?? '';
    });
    // Numbers may be spelled differently (1e9, 1000000000.0) as long as they are the same.
    const same = rows[i + 1].map((cell, j) => (cell !== '' && Number(cell) === Number(expected[j]) ? expected[j] : cell));
    assert.deepEqual(same, expected, `point ${i}`);
  }
});

test('charts can be saved as SVG', async () => {
  const svg = await download('save-roofline');
  assert.match(svg, /^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  assert.match(svg, /FLOP per/);
});

for (const [width, colorScheme] of [[1400, 'light'], [1400, 'dark'], [900, 'light']]) {
  test(`layout at ${width} px, ${colorScheme}: nothing overflows or overlaps`, async () => {
    const fresh = await open(browser, file, {complaints, width, colorScheme});
    for (const boundary of BOUNDARIES) {
      await byId(fresh, 'boundary').selectOption(boundary);
      await byId(fresh, 'roofline-level').selectOption(boundary);
      assert.ok(await fresh.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
      assert.deepEqual(await overlaps(fresh), []);
      assert.deepEqual(await clipped(fresh), []);
    }
    const luminance = await fresh.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number).reduce((sum, c) => sum + c, 0));
    assert.equal(luminance < 200, colorScheme === 'dark');
    await fresh.context().close();
  });
}

test('print: the whole table, no controls', async () => {
  await page.emulateMedia({media: 'print'});
  const [shown, full] = await page.$eval('.scroll.tall', (box) => [box.clientHeight, box.scrollHeight]);
  assert.equal(shown, full);
  assert.equal(await byId(page, 'download-csv').isVisible(), false);
  await page.emulateMedia({media: 'screen'});
});

test('provenance: the run and the GPU', async () => {
  const run = await byId(page, 'provenance-run').textContent();
  for (const name of ['version', 'git_commit', 'date']) {
    if (data.provenance?.[name]) assert.ok(run.includes(data.provenance[name]), name);
  }
  assert.equal(await page.locator('[data-testid=provenance-gpus] tbody tr').count(), data.gpus.length);
});

test('the page stayed quiet: no console message, no error, no request', () => {
  assert.deepEqual(complaints, []);
});

test('the content security policy stops requests', async () => {
  const fresh = await open(browser, file);
  const outcome = await fresh.evaluate(async () => {
    const blocked = new Promise((resolve) => document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective)));
    await fetch('https://example.invalid/').catch(() => {});
    return blocked;
  });
  assert.equal(outcome, 'connect-src');
  await fresh.context().close();
});
