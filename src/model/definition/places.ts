/**
 * Places of names in a definition.
 *
 * @module
 */
import type { namesOf } from './shorthand.ts';

/** The path of a value in a definition. */
export type Path = readonly PropertyKey[];

/** A list of phases or tasks, as objects or names. */
export type NameList = Parameters<typeof namesOf>[0];

/** Returns the path of a name in a list. */
export function placeIn(path: Path, list: NameList, name: string): Path {
  return [...path, (list ?? []).findIndex((one) => (typeof one === 'string' ? one : one?.name) === name)];
}
