/**
 * Seals: a fingerprint of all records of a run. Kept elsewhere, it proves later that nobody has changed them.
 *
 * @module
 */
import { startSha256 } from '../values/sha256.ts';
import type { RunRecord } from './event.ts';

/** The seal of records, as they are added. */
export interface RunningSeal {
  /** Adds the next record, with its large values. */
  add(record: RunRecord): void;
  /** The seal of the records so far: 64 hexadecimal digits. */
  hex(): string;
}

/**
 * Starts a seal: the SHA-256 of the records as lines of JSON, each with its line end. So `phasegate events <run> --json | sha256sum` prints
 * the same. It depends on nothing but the records, so a copy of a run in another store has the same seal.
 */
export function startSeal(): RunningSeal {
  const hash = startSha256();
  return { add: (record) => hash.add(`${JSON.stringify(record)}\n`), hex: () => hash.hex() };
}

/** Returns the seal of records. */
export function sealOf(records: readonly RunRecord[]): string {
  const seal = startSeal();
  for (const record of records) seal.add(record);
  return seal.hex();
}

/** Returns the seal in a text; `undefined` if it is none. */
export function sealIn(text: string): string | undefined {
  const found = text.trim().toLowerCase();
  return /^[\da-f]{64}$/u.test(found) ? found : undefined;
}
