/**
 * Access to columns of rows.
 *
 * @module
 */
import type { Claim } from '../lease-rules.ts';
import type { Row } from './driver.ts';

/** A column of text. */
export function text(row: Row, column: string): string {
  return String(row[column]);
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
