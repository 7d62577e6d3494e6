/**
 * How phases that cannot go on end, and how a run ends.
 *
 * @module
 */
import { cutText, errorInfo, PhasegateError, type ErrorInfo } from '../../model/errors/phasegate-error.ts';
import { reach } from '../../model/values/graph.ts';
import { currentCommit } from '../../model/ledger/ledger.ts';
import { length } from './fifo.ts';
import { entryAt, entryNamed, retire, type Board, type Entry, type Standing } from './run-state.ts';

/** A phase was rejected or failed: everything that needs it ends, too. @param why Its reason, or its error, in words. */
export function abandon(board: Board, entry: Entry, standing: 'rejected' | 'failed', why: string): void {
  retire(board, entry, standing);
  entry.why = why;
  board.worst = standing === 'failed' || board.worst === 'failed' ? 'failed' : 'rejected';
  if (board.plan.onFailure === 'halt') {
    endRun(board, {
      status: board.worst,
      reason: `Phase "${entry.phase.name}" was ${standing === 'failed' ? 'not done' : 'rejected'}`,
    });
    return;
  }
  doomSuccessors(board, entry);
}

/** A phase is skipped: nothing that needs it can go on, and that is no failure of the run. */
export function leaveOut(board: Board, entry: Entry, because: string, who?: string): void {
  const { name } = entry.phase;
  board.outbox.push({ type: 'phase.skipped', phase: name, because, ...(who !== undefined && { who }) });
  retire(board, entry, 'skipped');
  entry.why = because;
  doomSuccessors(board, entry);
}

/** A phase that waits for one that ended badly cannot go on. */
export function failWaiting(board: Board, entry: Entry, cause: string): void {
  const problem = `Cannot restart phase "${entry.phase.name}" as "${cause}", which it sent back or depends on, has ended without approval`;
  const hint = `See why "${cause}" ended.`;
  const why = entryNamed(board, cause)?.why;
  const error = errorInfo(new PhasegateError('PREDECESSOR_FAILED', problem, { hint }));
  board.outbox.push({
    type: 'phase.failed',
    phase: entry.phase.name,
    generation: entry.generation,
    attempt: entry.attempt,
    error: why ? { ...error, cause: cutText(why) } : error,
  });
  entry.actor?.send({ type: 'cancel' });
  abandon(board, entry, 'failed', why ?? wordsOfError(error));
}

/** An error in words, as the cause of another. */
export function wordsOfError({ code, message }: Pick<ErrorInfo, 'code' | 'message'>): string {
  return `${code}: ${message}`;
}

/**
 * Ends the run: stops whatever is live, and says of every phase that never came to its turn that it was skipped. What the
 * work that is stopped has used by then is counted before that is said.
 */
export function endRun(board: Board, end: NonNullable<Board['ended']>): void {
  if (board.ended) return;
  board.ended = end;
  const stopped = new Set<Entry>();
  for (const entry of board.entries.values()) {
    if (entry.standing !== 'live') continue;
    stopped.add(entry);
    retire(board, entry, 'cancelled');
  }
  board.ports.atRest(() => close(board, end, stopped));
}

/** Ends the run when nothing is left to do. */
export function endIfDone(board: Board): void {
  // In the middle of a report phases may be stopped that are started again at its end.
  if (board.ended || board.busy) return;
  if (board.live === 0 && length(board.queue) === 0) endRun(board, { status: board.worst });
}

/** Ends a run that could never end: phases that wait for each other are a bug, and a bug must not hang. */
export function endIfStuck(board: Board): void {
  if (
    board.ended ||
    board.live === 0 ||
    board.working > 0 ||
    length(board.queue) > 0 ||
    board.scheduled ||
    board.held.length > 0
  )
    return;
  for (const entry of board.entries.values()) {
    if (entry.standing === 'live' && entry.parked !== 'rewinding') return;
  }
  const problem = 'Cannot go on with the run as every live phase waits for another';
  endRun(board, { status: 'failed', error: errorInfo(new PhasegateError('INTERNAL', problem)) });
}

// --- internal ---

/** Says how the run has ended, all at once. */
function close(board: Board, end: NonNullable<Board['ended']>, stopped: ReadonlySet<Entry>): void {
  board.closed = true;
  const because = end.reason ?? `the run ${end.status}`;
  board.plan.phases.forEach((phase, index) => {
    const entry = board.entries.get(index);
    if (entry === undefined || entry.standing === 'pending') finishPending(board, index, because);
    else if (stopped.has(entry)) board.outbox.push({ type: 'phase.cancelled', phase: phase.name, because });
  });
  board.outbox.push({ type: 'run.ended', ...end });
  board.ports.settle();
}

function doomSuccessors(board: Board, entry: Entry): void {
  for (const index of [...reach(board.graph.next, entry.index)].toSorted((a, b) => a - b))
    doom(board, entryAt(board, index), entry);
}

function doom(board: Board, entry: Entry, cause: Entry): void {
  entry.doomedBy ??= cause.phase.name;
  if (entry.parked === 'rewinding') failWaiting(board, entry, cause.phase.name);
  else if (entry.standing === 'pending') finishPending(board, entry.index, cause.phase.name);
}

/** A phase that does not run (again) is skipped, or keeps what it had when it was to run again. */
function finishPending(board: Board, index: number, because: string): void {
  const { name } = board.plan.phases[index] ?? { name: '' };
  const kept = currentCommit(board.ledger, name) !== undefined;
  const standing: Standing = kept ? 'approved' : 'skipped';
  board.outbox.push(
    kept ? { type: 'phase.stale', phase: name, because } : { type: 'phase.skipped', phase: name, because },
  );
  entryAt(board, index).standing = standing;
}
