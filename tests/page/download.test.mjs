// What the page can save.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import {test} from 'node:test';

import {byId} from './browser.mjs';
import {parseCsv} from './expected.mjs';
import {optional} from './numbers.mjs';
import {data, fields, page, records, text} from './opened.mjs';

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
