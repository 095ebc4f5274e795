// A selected point, in every part of the page, by mouse and by keyboard.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {byId, open} from './browser.mjs';
import {parityMarks, rooflineMarks, speedup} from './expected.mjs';
import {browser, complaints, file, records, unfused} from './opened.mjs';

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
