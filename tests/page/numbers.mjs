// Numbers as the page shows them, beside those of the data.
import assert from 'node:assert/strict';

const number = (shown) => Number(shown.replace(/[\u202f ]/g, '').replace('\u2212', '-').replace('×', '').replace('%', ''));
export const close = (actual, expected, message) => assert.ok(Math.abs(actual - expected) <= 1e-9 * Math.abs(expected), `${message}: ${actual} is not ${expected}`);
export const optional = (value) => (value === undefined || value === null || value === '' ? null : String(value));

// The text may round, but only at its last digit.
export function rounds(shown, expected, message) {
  const digits = (shown.split('.')[1] ?? '').replace(/[^0-9].*$/, '').length;
  assert.ok(Math.abs(number(shown) - expected) <= 0.5000001 * 10 ** -digits, `${message}: ${shown} is not ${expected}`);
}
