/**
 * Access to columns of rows, for stores in databases with SQL.
 *
 * @module
 */
import { checksumOf } from '../checksum.ts';
import { damaged, MISMATCH } from '../damage.ts';
import type { Claim } from '../lease-rules.ts';

/** A row by column. */
export type Row = Readonly<Record<string, unknown>>;

/** A column of text. */
export function text(row: Row, column: string): string {
  return String(row[column]);
}

/**
 * A column of text with a checksum, which is in the column `sum`.
 *
 * @param what For errors, such as `item r1:7`.
 * @param good Number of records before the damage, if it is in a record.
 * @throws `STORE_UNREADABLE` if the text is not the stored one.
 */
export function checkedText(row: Row, column: string, what: string, runId: string, good?: number): string {
  const found = text(row, column);
  if (checksumOf(found) === row['sum']) return found;
  throw damaged(what, runId, MISMATCH, good);
}

/** A column with a number. */
export function number(row: Row, column: string): number {
  return Number(row[column]);
}

/** The claim in a row with the columns of `leases`, which may be null. */
export function claimIn(row: Row | undefined, runId: string): Claim | undefined {
  if (!row || typeof row['token'] !== 'string') return undefined;
  return {
    runId,
    holder: text(row, 'holder'),
    token: row['token'],
    expiresAt: number(row, 'expires_at'),
    ms: number(row, 'ms'),
  };
}
