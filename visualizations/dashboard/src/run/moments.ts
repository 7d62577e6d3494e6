/**
 * Steps through the records of a run.
 *
 * @module
 */
import type { RunRecord } from '../../../../src/model/events/event.ts';

/**
 * Finds the nearest decision before or after a record, by its number; `null` if there is none.
 *
 * @param count Records to search; the log may have more already.
 */
export function decisionFrom(
  records: readonly RunRecord[],
  seq: number,
  { step, count }: { readonly step: 1 | -1; readonly count: number },
): number | null {
  for (let at = seq + step; at >= 1 && at <= count; at += step)
    if (records[at - 1]?.event.type === 'review.decided') return at;
  return null;
}

/** The next record during playback. Playback of a run takes about 30 seconds, and each step has one record at least. */
export function playedFrom(seq: number, count: number): number {
  return Math.min(count, seq + Math.max(1, Math.round(count / STEPS)));
}

/** Milliseconds of each step. */
export const STEP_MS = 120;

// --- internal ---

const STEPS = 250;
