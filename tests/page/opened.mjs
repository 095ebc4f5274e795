// The report that is tested: its data, and the page that most tests share.
import {after, before} from 'node:test';

import {launch, open} from './browser.mjs';
import {dataOf} from './expected.mjs';

export const file = process.argv[2];
if (!file) {
  console.error('usage: node report.test.mjs REPORT.html');
  process.exit(2);
}
export const {text, data, fields, unfused} = dataOf(file);
export const {records} = data;
export const algorithms = [...new Set(records.map((record) => record.point.algorithm))];
export const complaints = [];
export let browser;
export let page;

before(async () => {
  browser = await launch();
  page = await open(browser, file, {complaints});
});
after(async () => {
  await browser?.close();
});
