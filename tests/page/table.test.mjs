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
      const unknown = leftOut(data, record);
      assert.equal(cells.limiter[1], (record.prediction?.limiter ?? '') + (unknown.length ? `, without ${unknown.join(', ')}` : ''), `limiter of point ${index}`);
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
