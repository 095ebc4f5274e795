// Words on the roofs that a lower bound of the time leaves out, so that a GPU whose rates nobody has published does
// not pass for a fast one.
import {distinct, ROOFS} from './data.js';
import {facetName} from './slices.js';

const NAMES = {hbm: 'HBM', l2: 'L2', sram: 'shared memory', tensor: 'tensor cores', exp: 'exponentials'};

// The limiter with what it was not compared with: "hbm, without l2".
export function limiterText({prediction: {limiter}, leftOut}) {
  return limiter === undefined ? '' : leftOut.length ? `${limiter}, without ${leftOut.join(', ')}` : limiter;
}

// A sentence on all bounds of these records, '' if they leave nothing out. Shared memory is left out where a
// variant describes no instructions, any other roof where the GPU's rate is not known.
export function leftOutSentence(data, records) {
  const gpuName = ({point}) => data.gpus.find((gpu) => gpu.name === point.gpu)?.full_name ?? point.gpu;
  const parts = ROOFS.flatMap((roof) => {
    const own = records.filter((record) => record.leftOut.includes(roof));
    if (!own.length) return [];
    return roof === 'sram' ? `${NAMES[roof]} for ${distinct(own.map(facetName)).join(', ')} (not described)`
      : `${NAMES[roof]} on ${distinct(own.map(gpuName)).join(', ')} (rate not known)`;
  });
  return parts.length ? `Lower bounds leave out ${parts.join('; ')}.` : '';
}
