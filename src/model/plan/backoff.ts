/**
 * The wait before a retry.
 *
 * @module
 */
import { contentHash } from '../values/content-hash.ts';
import type { Backoff } from './policy-schema.ts';

/**
 * Returns the milliseconds to wait before retry `number`, where 1 is the first.
 *
 * @param who The values that identify the waiter. `jitter` is derived from them, so that a replayed run waits as long.
 * @param leastMs Least wait that the failure asks for; the `max` of the backoff bounds it, too.
 */
export function backoffMs(backoff: Backoff, number: number, who: readonly unknown[], leastMs = 0): number {
  const { first = 1000, factor = 2, max = 60_000, jitter = false } = backoff;
  const most = Math.min(max, first * factor ** (number - 1));
  // Why: docs/decisions/models.md#is-jitter-random
  const wait = jitter ? Math.round(most * shareOf([...who, number])) : most;
  return Math.min(max, Math.max(leastMs, wait));
}

// --- internal ---

/** Derives a number from 0 to 1 from values; it looks random. */
function shareOf(values: readonly unknown[]): number {
  return Number.parseInt(contentHash(values).slice(0, 8), 16) / 0xff_ff_ff_ff;
}
