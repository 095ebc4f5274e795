// Numbers as people read them. GB is 10^9 bytes throughout; what is absent stays an empty string.

const MINUS = '\u2212';
const THIN = '\u202f';

function significant(value, digits) {
  // Of the rounded value: 0.9997 has the digits of 1.00.
  const magnitude = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(Number(value.toPrecision(digits)))));
  return value.toFixed(Math.min(12, Math.max(0, digits - 1 - magnitude)));
}

// [least, largest]; Math.min(...values) would overflow the stack on 100,000 values.
export function extent(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

export function grouped(text) {
  const [whole, fraction] = String(text).split('.');
  const spaced = whole.replace(/\B(?=(\d{3})+(?!\d))/g, THIN);
  return fraction === undefined ? spaced : `${spaced}.${fraction}`;
}

function scaled(value, unit, digits) {
  if (value === undefined || value === null) return '';
  const prefixes = [['', 1], ['k', 1e3], ['M', 1e6], ['G', 1e9], ['T', 1e12], ['P', 1e15], ['E', 1e18]];
  let [prefix, factor] = prefixes[0];
  for (const [name, size] of prefixes) {
    // 0.9995 already prints as 1.00 of the next unit at three digits.
    if (Math.abs(value) >= size * 0.9995) [prefix, factor] = [name, size];
  }
  const text = prefix === '' && Number.isInteger(value) ? String(value) : significant(value / factor, digits);
  return `${text} ${prefix}${unit}`;
}

export const bytes = (value, digits = 3) => scaled(value, 'B', digits);
export const bytesPerSecond = (value, digits = 3) => scaled(value, 'B/s', digits);
export const flops = (value, digits = 3) => scaled(value, 'FLOP', digits);
export const flopsPerSecond = (value, digits = 3) => scaled(value, 'FLOP/s', digits);

// For an axis: "2.5 GB", "20 GB", without the zeros that line columns up.
const trimmed = (text) => text.replace(/(\.\d*?)0+ /, '$1 ').replace('. ', ' ');
export const bytesTick = (value) => trimmed(bytes(value));
export const flopsPerSecondTick = (value) => trimmed(flopsPerSecond(value));

export function seconds(value, digits = 3) {
  if (value === undefined || value === null) return '';
  if (value >= 1) return `${significant(value, digits)} s`;
  if (value >= 0.9995e-3) return `${significant(value * 1e3, digits)} ms`;
  return `${significant(value * 1e6, digits)} µs`;
}

export function signedPercent(value) {
  if (value === undefined || value === null) return '';
  const text = (Math.abs(value) * 100).toFixed(2);
  if (Number(text) === 0) return '0.00';
  return `${value < 0 ? MINUS : '+'}${grouped(text)}`;
}

export function percent(value) {
  if (value === undefined || value === null) return '';
  return `${grouped((value * 100).toFixed(2))}${THIN}%`;
}

export function ratio(value) {
  if (value === undefined || value === null) return '';
  return `${grouped(value >= 100 ? value.toFixed(0) : significant(value, 3))}×`;
}

// A formatter for one column: every value in the same unit with the same number of decimals, so that the
// digits line up. Small values keep three digits as long as that takes no more than four decimals.
export function column(values, factor) {
  const present = values.filter((value) => value !== undefined && value !== 0).map((v) => Math.abs(v) / factor);
  const smallest = present.length ? extent(present)[0] : 1;
  const decimals = Math.min(4, Math.max(1, 2 - Math.floor(Math.log10(smallest))));
  return (value) => (value === undefined ? '' : value === 0 ? '0' : grouped((value / factor).toFixed(decimals)));
}
