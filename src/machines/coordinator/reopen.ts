/**
 * Going on with a run that was left: by a process that has ended, or at its end.
 *
 * @module
 */
import { isFree, isUnsettled } from './readiness.ts';
import type { EventOf } from '../../model/events/event.ts';
import { recounted } from '../../model/review/open-issues.ts';
import { enqueue, entryAt, reachesPerson, type Board, type Entry } from './run-state.ts';
import { schedule } from './scheduler.ts';
import { endIfDone } from './completion.ts';

/** Another process goes on with the run. Whether it can reach a person holds for phases that are live, too. */
export function resumeRun(board: Board, event: EventOf<'run.resumed'>): void {
  board.outbox.push(event);
  const { attended } = event;
  if (attended === undefined) return;
  board.attended = attended;
  for (const { standing, actor, phase } of board.entries.values()) {
    if (standing === 'live') actor?.send({ type: 'attend', attended: reachesPerson(board, phase) });
  }
}

/**
 * A run that has ended goes on: phases that are not approved, or were to run again, run; all others keep what they have.
 *
 * Totals stay spent. What later phases have demanded is told again.
 */
export function reopen(board: Board): void {
  board.ended = undefined;
  board.closed = false;
  board.worst = 'completed';
  board.held.length = 0;
  board.unchanged.clear();
  board.outbox.push({ type: 'run.reopened' });
  const phases = board.plan.phases.map((_, index) => index);
  for (const index of phases) {
    if (isUnsettled(board.course, index)) rearm(entryAt(board, index));
  }
  enqueue(
    board,
    phases.filter((index) => isFree(board.course, index)),
  );
  schedule(board);
  endIfDone(board);
}

// --- internal ---

/** A phase that had ended may start again, as a new generation where it has begun before. */
function rearm(entry: Entry): void {
  if (entry.attempts > 0) entry.generation += 1;
  entry.standing = 'pending';
  entry.doomedBy = undefined;
  entry.why = undefined;
  entry.findings = recounted(entry.findings, 0);
  entry.saying = undefined;
  entry.parked = undefined;
  if (entry.belated.length > 0) {
    entry.requests = [...entry.requests, ...entry.belated];
    entry.belated = [];
  }
  // Demands that it worked on are told again; without any it starts afresh.
  entry.fresh = entry.outstanding.length + entry.requests.length === 0;
}
