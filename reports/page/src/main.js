// Puts the page together. Every part has draw(state) for a new view and select(state) for a new selection only.
import {BOUNDARIES, boundaryName, fieldName, filtered, filterFields, readData} from './data.js';
import {detail} from './detail.js';
import {append, clear, selector} from './dom.js';
import {downloads, saveChart} from './download.js';
import {heatmap, QUANTITIES} from './heatmap.js';
import {parity} from './parity.js';
import {provenance} from './provenance.js';
import {roofline} from './roofline.js';
import {createStore} from './state.js';
import {table} from './table.js';
import {verdict} from './verdict.js';

function section(root, id, title) {
  const box = append(root, 'section', {id, 'aria-labelledby': `${id}-title`, tabindex: '-1'});
  append(box, 'h2', {id: `${id}-title`}, title);
  return box;
}

const defaultsFor = (data) => ({
  point: '', boundary: 'hbm', level: 'hbm', sort: 'index', slice: '',
  quantity: data.records.some((record) => record.measurement.hbm_read_bytes !== undefined) ? 'hbm-measured' : 'hbm-predicted',
  ...Object.fromEntries(filterFields(data).map((field) => [field, ''])),
});

// What a link says about data that this report does not have falls back to the default.
function acceptFor(data, defaults) {
  const known = new Set(BOUNDARIES.map((boundary) => boundary.key));
  return (state) => ({
    ...state,
    point: data.records[Number(state.point)] && state.point !== '' ? state.point : '',
    boundary: known.has(state.boundary) ? state.boundary : defaults.boundary,
    level: known.has(state.level) ? state.level : defaults.level,
    quantity: QUANTITIES.has(state.quantity) ? state.quantity : defaults.quantity,
    ...Object.fromEntries(filterFields(data).map((field) => [field, data.values.get(field).map(String).includes(state[field]) ? state[field] : ''])),
  });
}

function toolbar(root, data, store) {
  const bar = append(root, 'div', {class: 'toolbar', role: 'group', 'aria-label': 'View'});
  const boundary = selector(bar, {testid: 'boundary', label: 'Boundary', options: BOUNDARIES.map(({key, name}) => [key, name]),
    value: store.get().boundary, onChange: (value) => store.set({boundary: value})});
  const filters = filterFields(data).map((field) => [field, selector(bar, {testid: `filter-${field}`, label: fieldName(field), value: store.get()[field],
    options: [['', 'all'], ...data.values.get(field).map((value) => [String(value), String(value)])], onChange: (value) => store.set({[field]: value})})]);
  const count = append(bar, 'span', {class: 'note', 'data-testid': 'in-view', 'aria-live': 'polite'});
  return {select() {}, draw(state) {
    boundary.value = state.boundary;
    for (const [field, control] of filters) control.value = state[field];
    count.textContent = `${filtered(data, state).length} of ${data.records.length} points in view`;
  }};
}

function chartSection(root, id, title, part, data, store) {
  const box = section(root, id, title);
  const chart = part(box, data, store);
  append(box, 'button', {class: 'save', 'data-testid': `save-${id}`}, 'Save as SVG').addEventListener('click', () => {
    [...box.querySelectorAll('svg[role=group]')].forEach((svg) => saveChart(svg, `hbmscope-${svg.dataset.testid}`));
  });
  return chart;
}

function start(root) {
  const embedded = (id) => document.getElementById(id).textContent;
  const data = {...readData(embedded('hbmscope-data')), fields: JSON.parse(embedded('hbmscope-fields'))};
  const defaults = defaultsFor(data);
  const store = createStore(defaults, acceptFor(data, defaults));
  const heading = append(root, 'header');
  append(heading, 'h1', {}, 'hbmscope: predicted and measured memory traffic of attention');
  downloads(append(heading, 'div', {class: 'downloads'}), data);
  verdict(section(root, 'verdict', 'Verdict'), data, store);
  const parts = [toolbar(root, data, store)];
  parts.push(table(section(root, 'points', ''), data, store));
  parts.push(chartSection(root, 'parity', '', parity, data, store));
  parts.push(chartSection(root, 'heatmap', 'Sequence length × tile', heatmap, data, store));
  parts.push(chartSection(root, 'roofline', 'Roofline', roofline, data, store));
  parts.push(detail(section(root, 'point', 'Selected point'), data, store));
  provenance(section(root, 'provenance', 'Provenance'), data);

  const titles = {draw(state) {
    document.getElementById('points-title').textContent = `Predicted and measured ${boundaryName(state.boundary)} bytes`;
    document.getElementById('parity-title').textContent = `Parity at ${boundaryName(state.boundary)}`;
  }, select() {}};
  parts.push(titles);
  store.listen((state, previous) => {
    const onlySelection = Object.keys(state).every((key) => key === 'point' || state[key] === previous[key]);
    for (const part of parts) (onlySelection ? part.select : part.draw)(state);
  });
  for (const part of parts) part.draw(store.get());
}

const root = document.getElementById('report');
try {
  start(root);
  root.dataset.ready = 'true';
} catch (error) {
  clear(root);
  append(root, 'p', {role: 'alert'}, `This report cannot be shown: ${error.message}`);
  throw error;
}
