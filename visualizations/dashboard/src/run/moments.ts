/**
 * Where one can step to in the records of a run.
 *
 * @module
 */
import type { RunRecord } from '../../../../src/model/events/event.ts';

/**
 * The nearest decision before or after a record, by its number; `null` where there is none.
 *
 * @param count Records that are looked at; the log may have more already.
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

/** Where the run is shown a little later, when it is played: all of it takes about half a minute, and no record less than one step. */
export function playedFrom(seq: number, count: number): number {
  return Math.min(count, seq + Math.max(1, Math.round(count / STEPS)));
}

/** How long each step of that lasts, in milliseconds. */
export const STEP_MS = 120;

// --- internal ---

const STEPS = 250;
