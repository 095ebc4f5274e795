// The verdict: counts, errors, and what is saved.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {byId} from './browser.mjs';
import {BOUNDARIES, bytes, errorSummary, l2Parts, largestSaving, leftOut, WAYS} from './expected.mjs';
import {rounds} from './numbers.mjs';
import {algorithms, data, page, records, unfused} from './opened.mjs';

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

test('verdict: mean and worst error per algorithm, boundary and L2 model', async () => {
  for (const algorithm of algorithms) for (const boundary of BOUNDARIES) for (const [mode, part] of l2Parts(records, boundary)) {
    const own = part.filter((record) => record.point.algorithm === algorithm);
    const what = `${algorithm} ${boundary} ${mode}`;
    const row = page.locator(`[data-testid=verdict-errors] tr[data-algorithm="${algorithm}"][data-boundary="${boundary}"][data-l2-mode="${mode}"]`);
    const expected = WAYS.map((way) => errorSummary(own, boundary, [way]));
    assert.equal(await row.count(), expected.some(Boolean) ? 1 : 0, what);
    for (const [i, way] of WAYS.entries()) {
      if (!expected[i]) continue;
      const cell = (name) => row.locator(`[data-column=${way}-${name}]`);
      assert.equal(Number(await cell('count').textContent()), expected[i].count);
      rounds(await cell('mean').textContent(), expected[i].mean * 100, `${what} ${way} mean`);
      rounds(await cell('worst').textContent(), expected[i].worst * 100, `${what} ${way} worst`);
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
  for (const boundary of BOUNDARIES) for (const [mode, part] of l2Parts(records, boundary)) {
    const expected = errorSummary(part, boundary, WAYS);
    const sentence = page.locator(`[data-testid=verdict-${boundary}][data-l2-mode="${mode}"]`);
    assert.equal(await sentence.count(), expected ? 1 : 0);
    if (!expected) continue;
    const text = await sentence.textContent();
    assert.ok(text.includes(mode), text);
    const [mean, worst] = text.match(/[\d.\u202f]+(?=\u202f%)/g);
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

test('verdict: roofs that lower bounds leave out', async () => {
  const names = {l2: 'L2 on', sram: 'shared memory for', tensor: 'tensor cores on'};
  const unknown = new Set(records.flatMap((record) => leftOut(data, record)));
  assert.equal(await byId(page, 'verdict-left-out').count(), unknown.size ? 1 : 0);
  if (!unknown.size) return;
  const sentence = await byId(page, 'verdict-left-out').textContent();
  for (const [roof, name] of Object.entries(names)) assert.equal(sentence.includes(name), unknown.has(roof), `${roof}: ${sentence}`);
});
