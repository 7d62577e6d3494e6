/**
 * Causes of recorded events, for replay: commands and reports that the coordinator does not produce by itself.
 *
 * @module
 */
import { approve } from '../../model/decision/decision.ts';
import type { EventOf, PhaseReport, RunEvent } from '../../model/events/event.ts';
import { restoreReadTasks } from '../../model/ledger/input-view.ts';
import { isFirstEdition } from '../../model/plan/edition.ts';
import { fingerprintLike } from '../../model/plan/plan.ts';
import { routeCorrections } from '../../model/review/change-request.ts';
import { remainingFeedbackOf, NO_REMAINING_FEEDBACK } from '../../model/review/remaining-feedback.ts';
import { decisionIn, isDemand } from '../../model/review/verdict.ts';
import { beginRun } from '../coordinator/begin-run.ts';
import { endIfDone } from '../coordinator/completion.ts';
import {
  abort,
  applyDecision,
  cancel,
  handleLateReport,
  recordItemChange,
  skip,
  spendTime,
} from '../coordinator/handle-report.ts';
import { reachLimit, refuseToLift } from '../coordinator/limits.ts';
import { markResumed, reopenRun } from '../coordinator/continue-run.ts';
import { phaseNamed, type RunState } from '../coordinator/run-state.ts';

/** The cause of an event. */
export type EventCause =
  /** Somebody has called the coordinator. */
  | { readonly type: 'called'; readonly call: (state: RunState) => void }
  /** A phase has reported something. `refused` if a limit did not allow it, so that it is not in the journal. */
  | {
      readonly type: 'reported';
      readonly report: PhaseReport;
      readonly refused?: boolean;
      readonly before?: (state: RunState) => void;
    }
  | { readonly type: 'read'; readonly event: EventOf<'phase.read'> }
  /** A start that was due. */
  | { readonly type: 'due' };

/**
 * Returns the cause of an event.
 *
 * @param before The event before it.
 * @param end Finds the next end of the run, after it.
 */
export function causeOf(
  state: RunState,
  event: RunEvent,
  before: RunEvent | undefined,
  end: () => EventOf<'run.ended'> | undefined,
): EventCause {
  switch (event.type) {
    case 'run.started':
      return { type: 'called', call: (one) => beginAsRecorded(one, event) };
    case 'run.resumed':
      return { type: 'called', call: (one) => markResumed(one, event) };
    case 'run.reopened':
      // Nobody can retry a run that has not ended.
      return { type: 'called', call: (one) => one.ended && reopenRun(one) };
    case 'phase.read':
      return { type: 'read', event };
    case 'phase.started':
      return { type: 'due' };
    case 'phase.approved': {
      const { type, phase, generation, attempt, because, outputs, readTasks } = event;
      const report = { type, phase, generation, attempt, because, outputs } as const;
      return { type: 'reported', report, before: (one) => restore(one, phase, readTasks) };
    }
    case 'review.decided':
      return event.by === 'person' ? decided(event) : { type: 'reported', report: event };
    case 'task.reported':
      if (event.late) return { type: 'called', call: (one) => handleLateReport(one, event) };
      return { type: 'reported', report: event };
    case 'task.dropped':
      return { type: 'called', call: (one) => handleLateReport(one, event) };
    case 'task.started':
    case 'task.completed':
    case 'task.retrying':
    case 'task.failed':
    case 'task.asked':
    case 'task.answered':
    case 'phase.warned':
    case 'check.baselined':
    case 'phase.reflected':
    case 'review.started':
    case 'review.waiting':
    case 'loop.detected':
    case 'attempt.unchanged':
    case 'phase.retrying':
    case 'phase.rewinding':
    case 'phase.rejected':
    case 'phase.failed':
      return { type: 'reported', report: event };
    case 'phase.escalated':
      return refusedSilently(state, event, before) ?? { type: 'reported', report: event };
    case 'limit.lifted':
      return {
        type: 'called',
        call: (one) => applyDecision(one, event.limit, { decision: approve(), who: event.who }),
      };
    case 'run.suspended':
    case 'item.changed':
      return { type: 'called', call: (one) => recordItemChange(one, event) };
    case 'limit.reached':
      return causeOfLimit(state, event, before);
    case 'phase.skipped':
      return causeOfSkip(state, event) ?? causeOfEnd(state, end());
    case 'phase.cancelled':
    case 'phase.stale':
    case 'phase.unaffected':
    case 'phase.invalidated':
      return causeOfEnd(state, end());
    case 'run.ended':
      return causeOfEnd(state, event);
  }
}

// --- internal ---

/** Begins a run as in its first record. */
function beginAsRecorded(state: RunState, event: EventOf<'run.started'>): void {
  state.kept = event.kept;
  const { forked, masked, redacted } = event;
  state.marks = { ...(masked && { masked }), ...(redacted && { redacted }), ...(forked && { forked }) };
  beginRun(state, fingerprintLike(state.plan, event));
}

/** Restores the recorded reads of a phase, whose handlers are not called again. */
function restore(state: RunState, phase: string, readTasks: EventOf<'phase.approved'>['readTasks']): void {
  const view = phaseNamed(state, phase)?.view;
  if (view) restoreReadTasks(view, readTasks);
}

function decided(event: EventOf<'review.decided'>): EventCause {
  const { who, edited: outputs } = event;
  const decision = decisionIn(event.verdict);
  return {
    type: 'reported',
    report: event,
    before: (state) => decision && applyDecision(state, event.phase, { decision, who, outputs }),
  };
}

/** Returns the cause of a skip by a person. A phase that has not begun is skipped by the end of another. */
function causeOfSkip(state: RunState, { phase, because, who }: EventOf<'phase.skipped'>): EventCause | undefined {
  if (phaseNamed(state, phase)?.lifecycle !== 'escalated') return undefined;
  return { type: 'called', call: (one) => skip(one, phase, because, who) };
}

/** Returns the cause of a limit: a try that does not fit, the clock, a refused start, or a refused correction. */
function causeOfLimit(state: RunState, event: EventOf<'limit.reached'>, before: RunEvent | undefined): EventCause {
  const { limit, used, max, refused: aTry } = event;
  if (aTry) return { type: 'called', call: (one) => reachLimit(one, limit, used, max, { refused: aTry }) };
  if (limit === 'durationMs' || limit === 'deadlineMs') return { type: 'called', call: (one) => spendTime(one, limit) };
  const refused = before?.type === 'review.decided' ? correctionAfter(state, before) : undefined;
  return refused ? { type: 'reported', report: refused, refused: true } : { type: 'due' };
}

/** Returns a correction that was refused by a limit that is reported already. */
function refusedSilently(
  state: RunState,
  { phase, because }: EventOf<'phase.escalated'>,
  before: RunEvent | undefined,
): EventCause | undefined {
  if (because !== 'limit' || before?.type !== 'review.decided' || before.phase !== phase) return undefined;
  const refused = correctionAfter(state, before);
  return refused && { type: 'reported', report: refused, refused: true };
}

/** Returns the correction of a verdict that a limit has refused, and that is not in the journal. */
function correctionAfter(state: RunState, judged: EventOf<'review.decided'>): PhaseReport | undefined {
  const { phase, generation, attempt, verdict, verdicts, by } = judged;
  if (!isDemand(verdict)) return undefined;
  const entry = phaseNamed(state, phase);
  const gate = entry?.phase.gate;
  const isAlone = !gate || isFirstEdition(state);
  const beside = isAlone ? NO_REMAINING_FEEDBACK : remainingFeedbackOf({ verdict, verdicts, by }, phase, gate);
  const { correction, riders } = routeCorrections(verdict, phase, attempt, gate?.targets ?? [], beside);
  const at = { phase, generation, attempt, correction, by };
  if (verdict.type === 'retry') return { type: 'phase.retrying', ...at, spent: 0 };
  const target = verdict.phase;
  const spent = (entry?.memory.rewinds[target] ?? 0) + 1;
  return { type: 'phase.rewinding', ...at, target, spent, ...(riders.length > 0 && { riders }) };
}

/** Returns the cause of the first record of the end of a run. */
function causeOfEnd(state: RunState, end: EventOf<'run.ended'> | undefined): EventCause {
  if (end?.status === 'cancelled') return { type: 'called', call: (one) => cancel(one, end.reason ?? '') };
  if (end?.status === 'exhausted') {
    const limit = state.blockingLimits.find((name) => name === end.limit);
    return limit === undefined
      ? { type: 'due' }
      : { type: 'called', call: (one) => refuseToLift(one, limit, end.reason ?? '') };
  }
  const { error } = end ?? {};
  return error ? { type: 'called', call: (one) => abort(one, error) } : ending(state);
}

/** Nothing is left to do, after a start that was due or the end of the last phase. */
function ending(state: RunState): EventCause {
  return state.isStartDue ? { type: 'due' } : { type: 'called', call: endIfDone };
}
