/**
 * The order of a list by a seed.
 *
 * @module
 */
import { contentHash } from '../../model/values/content-hash.ts';

/** Returns a list in an order that follows from a seed. */
export function shuffled<T>(list: readonly T[], seed: number): readonly T[] {
  const keyed = list.map((one, index) => ({ one, key: contentHash([seed, index]) }));
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ one }) => one);
}
