/**
 * Hashes of JSON values.
 *
 * @module
 */
import { stringify } from 'safe-stable-stringify';
import { sha256Hex } from './sha256.ts';

/** Returns the SHA-256 of a JSON value with sorted keys, in hex. */
export function contentHash(value: unknown): string {
  return hashOf([value]);
}

/** Returns the SHA-256 of JSON values one after the other, with sorted keys, in hex. */
export function hashOf(values: readonly unknown[]): string {
  return sha256Hex(textsOf(values));
}

// --- internal ---

/** Makes one text at a time. Each consists of hundreds of pieces, and the collector would copy those of all texts again and again. */
function* textsOf(values: readonly unknown[]): Iterable<string> {
  for (const value of values) yield stringify(value) ?? 'null';
}
