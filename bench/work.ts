/**
 * The same work for every engine: N phases, each with one trivial task and one trivial reviewer; every fifth phase is sent
 * back once.
 *
 * @module
 */

/** The shape of a DAG: for each phase, the indices of those it comes after. */
export interface Shape {
  readonly name: string;
  readonly after: readonly (readonly number[])[];
}

/** Phases one after the other. */
export function chain(count: number): Shape {
  return { name: 'chain', after: Array.from({ length: count }, (_, index) => (index === 0 ? [] : [index - 1])) };
}

/** One phase, then all others at once. */
export function fanOut(count: number): Shape {
  return { name: 'fan-out', after: Array.from({ length: count }, (_, index) => (index === 0 ? [] : [0])) };
}

/** Layers of 32, each phase after two of the layer above. */
export function layers(count: number): Shape {
  const width = 32;
  const above = (index: number, place: number) => (Math.floor(index / width) - 1) * width + place;
  const after = Array.from({ length: count }, (_, index) =>
    index < width ? [] : [...new Set([above(index, index % width), above(index, ((index % width) * 7 + 3) % width)])],
  );
  return { name: 'layers', after };
}

/** The work of one attempt of a phase; it reads what one predecessor put out. */
export async function work(index: number, attempt: number, input: unknown): Promise<number> {
  return (typeof input === 'number' ? input % 1000 : 0) + index + attempt;
}

/** The review of one attempt. */
export async function review(index: number, attempt: number): Promise<'APPROVE' | 'RETRY: again'> {
  return index % 5 === 0 && attempt === 0 ? 'RETRY: again' : 'APPROVE';
}

/** How many attempts that makes. */
export function attemptsOf({ after }: Shape): number {
  return after.length + Math.ceil(after.length / 5);
}
