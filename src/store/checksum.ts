/**
 * Checksums of stored texts, for every store that keeps them outside this process.
 *
 * A checksum is the CRC-32 of a text in UTF-8. Those of records form a chain: each covers all records of the run up to its own. So a
 * missing, exchanged or changed record is found, and several records are checked with one computation.
 *
 * @module
 */
import { crc32 } from 'node:zlib';

/** Computes the checksum of a text. */
export function checksumOf(text: string): number {
  return crc32(text);
}

/**
 * Computes the chained checksum of a record.
 *
 * @param before That of the record before it; 0 for the first one.
 * @param text Text of the record; or of several, with commas between them, for the checksum of the last one.
 */
export function chainedChecksum(before: number, text: string): number {
  return crc32(text, crc32(',', before));
}
