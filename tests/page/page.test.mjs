// The page as a whole: layout, print, provenance, and that it asks nobody for anything.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {byId, open} from './browser.mjs';
import {BOUNDARIES} from './expected.mjs';
import {bareAxes, clipped, overlaps} from './layout.mjs';
import {browser, complaints, data, file, page} from './opened.mjs';

for (const [width, colorScheme] of [[1400, 'light'], [1400, 'dark'], [900, 'light']]) {
  test(`layout at ${width} px, ${colorScheme}: nothing overflows or overlaps`, async () => {
    const fresh = await open(browser, file, {complaints, width, colorScheme});
    for (const boundary of BOUNDARIES) {
      await byId(fresh, 'boundary').selectOption(boundary);
      await byId(fresh, 'roofline-level').selectOption(boundary);
      assert.ok(await fresh.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
      assert.deepEqual(await overlaps(fresh), []);
      assert.deepEqual(await clipped(fresh), []);
      assert.deepEqual(await bareAxes(fresh), []);
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
