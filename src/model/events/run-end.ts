/**
 * The closing records of a run.
 *
 * @module
 */
import type { EventOf, RunRecord } from './event.ts';

/**
 * The number of records before the closing records of the next end, or of the last one if the run was not retried since. An end is
 * several records: one for each phase, then one for the run.
 */
export function endFrom(records: readonly RunRecord[], at: number): number {
  const last = records
    .slice(0, at)
    .findLastIndex(({ event: { type } }) => type === 'run.ended' || type === 'run.reopened');
  const isOver = records[last]?.event.type === 'run.ended';
  let end = isOver ? last : records.findIndex(({ event }, index) => index >= at && event.type === 'run.ended');
  if (end === -1) return records.length;
  while (ENDINGS.has(records[end - 1]?.event.type ?? '')) end -= 1;
  return end;
}

/** The end of a run; `undefined` if it has not ended, or was retried since. */
export function endOf(records: readonly RunRecord[]): EventOf<'run.ended'> | undefined {
  const last = records.findLast(({ event: { type } }) => type === 'run.ended' || type === 'run.reopened')?.event;
  return last?.type === 'run.ended' ? last : undefined;
}

// --- internal ---

const ENDINGS: ReadonlySet<string> = new Set(['phase.cancelled', 'phase.skipped', 'phase.stale']);
