// Numbers as people read them, without a browser.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {bytes, bytesTick, column, flopsPerSecondTick, ratio, seconds} from '../../reports/page/src/format.js';

test('numbers: three digits, those of the rounded value', () => {
  const texts = [[0.9996, '1.00×'], [0.99949, '0.999×'], [9.996, '10.0×'], [12.34, '12.3×'], [99.96, '100×'], [1234.5, '1\u202f235×']];
  for (const [value, text] of texts) assert.equal(ratio(value), text);
  assert.equal(bytes(999.6e6), '1.00 GB');
  assert.equal(bytes(9.996e9), '10.0 GB');
  assert.equal(seconds(9.996e-3), '10.0 ms');
});

test('numbers: a column has one number of decimals, but nothing is 0', () => {
  const text = column([0, 0.0671e9, 12e9, undefined], 1e9);
  assert.deepEqual([0, 0.0671e9, 12e9, undefined].map(text), ['0', '0.0671', '12.0000', '']);
});

test('numbers: on an axis without the zeros that line columns up', () => {
  for (const [value, text] of [[20e6, '20 MB'], [2.5e9, '2.5 GB'], [1e9, '1 GB'], [100e6, '100 MB'], [1.05e9, '1.05 GB']]) assert.equal(bytesTick(value), text);
  assert.equal(flopsPerSecondTick(5e14), '500 TFLOP/s');
});
