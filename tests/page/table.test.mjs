// The table of points, and the filters.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {attributes, byId} from './browser.mjs';
import {BOUNDARIES, bytes, error, leftOut, parityMarks, WAYS} from './expected.mjs';
import {optional, rounds} from './numbers.mjs';
import {algorithms, data, page, records} from './opened.mjs';

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
    const filled = new Set();
    for (const {index, status, cells} of rows) {
      const record = records[index];
      const expected = {seqlen: record.point.seqlen_q, tile: `${record.point.br}×${record.point.bc}`, algorithm: record.point.algorithm, status: record.status,
        reason: record.reason, 'time-prediction': record.prediction?.time_s, 'time-measurement': record.measurement?.time_s, limiter: record.prediction?.limiter};
      for (const way of WAYS) {
        expected[`err-${way}`] = error(record, boundary, way);
        expected[`pred-${way}`] = bytes(record, 'prediction', boundary, way);
        expected[`meas-${way}`] = bytes(record, 'measurement', boundary, way);
      }
      assert.equal(status, record.status);
      const unknown = leftOut(data, record);
      assert.equal(cells.limiter?.[1] ?? '', (record.prediction?.limiter ?? '') + (unknown.length ? `, without ${unknown.join(', ')}` : ''), `limiter of point ${index}`);
      for (const [name, value] of Object.entries(expected)) {
        const what = `${name} of point ${index}`;
        const wanted = optional(value);
        if (wanted !== null) filled.add(name);
        if (!cells[name]) {
          assert.equal(wanted, null, `${what} has no column`);
          continue;
        }
        const [held, shown] = cells[name];
        if (/^err-/.test(name)) assert.equal(held === null, wanted === null, what);
        else assert.equal(held, wanted, what);
        if (wanted === null) assert.equal(shown, '', `${what} is absent`);
        else if (/^err-/.test(name)) rounds(shown, value * 100, what);
        else if (/^(pred|meas)-/.test(name)) rounds(shown, value / 1e9, what);
      }
    }
    if (rows.length < records.length) return;
    const empty = Object.keys(rows[0].cells).filter((name) => /^(pred|meas|err|time)-|^(limiter|reason)$/.test(name) && !filled.has(name));
    assert.deepEqual(empty, [], 'columns that no point fills');
  });
}

test('table: sorting, absent values last', async () => {
  await byId(page, 'boundary').selectOption('l2');
  const key = records.some((record) => bytes(record, 'measurement', 'l2', 'read')) ? 'meas-read' : 'pred-read';
  for (const direction of ['ascending', 'descending']) {
    await byId(page, `sort-${key}`).click();
    assert.equal(await page.locator(`th:has([data-testid=sort-${key}])`).getAttribute('aria-sort'), direction);
    const values = (await attributes(page, `[data-testid=points] td[data-column=${key}]`, ['data-value'])).map((cell) => cell['data-value']);
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
