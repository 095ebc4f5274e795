// Puts the page together. Every part has draw(state), and select(state) for when only the selected point
// has changed.
import {tiles} from './curves.js';
import {BOUNDARIES, boundaryWord, fieldName, filtered, filterFields, isMeasured, readData, tile} from './data.js';
import {detail} from './detail.js';
import {append, clear, selector} from './dom.js';
import {downloads, saveChart} from './download.js';
import {errors} from './errors.js';
import {heatmap, QUANTITIES} from './heatmap.js';
import {parity} from './parity.js';
import {provenance} from './provenance.js';
import {roofline} from './roofline.js';
import {scaling} from './scaling.js';
import {largestSlice, slices} from './slices.js';
import {createStore} from './state.js';
import {table} from './table.js';
import {verdict} from './verdict.js';
import {why} from './why.js';

function section(root, id, title) {
  const box = append(root, 'section', {id, 'aria-labelledby': `${id}-title`, tabindex: '-1'});
  append(box, 'h2', {id: `${id}-title`}, title);
  return box;
}

// The tile of the first measured point, else of the first.
const firstTile = (data) => {
  const record = data.records.find(isMeasured) ?? data.records[0];
  return record ? tile(record.point) : '';
};

const defaultsFor = (data, parts) => ({
  point: '', boundary: 'hbm', level: 'hbm', sort: 'index', slice: largestSlice(parts)?.key ?? '', tile: firstTile(data),
  quantity: data.records.some((record) => record.measurement.hbm_read_bytes !== undefined) ? 'hbm-measured' : 'hbm-predicted',
  ...Object.fromEntries(filterFields(data).map((field) => [field, ''])),
});

// What a link says about data that this report does not have falls back to the default.
function acceptFor(data, parts, defaults) {
  const known = new Set(BOUNDARIES.map((boundary) => boundary.key));
  return (state) => ({
    ...state,
    point: data.records[Number(state.point)] && state.point !== '' ? state.point : '',
    boundary: known.has(state.boundary) ? state.boundary : defaults.boundary,
    level: known.has(state.level) ? state.level : defaults.level,
    slice: parts.some((part) => part.key === state.slice) ? state.slice : defaults.slice,
    tile: tiles(data).includes(state.tile) ? state.tile : defaults.tile,
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

function titles() {
  return {select() {}, draw(state) {
    document.getElementById('points-title').textContent = `Predicted and measured ${boundaryWord(state.boundary)} bytes`;
    document.getElementById('scaling-title').textContent = `Against sequence length N, ${boundaryWord(state.boundary)} bytes and times`;
    document.getElementById('parity-title').textContent = `Parity of ${boundaryWord(state.boundary)} bytes`;
  }};
}

function start(root) {
  const embedded = (id) => document.getElementById(id).textContent;
  const data = {...readData(embedded('hbmscope-data'), JSON.parse(embedded('hbmscope-unfused'))), fields: JSON.parse(embedded('hbmscope-fields'))};
  const parts = slices(data);
  const defaults = defaultsFor(data, parts);
  const follow = (index) => ({slice: parts.find((part) => part.records.includes(data.records[index])).key, tile: tile(data.records[index].point)});
  const store = createStore(defaults, acceptFor(data, parts, defaults), follow);
  const heading = append(root, 'header');
  append(heading, 'h1', {}, 'hbmscope: predicted and measured memory traffic of attention');
  downloads(append(heading, 'div', {class: 'downloads'}), data);
  verdict(section(root, 'verdict', 'Verdict'), data, store);

  const filters = filterFields(data);
  const views = [];
  const add = (part, keys) => views.push({part, keys: [...keys, ...filters]});
  add(toolbar(root, data, store), ['boundary']);
  add(table(section(root, 'points', ''), data, store), ['boundary', 'sort']);
  add(chartSection(root, 'parity', '', parity, data, store), ['boundary']);
  add(chartSection(root, 'errors', 'Errors', errors, data, store), []);
  add(chartSection(root, 'why', 'Why DRAM sees what it sees', why, data, store), []);
  add(chartSection(root, 'scaling', '', scaling, data, store), ['boundary', 'slice', 'tile']);
  add(chartSection(root, 'heatmap', 'Sequence length × tile', heatmap, data, store), ['quantity', 'slice']);
  add(chartSection(root, 'roofline', 'Roofline', roofline, data, store), ['level']);
  add(detail(section(root, 'point', 'Selected point'), data, store), []);
  add(titles(), ['boundary']);
  provenance(section(root, 'provenance', 'Provenance'), data);

  // A part is drawn anew only if something it shows has changed, so that keyboard focus stays on a chosen mark.
  store.listen((state, previous) => {
    for (const {part, keys} of views) {
      if (keys.some((key) => state[key] !== previous[key])) part.draw(state);
      else part.select(state);
    }
  });
  for (const {part} of views) part.draw(store.get());
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
