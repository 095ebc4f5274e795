// Small helpers to build HTML with d3-selection. Text is always set as text, never as markup.
import {select} from 'd3-selection';

export function append(parent, tag, attributes = {}, text = undefined) {
  const node = select(parent).append(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null) node.attr(name, value);
  }
  if (text !== undefined) node.text(text);
  return node.node();
}

// Columns: {name, value(row), text(value), numeric}; each cell carries its exact value as data-value.
export function simpleTable(parent, {testid, caption, columns, rows, rowAttributes = () => ({})}) {
  const scroll = append(parent, 'div', {class: 'scroll'});
  const table = append(scroll, 'table', {'data-testid': testid});
  if (caption) append(table, 'caption', {}, caption);
  const head = append(append(table, 'thead'), 'tr');
  for (const column of columns) append(head, 'th', {scope: 'col', class: column.numeric ? 'number' : null}, column.name);
  const body = append(table, 'tbody');
  for (const row of rows) {
    const line = append(body, 'tr', rowAttributes(row));
    for (const column of columns) cell(line, column, row);
  }
  return table;
}

export function cell(line, column, row) {
  const value = column.value(row) ?? undefined;
  const attributes = {class: column.numeric ? 'number' : column.class, 'data-column': column.key, 'data-value': value};
  if (column.title) attributes.title = column.title(value, row);
  return append(line, 'td', attributes, column.text ? column.text(value, row) : value ?? '');
}

// A labelled <select>; options are [value, text].
export function selector(parent, {testid, label, options, value, onChange}) {
  const wrapper = append(parent, 'label', {class: 'selector'});
  append(wrapper, 'span', {}, label);
  const control = append(wrapper, 'select', {'data-testid': testid});
  for (const [key, text] of options) append(control, 'option', {value: key}, text);
  control.value = value;
  control.addEventListener('change', () => onChange(control.value));
  return control;
}

export function twin(parent) {
  const details = append(parent, 'details', {class: 'twin'});
  append(details, 'summary', {}, 'The same data as a table');
  return append(details, 'div');
}

export function clear(node) {
  node.replaceChildren();
}

// One tooltip for the page, shown on hover and on keyboard focus.
export function tooltip() {
  let box = document.getElementById('tooltip');
  if (!box) box = append(document.body, 'div', {id: 'tooltip', role: 'status', hidden: ''});
  return {
    show(target, lines) {
      clear(box);
      lines.filter((line) => line).forEach((line, i) => append(box, 'div', {class: i ? null : 'strong'}, line));
      box.hidden = false;
      const mark = target.getBoundingClientRect();
      const size = box.getBoundingClientRect();
      const left = Math.min(Math.max(4, mark.right + 8), document.documentElement.clientWidth - size.width - 4);
      const above = mark.top - size.height - 8;
      box.style.left = `${left + window.scrollX}px`;
      box.style.top = `${(above > 4 ? above : mark.bottom + 8) + window.scrollY}px`;
    },
    hide() {
      box.hidden = true;
    },
  };
}
