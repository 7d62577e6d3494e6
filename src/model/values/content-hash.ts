/**
 * Hashes of JSON values.
 *
 * @module
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { stringify } from 'safe-stable-stringify';

/** Returns the SHA-256 of a JSON value with sorted keys, in hex. */
export function contentHash(value: unknown): string {
  return hashOf([value]);
}

/** Returns the SHA-256 of JSON values one after the other, with sorted keys, in hex. */
export function hashOf(values: readonly unknown[]): string {
  const hash = sha256.create();
  for (const value of values) hash.update(utf8ToBytes(stringify(value) ?? 'null'));
  return bytesToHex(hash.digest());
}
