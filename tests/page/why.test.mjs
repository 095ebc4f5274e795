// One point's counts on one axis, the reasons why they differ, and its replay over time.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {attributes, byId, open} from './browser.mjs';
import {bytes} from './expected.mjs';
import {close} from './numbers.mjs';
import {browser, complaints, file, records} from './opened.mjs';

// The point that is shown before one is chosen.
const withTimeline = records.findIndex((record) => record.timeline);
const withReasons = records.findIndex((record) => record.hbm_reasons && record.measurement);
const counted = records.findIndex((record) => record.prediction);

function counts(record) {
  const {prediction, point, timeline} = record;
  const model = point.l2_mode === 'none' ? timeline && timeline.hbm_read_bytes + timeline.hbm_write_bytes : bytes(record, 'prediction', 'hbm', 'total');
  const all = {io: prediction.io_bytes, compulsory: prediction.compulsory_bytes, model, measured: bytes(record, 'measurement', 'hbm', 'total')};
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value));
}

async function check(other, index) {
  const record = records[index];
  assert.match(await byId(other, 'why-label').textContent(), new RegExp(`^#${index}:`));
  const bars = await attributes(other, '[data-testid=counts] .bar', ['data-key', 'data-value', 'width']);
  assert.deepEqual(Object.fromEntries(bars.map((bar) => [bar['data-key'], Number(bar['data-value'])])), counts(record));
  // On a logarithmic axis: equal ratios are equal lengths.
  const length = (key) => Number(bars.find((bar) => bar['data-key'] === key).width);
  const decade = (a, b) => Math.log10(counts(record)[a] / counts(record)[b]);
  if (bars.length > 2 && Math.abs(decade('io', 'compulsory')) > 0.01) {
    const third = bars[2]['data-key'];
    const slope = (length('io') - length('compulsory')) / decade('io', 'compulsory');
    assert.ok(Math.abs(length(third) - length('compulsory') - slope * decade(third, 'compulsory')) < 0.5, 'one axis');
  }
  const shown = await byId(other, 'reasons').locator('li').allTextContents();
  assert.deepEqual(shown.filter((text) => !/hbmscope (report|validate)/.test(text)), [...(record.hbm_reasons ?? []), ...(record.hbm_conclusions ?? [])]);
  assert.equal(shown.some((text) => text.includes('hbmscope report')), !record.hbm_reasons);
  assert.equal(shown.some((text) => text.includes('hbmscope validate')), !counts(record).measured);
  assert.equal(await byId(other, 'timeline-hits').count(), record.timeline ? 1 : 0);
  if (!record.timeline) assert.ok((await byId(other, 'no-timeline').textContent()).includes(`--timeline ${index} `));
}

test('why: counts, reasons and measurement of the chosen point', {skip: counted < 0 && 'nothing is predicted'}, async () => {
  const fresh = await open(browser, file, {complaints});
  await check(fresh, [withTimeline, withReasons, counted].find((index) => index >= 0));
  for (const index of [records.findLastIndex((record) => record.prediction), counted]) {
    await fresh.evaluate((point) => { location.hash = `point=${point}`; }, index);
    await fresh.locator(`[data-testid=points] tr.selected[data-index="${index}"]`).waitFor();
    await check(fresh, index);
  }
  await fresh.context().close();
});

test('why: the replay over time', {skip: withTimeline < 0 && 'no point has a timeline'}, async () => {
  const fresh = await open(browser, file, {complaints});
  const {launches, effective_bytes: effective} = records[withTimeline].timeline;
  const steps = launches.flatMap((launch) => launch.heads.map((heads, i) => ({heads, launch: launch.launch, ...Object.fromEntries(
    ['near', 'home', 'dram', 'live', 'live_cached', 'cached'].map((name) => [name, launch[`${name}_bytes`][i]]))})));
  await fresh.locator('[data-testid=timeline-table]').waitFor({state: 'attached'});
  const rows = await fresh.$$eval('[data-testid=timeline-table] tbody tr', (nodes) => nodes.map((node) => Object.fromEntries([...node.children].map((cell) => [cell.dataset.column, cell.dataset.value]))));
  assert.equal(rows.length, steps.length);
  rows.forEach((row, i) => {
    const {near, home, dram, live, live_cached: held, cached, heads, launch} = steps[i];
    assert.deepEqual([row.launch, Number(row.live_bytes), Number(row.live_cached_bytes), Number(row.cached_bytes), Number(row.heads)], [launch, live, held, cached, heads]);
    if (near + home + dram) close(Number(row.hit), (near + home) / (near + home + dram), 'hit rate');
    else assert.equal(row.hit, undefined);
  });
  // A step is level: its two ends have one height, and the highest live bytes the least y.
  const path = await fresh.locator('[data-testid=timeline-live] [data-key=live]').getAttribute('d');
  const ends = path.slice(1).split('L').map((end) => end.split(',').map(Number));
  assert.equal(ends.length, 2 * steps.length);
  ends.forEach(([x, y], i) => (i % 2 ? assert.equal(y, ends[i - 1][1]) : i && assert.equal(x, ends[i - 1][0])));
  const highest = steps.reduce((best, step, i) => (step.live > steps[best].live ? i : best), 0);
  assert.equal(Math.min(...ends.map(([, y]) => y)), ends[2 * highest][1]);
  assert.equal(Number(await fresh.locator('[data-testid=timeline-live] .reference').getAttribute('data-value')), effective / 2 ** 20);
  assert.equal(await fresh.locator('[data-testid=timeline-live] [data-launch]').count(), launches.length - 1);
  await fresh.context().close();
});
