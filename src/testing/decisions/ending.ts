/**
 * Phases and runs that end badly.
 *
 * @module
 */
import type { RunStatus } from '../../model/events/event.ts';
import { change, isAtWork, showEnd, showPhase, spotAt, type Draft } from './draft.ts';
import type { Seat } from './setting.ts';

/** Ends the run at once. */
export function endRun(draft: Draft, status: RunStatus): void {
  if (draft.ended !== null) return;
  for (const seat of draft.setting.seats) {
    const spot = spotAt(draft, seat.index);
    if (isAtWork(spot) || spot.standing === 'rewinding') showPhase(draft, seat, 'cancelled');
    else if (spot.standing === 'idle' && !spot.hasCommit) showPhase(draft, seat, 'skipped');
  }
  showEnd(draft, status);
  draft.ended = status;
}

/** Ends a phase for good, and all that cannot continue without it. */
export function endBadly(draft: Draft, seat: Seat, standing: 'rejected' | 'failed'): void {
  showPhase(draft, seat, standing);
  change(draft, seat.index, { standing });
  if (draft.setting.plan.onFailure === 'halt') endRun(draft, standing);
  else loseBelow(draft, seat);
}

/** Skips a phase for a person. */
export function skipPhase(draft: Draft, seat: Seat): void {
  showPhase(draft, seat, 'skipped');
  change(draft, seat.index, { standing: 'skipped' });
  loseBelow(draft, seat);
}

/** True if an ancestor has ended without approval. */
export function hasLostAncestor(draft: Draft, { above }: Seat): boolean {
  return [...above].some((index) => LOST.has(spotAt(draft, index).standing));
}

// --- internal ---

const LOST: ReadonlySet<string> = new Set(['rejected', 'failed', 'skipped']);

function loseBelow(draft: Draft, { below }: Seat): void {
  for (const index of below) {
    const seat = draft.setting.seats[index];
    const { standing, hasCommit } = spotAt(draft, index);
    if (!seat || draft.ended !== null) continue;
    if (standing === 'rewinding') endBadly(draft, seat, 'failed');
    if (standing !== 'idle') continue;
    if (!hasCommit) showPhase(draft, seat, 'skipped');
    // A phase that was approved before keeps its outputs.
    change(draft, index, { standing: hasCommit ? 'approved' : 'skipped', untold: null });
  }
}
