/**
 * Continuation of a run: in another process, or after its end.
 *
 * @module
 */
import type { EventOf } from '../../model/events/event.ts';
import { recounted } from '../../model/review/open-issues.ts';
import { endIfDone } from './completion.ts';
import { moveTo } from './phase-state.ts';
import { canStart, isUnsettled } from './readiness.ts';
import { enqueue, phaseAt, reachesPerson, type PhaseState, type RunState } from './run-state.ts';
import { scheduleStarts } from './scheduler.ts';

/** Marks a run that another process resumes. Live phases learn if it can reach a person. */
export function markResumed(state: RunState, event: EventOf<'run.resumed'>): void {
  state.outbox.push(event);
  const { attended } = event;
  if (attended === undefined) return;
  state.attended = attended;
  for (const { actor, phase } of state.phases.values())
    actor?.send({ type: 'attend', attended: reachesPerson(state, phase) });
}

/**
 * Reopens a run that has ended. Phases that are not approved, or were about to run again, run; all others keep their outputs.
 *
 * Totals stay spent. Demands of later phases are sent again.
 */
export function reopenRun(state: RunState): void {
  state.ended = undefined;
  state.isClosed = false;
  state.worstStatus = 'completed';
  state.blockingLimits = [];
  state.unchanged = undefined;
  state.outbox.push({ type: 'run.reopened' });
  const phases = state.plan.phases.map((_, index) => index);
  for (const index of phases) {
    if (isUnsettled(state.readiness, index)) resetPhase(phaseAt(state, index));
  }
  enqueue(
    state,
    phases.filter((index) => canStart(state.readiness, index)),
  );
  scheduleStarts(state);
  endIfDone(state);
}

// --- internal ---

/** Resets a phase that has ended: it may start again, as a new generation if it has begun before. */
function resetPhase(entry: PhaseState): void {
  if (entry.attempts > 0) entry.generation += 1;
  moveTo(entry, 'pending');
  entry.failedAncestor = undefined;
  entry.why = undefined;
  entry.memory = { ...entry.memory, findings: recounted(entry.memory.findings, 0), lastDemand: undefined };
  if (entry.deferredRequests.length > 0) {
    entry.pendingRequests = [...entry.pendingRequests, ...entry.deferredRequests];
    entry.deferredRequests = [];
  }
  // It gets the demands that it worked on again; without any it starts afresh.
  entry.startsAfresh = entry.activeRequests.length + entry.pendingRequests.length === 0;
}
