/**
 * Hashes of JSON values.
 *
 * @module
 */
import { stringify } from 'safe-stable-stringify';
import { sha256Hex, startSha256 } from './sha256.ts';
import { hasSortedKeys } from './sorted-keys.ts';

/** Returns the SHA-256 of a JSON value with sorted keys, in hex. */
export function contentHash(value: unknown): string {
  return sha256Hex([sortedText(value)]);
}

/**
 * Returns the SHA-256 of JSON values one after the other, with sorted keys, in hex.
 *
 * @param write Writes what it can faster.
 *
 * A call of the hash takes as long as hashing a thousand characters, so short texts are joined: JSON has no half of a character at its
 * ends. More than a block is never in memory, as the collector would copy it again and again.
 */
export function hashOf(values: readonly unknown[], write: (value: unknown) => string | undefined): string {
  const hash = startSha256();
  let block = '';
  for (const value of values) {
    block += write(value) ?? sortedText(value);
    if (block.length < BLOCK) continue;
    hash.add(block);
    block = '';
  }
  hash.add(block);
  return hash.hex();
}

// --- internal ---

/** Characters after which a block ends. */
const BLOCK = 4096;

/** Returns the JSON of a value with sorted keys. The platform's is much faster, and the same if the keys are sorted. */
function sortedText(value: unknown): string {
  return (hasSortedKeys(value) ? JSON.stringify(value) : stringify(value)) ?? 'null';
}
