/**
 * The work in waves: the tasks of all phases that are ready, then their reviews. For engines that replay a function, so
 * that its steps always start in the same order.
 *
 * @module
 */
import { review, work } from './shared.mjs';

/**
 * Runs a shape once.
 *
 * @param stepAll Runs steps at once. It is given `{ name, run }` of each, and resolves to their results.
 */
export async function inWaves({ after }, stepAll) {
  const next = after.map(() => []);
  after.forEach((sources, index) => {
    for (const source of sources) next[source].push(index);
  });
  const missing = after.map((sources) => sources.length);
  const outputs = after.map(() => 0);
  const attempts = after.map(() => 0);
  let ready = after.flatMap((sources, index) => (sources.length === 0 ? [index] : []));
  while (ready.length > 0) {
    const results = await stepAll(
      ready.map((index) => ({
        name: `work${index}`,
        run: () => work(index, attempts[index], outputs[after[index][0]]),
      })),
    );
    ready.forEach((index, place) => {
      outputs[index] = results[place];
    });
    const verdicts = await stepAll(
      ready.map((index) => ({ name: `review${index}`, run: () => review(index, attempts[index]) })),
    );
    ready = ready.flatMap((index, place) => {
      attempts[index] += 1;
      if (verdicts[place] !== 'APPROVE') return [index];
      return next[index].filter((target) => {
        missing[target] -= 1;
        return missing[target] === 0;
      });
    });
  }
}
