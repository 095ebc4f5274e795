// The charts over sequence length.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {attributes, byId, open} from './browser.mjs';
import {BOUNDARIES, bytes, leftOut, speedup} from './expected.mjs';
import {close} from './numbers.mjs';
import {algorithms, browser, complaints, data, file, page, records, unfused} from './opened.mjs';

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
test('slices: a constant number of tokens is one slice, and the largest is shown first', async () => {
  const apart = ['gpu', 'direction', 'dtype', 'mask', 'window', 'page_size', 'heads', 'kv_heads', 'head_dim', 'head_dim_v', 'stages', 'splits', 'order', 'kv_walk', 'l2_mode',
    'cache_state', 'placement', 'seed'];
  const parts = (list, key) => [...new Set(list.map(key))].map((each) => list.filter((record) => key(record) === each));
  const cell = ({point}) => [point.algorithm, point.variant, point.seqlen_q, point.seqlen_kv, point.br, point.bc].join();
  const unique = (part) => parts(part, cell).length === part.length;
  const expected = parts(records, ({point}) => apart.map((name) => point[name]).join()).flatMap((part) => {
    if (unique(part)) return [part];
    const [byTokens, byBatch] = [({point}) => point.batch * point.seqlen_q, ({point}) => point.batch].map((key) => parts(part, key));
    return byTokens.every(unique) && byTokens.length < byBatch.length ? byTokens : byBatch;
  });
  for (const chart of ['heatmap', 'scaling']) assert.equal(await page.locator(`[data-testid=${chart}-slice] option`).count(), expected.length);
  const fresh = await open(browser, file, {complaints});
  assert.equal(await fresh.locator('[data-testid=heatmap] .cell').count(), Math.max(...expected.map((part) => part.length)));
  await fresh.context().close();
});

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

test('fused and unfused algorithms have shapes apart, and so have the variants of one', async () => {
  for (const chart of ['curve-bytes', 'curve-bound', 'roofline']) {
    const shapes = new Map();  // shape -> "unfused" or "fused", and "algorithm variant" -> shape
    for (const mark of await attributes(page, `[data-testid=${chart}] .mark`, ['data-index', 'd'])) {
      const {algorithm, variant} = records[mark['data-index']].point;
      for (const [key, value] of [[mark.d, unfused.includes(algorithm) ? 'unfused' : 'fused'], [`${algorithm} ${variant}`, mark.d]]) {
        assert.equal(shapes.get(key) ?? value, value, `${chart}: ${key}`);
        shapes.set(key, value);
      }
    }
    for (const algorithm of algorithms) {
      const own = [...shapes].filter(([key]) => key.startsWith(`${algorithm} `)).map(([, shape]) => shape);
      assert.equal(new Set(own).size, own.length, `${chart}: variants of ${algorithm}`);
    }
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

test('charts of bounds say which roofs are left out', async () => {
  await eachCurve(async () => {
    for (const [chart, kind] of [['curve-speedup', 'bound'], ['curve-bound', 'ratio']]) {
      const shown = (await marksOf(chart)).filter((mark) => mark['data-kind'] === kind).map((mark) => records[mark['data-index']]);
      const notes = await page.locator(`.figure:has([data-testid=${chart}]) [data-testid=left-out]`).count();
      if (shown.some((record) => leftOut(data, record).length)) assert.equal(notes, 1, chart);
      if (!records.some((record) => leftOut(data, record).length)) assert.equal(notes, 0, chart);
    }
  });
});
