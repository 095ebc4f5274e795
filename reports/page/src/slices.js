// A heat map needs one point per cell. A slice fixes every field that varies, save sequence length, tile and
// what makes separate maps (algorithm, variant).
import {fieldName} from './data.js';

export const facetName = (record) => `${record.point.algorithm} ${record.point.variant ?? ''}`.trim();

const cellKey = (record) => [facetName(record), record.point.seqlen_q, record.point.seqlen_kv, record.point.br, record.point.bc].join('|');

function group(records, fields) {
  const parts = new Map();
  for (const record of records) {
    const key = fields.filter((field) => record.point[field] !== undefined)
      .map((field) => (typeof record.point[field] === 'string' ? record.point[field] : `${fieldName(field)} ${record.point[field]}`)).join(' · ');
    if (!parts.has(key)) parts.set(key, {key, records: []});
    parts.get(key).records.push(record);
  }
  return [...parts.values()];
}

const isUnique = (part) => new Set(part.records.map(cellKey)).size === part.records.length;

// The batch often changes along with the sequence length (a constant number of tokens); it splits slices only
// where a cell would otherwise hold two points.
export function slices(data) {
  const fields = data.varying.filter((field) => field !== 'variant' && field !== 'batch');
  const parts = group(data.records, fields);
  return parts.every(isUnique) ? parts : group(data.records, [...fields, 'batch']);
}
