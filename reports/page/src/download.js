// The data as CSV and JSON, the charts as SVG, made in the page: nothing is fetched.
import {append} from './dom.js';

function quoted(value) {
  const text = value === undefined || value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

// Numbers are taken as they are written in the JSON, so that integers beyond 2^53 stay exact.
function parseExactly(text) {
  return JSON.parse(text, (key, value, context) => (typeof value === 'number' ? context?.source ?? String(value) : value));
}

// `fields` is the tool's own list of CSV columns: [column, group, key within the group's object].
export function csvOf(text, fields) {
  const {schema_version: version, records} = parseExactly(text);
  const value = (record, group, key) => {
    if (group === 'schema') return version;
    const found = group === 'status' ? record[key] : record[group]?.[key];
    return typeof found === 'boolean' ? Number(found) : found;
  };
  const lines = [fields.map(([column]) => column), ...records.map((record) => fields.map(([, group, key]) => value(record, group, key)))];
  return lines.map((line) => line.map(quoted).join(',')).join('\n') + '\n';
}

export function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], {type}));
  const link = append(document.body, 'a', {href: url, download: name, hidden: ''});
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export function downloads(root, data) {
  const button = (name, testid, act) => append(root, 'button', {'data-testid': testid}, name).addEventListener('click', act);
  button('Download CSV', 'download-csv', () => save('hbmscope.csv', 'text/csv', csvOf(data.text, data.fields)));
  button('Download JSON', 'download-json', () => save('hbmscope.json', 'application/json', data.text));
}

const STYLES = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-opacity', 'fill-opacity', 'opacity', 'font-size', 'font-family', 'font-weight'];

// A copy of the chart that carries its styles with it and stands on the page's background.
function standalone(svg) {
  const copy = svg.cloneNode(true);
  const [from, to] = [svg, copy].map((node) => [node, ...node.querySelectorAll('*')]);
  from.forEach((node, i) => {
    const style = getComputedStyle(node);
    for (const name of STYLES) to[i].style.setProperty(name, style.getPropertyValue(name));
  });
  const [, , width, height] = svg.getAttribute('viewBox').split(' ');
  for (const [name, value] of Object.entries({xmlns: 'http://www.w3.org/2000/svg', width, height})) copy.setAttribute(name, value);
  copy.style.background = getComputedStyle(document.body).backgroundColor;
  return new XMLSerializer().serializeToString(copy);
}

export function saveChart(svg, name) {
  save(`${name}.svg`, 'image/svg+xml', standalone(svg));
}
