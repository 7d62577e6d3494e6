/**
 * How phases that cannot go on end, and how a run ends.
 *
 * @module
 */
import { cutText, errorInfo, PhasegateError, type ErrorInfo } from '../../model/errors/phasegate-error.ts';
import { currentCommit } from '../../model/ledger/ledger.ts';
import { reach } from '../../model/values/graph.ts';
import { length } from './fifo.ts';
import { isLive, moveTo } from './phase-state.ts';
import { closePhase, phaseAt, phaseNamed, type PhaseState, type RunState } from './run-state.ts';

/** A phase was rejected or failed: everything that needs it ends, too. @param why Its reason, or its error, in words. */
export function endBadly(state: RunState, entry: PhaseState, standing: 'rejected' | 'failed', why: string): void {
  closePhase(state, entry, standing);
  entry.why = why;
  state.worstStatus = standing === 'failed' || state.worstStatus === 'failed' ? 'failed' : 'rejected';
  if (state.plan.onFailure === 'halt') {
    endRun(state, {
      status: state.worstStatus,
      reason: `Phase "${entry.phase.name}" was ${standing === 'failed' ? 'not done' : 'rejected'}`,
    });
    return;
  }
  failOrSkipSuccessors(state, entry);
}

/** A phase is skipped: nothing that needs it can go on, and that is no failure of the run. */
export function skipPhase(state: RunState, entry: PhaseState, because: string, who?: string): void {
  const { name } = entry.phase;
  state.outbox.push({ type: 'phase.skipped', phase: name, because, ...(who !== undefined && { who }) });
  closePhase(state, entry, 'skipped');
  entry.why = because;
  failOrSkipSuccessors(state, entry);
}

/** A phase that waits for one that ended badly cannot go on. */
export function failWaiting(state: RunState, entry: PhaseState, cause: string): void {
  const problem = `Cannot restart phase "${entry.phase.name}" as "${cause}", which it sent back or depends on, has ended without approval`;
  const hint = `See why "${cause}" ended.`;
  const why = phaseNamed(state, cause)?.why;
  const error = errorInfo(new PhasegateError('PREDECESSOR_FAILED', problem, { hint }));
  state.outbox.push({
    type: 'phase.failed',
    phase: entry.phase.name,
    generation: entry.generation,
    attempt: entry.attempt,
    error: why ? { ...error, cause: cutText(why) } : error,
  });
  entry.actor?.send({ type: 'cancel' });
  endBadly(state, entry, 'failed', why ?? wordsOfError(error));
}

/** An error in words, as the cause of another. */
export function wordsOfError({ code, message }: Pick<ErrorInfo, 'code' | 'message'>): string {
  return `${code}: ${message}`;
}

/**
 * Ends the run: stops whatever is live, and says of every phase that never came to its turn that it was skipped. What the
 * work that is stopped has used by then is counted before that is said.
 */
export function endRun(state: RunState, end: NonNullable<RunState['ended']>): void {
  if (state.ended) return;
  state.ended = end;
  const stopped = new Set<PhaseState>();
  for (const entry of state.phases.values()) {
    if (!isLive(entry)) continue;
    stopped.add(entry);
    closePhase(state, entry, 'cancelled');
  }
  state.ports.atRest(() => close(state, end, stopped));
}

/** Ends the run when nothing is left to do. */
export function endIfDone(state: RunState): void {
  // In the middle of a report phases may be stopped that are started again at its end.
  if (state.ended || state.isHandlingReport) return;
  if (state.liveCount === 0 && length(state.queue) === 0) endRun(state, { status: state.worstStatus });
}

/** Ends a run that could never end: phases that wait for each other are a bug, and a bug must not hang. */
export function endIfStuck(state: RunState): void {
  if (
    state.ended ||
    state.liveCount === 0 ||
    state.activeCount > 0 ||
    length(state.queue) > 0 ||
    state.isStartDue ||
    state.blockingLimits.length > 0
  )
    return;
  for (const entry of state.phases.values()) {
    if (isLive(entry) && entry.lifecycle !== 'rewinding') return;
  }
  const problem = 'Cannot go on with the run as every live phase waits for another';
  endRun(state, { status: 'failed', error: errorInfo(new PhasegateError('INTERNAL', problem)) });
}

// --- internal ---

/** Says how the run has ended, all at once. */
function close(state: RunState, end: NonNullable<RunState['ended']>, stopped: ReadonlySet<PhaseState>): void {
  state.isClosed = true;
  const because = end.reason ?? `the run ${end.status}`;
  state.plan.phases.forEach((phase, index) => {
    const entry = state.phases.get(index);
    if (entry === undefined || entry.lifecycle === 'pending') finishPending(state, index, because);
    else if (stopped.has(entry)) state.outbox.push({ type: 'phase.cancelled', phase: phase.name, because });
  });
  state.outbox.push({ type: 'run.ended', ...end });
  state.ports.settle();
}

function failOrSkipSuccessors(state: RunState, entry: PhaseState): void {
  for (const index of [...reach(state.graph.next, entry.index)].toSorted((a, b) => a - b))
    failOrSkip(state, phaseAt(state, index), entry);
}

function failOrSkip(state: RunState, entry: PhaseState, cause: PhaseState): void {
  entry.failedAncestor ??= cause.phase.name;
  if (entry.lifecycle === 'rewinding') failWaiting(state, entry, cause.phase.name);
  else if (entry.lifecycle === 'pending') finishPending(state, entry.index, cause.phase.name);
}

/** A phase that does not run (again) is skipped, or keeps what it had when it was to run again. */
function finishPending(state: RunState, index: number, because: string): void {
  const { name } = state.plan.phases[index] ?? { name: '' };
  const kept = currentCommit(state.ledger, name) !== undefined;
  state.outbox.push(
    kept ? { type: 'phase.stale', phase: name, because } : { type: 'phase.skipped', phase: name, because },
  );
  moveTo(phaseAt(state, index), kept ? 'approved' : 'skipped');
}
