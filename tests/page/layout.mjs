// Texts that leave their drawing.
export const clipped = (other) => other.$$eval('svg[role=group]', (charts) => charts.flatMap((chart) => {
  const box = chart.getBoundingClientRect();
  return [...chart.querySelectorAll('text')].filter((node) => {
    const own = node.getBoundingClientRect();
    return own.left < box.left - 1 || own.right > box.right + 1 || own.top < box.top - 1 || own.bottom > box.bottom + 1;
  }).map((node) => node.textContent);
}));

// Pairs of texts in one drawing that overlap.
export const overlaps = (other) => other.$$eval('svg[role=group]', (charts) => charts.flatMap((chart) => {
  const boxes = [...chart.querySelectorAll('text')].filter((node) => node.textContent).map((node) => [node.textContent, node.getBoundingClientRect()]);
  return boxes.flatMap(([a, p], i) => boxes.slice(i + 1).filter(([, q]) => p.left < q.right && q.left < p.right && p.top + 2 < q.bottom && q.top + 2 < p.bottom).map(([b]) => `${a} | ${b}`));
}));

// Axes on which nothing can be read, with less than two values, but for N, of which a slice may have one.
export const bareAxes = (other) => other.$$eval('svg[role=group]', (charts) => charts.flatMap((chart) => [...chart.querySelectorAll('.axis')]
  .filter((axis, i) => axis.querySelectorAll('.tick').length < 2 && !(i === 0 && chart.dataset.testid.startsWith('curve-'))).map(() => chart.dataset.testid)));
