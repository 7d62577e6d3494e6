/**
 * The wait before a repetition.
 *
 * @module
 */
import { contentHash } from '../values/content-hash.ts';
import type { Backoff } from './policy.ts';

/**
 * Milliseconds to wait before try `number`, where 1 is the first repetition.
 *
 * @param who Whose wait it is. With `jitter` the part of the time follows from it, so that a run that is replayed waits as long.
 * @param leastMs Least wait that the failure asks for; the `max` of the backoff bounds it, too.
 */
export function backoffMs(backoff: Backoff, number: number, who: readonly unknown[], leastMs = 0): number {
  const { first = 1000, factor = 2, max = 60_000, jitter = false } = backoff;
  const most = Math.min(max, first * factor ** (number - 1));
  const wait = jitter ? Math.round(most * shareOf([...who, number])) : most;
  return Math.min(max, Math.max(leastMs, wait));
}

// --- internal ---

/** A number from 0 to 1 that follows from values, and looks like a random one. */
function shareOf(values: readonly unknown[]): number {
  return Number.parseInt(contentHash(values).slice(0, 8), 16) / 0xff_ff_ff_ff;
}
