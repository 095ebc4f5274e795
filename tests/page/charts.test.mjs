// The charts of all points in view: parity, heat map, roofline, errors.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {attributes, byId} from './browser.mjs';
import {BOUNDARIES, bytes, errorDistributions, leftOut, parityMarks, rooflineMarks} from './expected.mjs';
import {close, optional, rounds} from './numbers.mjs';
import {data, page, records} from './opened.mjs';

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
    if (expected.length) assert.ok(await page.locator('[data-testid=parity-error] .axis').nth(1).locator('.tick').count() > 1, 'errors of nothing but 0 have a scale');
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
    const words = {hbm: 'HBM', l2: 'L2', sram: 'shared-memory'};
    assert.ok((await byId(page, 'roofline').textContent()).includes(`FLOP per ${words[level]} byte`));
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
    const names = await page.$$eval('[data-testid=roofline] > text.tick', (nodes) => nodes.map((node) => node.textContent));
    if (sums.length < 2) assert.deepEqual(names, []);
    else assert.ok(names.length >= 1 && names.every((name) => /^d \d+(\/\d+)?$/.test(name)), `names at the lines: ${names}`);
    assert.equal(await page.locator('[data-testid=roofline-table] tbody tr').count(), expected.length);
    const bounds = expected.map((mark) => records[mark.index]).filter((record) => !record.measurement?.time_s);
    const note = await byId(page, 'roofline-note').textContent();
    assert.equal(note.includes('Lower bounds leave out'), bounds.some((record) => leftOut(data, record).length), note);
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
