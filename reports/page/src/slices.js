// A heat map needs one point per cell. A slice fixes every field that varies, save sequence length, tile and
// what makes separate maps (algorithm, variant).
import {fieldName, valueOf} from './data.js';

export const facetName = (record) => `${record.point.algorithm} ${record.point.variant ?? ''}`.trim();

const cellKey = (record) => [facetName(record), record.point.seqlen_q, record.point.seqlen_kv, record.point.br, record.point.bc].join('|');

const textOf = (field) => ({point}) => {
  const value = valueOf(point, field);
  return typeof value === 'string' ? value : value === undefined ? '' : `${fieldName(field)} ${value}`;
};

// Parts {key, records} whose records agree in every one of the texts.
function group(records, texts) {
  const parts = new Map();
  for (const record of records) {
    const key = texts.map((text) => text(record)).filter(Boolean).join(' · ');
    if (!parts.has(key)) parts.set(key, {key, records: []});
    parts.get(key).records.push(record);
  }
  return [...parts.values()];
}

const isUnique = (part) => new Set(part.records.map(cellKey)).size === part.records.length;

const tokens = ({point}) => `${point.batch * point.seqlen_q} tokens`;

// The batch often changes along with the sequence length, a constant number of tokens. Only where a cell would
// hold two points is a slice split: by tokens, if that leaves one in each and makes fewer slices than the batch.
function split(part, texts) {
  if (isUnique(part)) return [part];
  const byTokens = group(part.records, [...texts, tokens]);
  const byBatch = group(part.records, [...texts, textOf('batch')]);
  return byTokens.every(isUnique) && byTokens.length < byBatch.length ? byTokens : byBatch;
}

export function slices(data) {
  const texts = data.varying.filter((field) => field !== 'variant' && field !== 'batch').map(textOf);
  return group(data.records, texts).flatMap((part) => split(part, texts));
}

// The slice that shows most.
export const largestSlice = (parts) => parts.reduce((a, b) => (b.records.length > a.records.length ? b : a), parts[0]);
