// Opens the report in headless Chromium and records everything that a quiet, self-contained page must not do.
import path from 'node:path';
import {pathToFileURL} from 'node:url';

import {chromium} from 'playwright-core';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export async function launch() {
  return chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: FLAGS});
}

// `complaints` fills with console messages, page errors and requests other than for the report itself.
export async function open(browser, file, {hash = '', width = 1400, colorScheme = 'light', complaints} = {}) {
  const context = await browser.newContext({viewport: {width, height: 900}, colorScheme, acceptDownloads: true});
  const page = await context.newPage();
  const url = pathToFileURL(path.resolve(file)).href;
  if (complaints) {
    page.on('console', (message) => complaints.push(`console ${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => complaints.push(`page error: ${error.message}`));
    page.on('request', (request) => {
      const target = request.url();
      if (!target.startsWith(url) && !/^(data|blob):/.test(target)) complaints.push(`request: ${target}`);
    });
  }
  await page.goto(url + hash);
  await page.waitForSelector('#report[data-ready=true]', {timeout: 20000});
  return page;
}

export const byId = (page, id) => page.locator(`[data-testid="${id}"]`);

// Attributes of all elements that a selector finds, in document order.
export function attributes(page, selector, names) {
  return page.$$eval(selector, (nodes, wanted) => nodes.map((node) => Object.fromEntries(wanted.map((name) => [name, node.getAttribute(name)]))), names);
}
