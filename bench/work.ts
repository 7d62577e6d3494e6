/**
 * The work that every engine does: N phases, each with one trivial task and one trivial reviewer. Every fifth phase is
 * sent back once.
 *
 * @module
 */

/** The shape of a graph: for each phase, the indexes of its predecessors. */
export interface Shape {
  readonly name: string;
  readonly after: readonly (readonly number[])[];
}

/** Creates a chain of phases. */
export function chain(count: number): Shape {
  return { name: 'chain', after: Array.from({ length: count }, (_, index) => (index === 0 ? [] : [index - 1])) };
}

/** Creates one phase that all others follow. */
export function fanOut(count: number): Shape {
  return { name: 'fan-out', after: Array.from({ length: count }, (_, index) => (index === 0 ? [] : [0])) };
}

/** Creates layers of 32 phases, each after two phases of the layer above. */
export function layers(count: number): Shape {
  const width = 32;
  const above = (index: number, place: number) => (Math.floor(index / width) - 1) * width + place;
  const after = Array.from({ length: count }, (_, index) =>
    index < width ? [] : [...new Set([above(index, index % width), above(index, ((index % width) * 7 + 3) % width)])],
  );
  return { name: 'layers', after };
}

/** Counts of calls. An engine that leaves out work would look fast. */
export const calls = { tasks: 0, reviews: 0 };

/** Does the work of one attempt of a phase, from the output of one predecessor. */
export async function work(index: number, attempt: number, input: unknown): Promise<number> {
  calls.tasks += 1;
  return (typeof input === 'number' ? input % 1000 : 0) + index + attempt;
}

/** Reviews one attempt. */
export async function review(index: number, attempt: number): Promise<'APPROVE' | 'RETRY: again'> {
  calls.reviews += 1;
  return index % 5 === 0 && attempt === 0 ? 'RETRY: again' : 'APPROVE';
}

/** Counts the attempts of a shape. */
export function attemptsOf({ after }: Shape): number {
  return after.length + Math.ceil(after.length / 5);
}
