/**
 * Ends of phases without approval, and the end of a run.
 *
 * @module
 */
import { cutText, errorInfo, PhasegateError, type ErrorInfo } from '../../model/errors/phasegate-error.ts';
import { currentCommit } from '../../model/ledger/ledger.ts';
import { reach } from '../../model/values/graph.ts';
import { length } from './fifo.ts';
import { isLive, moveTo } from './phase-state.ts';
import { closePhase, phaseAt, phaseNamed, type PhaseState, type RunState } from './run-state.ts';

/** Ends a phase that was rejected or has failed, and all phases that need it. @param why Its reason, or its error as text. */
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

/** Skips a phase, and all phases that need it. The run does not fail by that. */
export function skipPhase(state: RunState, entry: PhaseState, because: string, who?: string): void {
  const { name } = entry.phase;
  state.outbox.push({ type: 'phase.skipped', phase: name, because, ...(who !== undefined && { who }) });
  closePhase(state, entry, 'skipped');
  entry.why = because;
  failOrSkipSuccessors(state, entry);
}

/** Fails a phase that waits for one that has ended without approval. */
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

/** Formats an error as the cause of another. */
export function wordsOfError({ code, message }: Pick<ErrorInfo, 'code' | 'message'>): string {
  return `${code}: ${message}`;
}

/**
 * Ends the run: stops every live phase, and skips every phase that has not begun. Usage of the stopped work counts before the
 * end is recorded.
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

/** Ends the run if nothing is left to do. */
export function endIfDone(state: RunState): void {
  // A report may stop phases that start again at its end.
  if (state.ended || state.isHandlingReport) return;
  if (state.liveCount === 0 && length(state.queue) === 0) endRun(state, { status: state.worstStatus });
}

/** Fails a run whose live phases all wait for each other. That is a bug, and a bug must not hang. */
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
  const problem = 'Cannot continue the run as every live phase waits for another';
  endRun(state, { status: 'failed', error: errorInfo(new PhasegateError('INTERNAL', problem)) });
}

// --- internal ---

/** Records the end of the run, and of its phases, at once. */
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

/** Ends a pending phase: it keeps its committed outputs, or is skipped if it has none. */
function finishPending(state: RunState, index: number, because: string): void {
  const { name } = state.plan.phases[index] ?? { name: '' };
  const kept = currentCommit(state.ledger, name) !== undefined;
  state.outbox.push(
    kept ? { type: 'phase.stale', phase: name, because } : { type: 'phase.skipped', phase: name, because },
  );
  moveTo(phaseAt(state, index), kept ? 'approved' : 'skipped');
}
