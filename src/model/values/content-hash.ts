/**
 * Hashes of JSON values.
 *
 * @module
 */
import { stringify } from 'safe-stable-stringify';
import { sha256Hex } from './sha256.ts';
import { hasSortedKeys } from './sorted-keys.ts';

/** Returns the SHA-256 of a JSON value with sorted keys, in hex. */
export function contentHash(value: unknown): string {
  return hashOf([value]);
}

/** Returns the SHA-256 of JSON values one after the other, with sorted keys, in hex. */
export function hashOf(values: readonly unknown[]): string {
  return sha256Hex(textsOf(values));
}

// --- internal ---

/** Makes one text at a time. It may consist of hundreds of pieces, and the collector would copy those of all texts again and again. */
function* textsOf(values: readonly unknown[]): Iterable<string> {
  for (const value of values) yield textOf(value);
}

/** Returns the JSON of a value with sorted keys. The platform's is much faster, and the same if the keys are sorted. */
function textOf(value: unknown): string {
  return (hasSortedKeys(value) ? JSON.stringify(value) : stringify(value)) ?? 'null';
}
