/**
 * The work of all engines: that of `npm run bench`, which is TypeScript.
 *
 * @module
 */

/** Creates a chain of phases: for each phase, the indexes of its predecessors. */
function chain(count) {
  return { name: 'chain', after: Array.from({ length: count }, (_, index) => (index === 0 ? [] : [index - 1])) };
}

/** Creates one phase that all others follow. */
function fanOut(count) {
  return { name: 'fan-out', after: Array.from({ length: count }, (_, index) => (index === 0 ? [] : [0])) };
}

/** Counts the calls of tasks. An engine that leaves out work would look fast. */
export const calls = { tasks: 0, reviews: 0 };

/** Does the work of one attempt. */
export async function work(index, attempt, input) {
  calls.tasks += 1;
  return (input % 1000) + index + attempt;
}

/** Reviews one attempt: every fifth phase is sent back once. */
export async function review(index, attempt) {
  calls.reviews += 1;
  return index % 5 === 0 && attempt === 0 ? 'RETRY: again' : 'APPROVE';
}

/** The shapes, by name. */
export const SHAPES = { chain, 'fan-out': fanOut };
