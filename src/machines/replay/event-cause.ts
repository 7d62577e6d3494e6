/**
 * What led to an event of a journal, where the board does not come to it by itself: the facts in it.
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
import { markResumed, reopenRun } from '../coordinator/reopen.ts';
import { phaseNamed, type RunState } from '../coordinator/run-state.ts';

/** What led to an event. */
export type EventCause =
  /** The board was told something. */
  | { readonly type: 'told'; readonly tell: (state: RunState) => void }
  /** A phase has reported something; `refused` where that was not let happen, and so is not in the journal. */
  | {
      readonly type: 'reported';
      readonly report: PhaseReport;
      readonly refused?: boolean;
      readonly before?: (state: RunState) => void;
    }
  | { readonly type: 'read'; readonly event: EventOf<'phase.read'> }
  /** The board was about to start phases, and has. */
  | { readonly type: 'due' };

/**
 * What led to an event.
 *
 * @param before The event before it.
 * @param end Finds how the run ends next, after it.
 */
export function causeOf(
  state: RunState,
  event: RunEvent,
  before: RunEvent | undefined,
  end: () => EventOf<'run.ended'> | undefined,
): EventCause {
  switch (event.type) {
    case 'run.started':
      return { type: 'told', tell: (one) => openAsTold(one, event) };
    case 'run.resumed':
      return { type: 'told', tell: (one) => markResumed(one, event) };
    case 'run.reopened':
      return { type: 'told', tell: reopenRun };
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
      if (event.late) return { type: 'told', tell: (one) => handleLateReport(one, event) };
      return { type: 'reported', report: event };
    case 'task.dropped':
      return { type: 'told', tell: (one) => handleLateReport(one, event) };
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
      return { type: 'told', tell: (one) => applyDecision(one, event.limit, { decision: approve(), who: event.who }) };
    case 'run.suspended':
    case 'item.changed':
      return { type: 'told', tell: (one) => recordItemChange(one, event) };
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

/** Begins a run as its first record says that it began. */
function openAsTold(state: RunState, event: EventOf<'run.started'>): void {
  state.kept = event.kept;
  const { forked, masked } = event;
  state.marks = { ...(masked && { masked }), ...(forked && { forked }) };
  beginRun(state, fingerprintLike(state.plan, event));
}

/** Its handlers, which are not called again, have read what the record says. */
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

/** A person has skipped a phase that waits; one that was never started is skipped by the end of another. */
function causeOfSkip(state: RunState, { phase, because, who }: EventOf<'phase.skipped'>): EventCause | undefined {
  if (phaseNamed(state, phase)?.lifecycle !== 'escalated') return undefined;
  return { type: 'told', tell: (one) => skip(one, phase, because, who) };
}

/** A limit is reached by a try that does not fit, by the clock, by a start that it does not allow, or by a correction that was refused. */
function causeOfLimit(state: RunState, event: EventOf<'limit.reached'>, before: RunEvent | undefined): EventCause {
  const { limit, used, max, refused: aTry } = event;
  if (aTry) return { type: 'told', tell: (one) => reachLimit(one, limit, used, max, { refused: aTry }) };
  if (limit === 'durationMs' || limit === 'deadlineMs') return { type: 'told', tell: (one) => spendTime(one, limit) };
  const refused = before?.type === 'review.decided' ? correctionAfter(state, before) : undefined;
  return refused ? { type: 'reported', report: refused, refused: true } : { type: 'due' };
}

/** A correction that a limit has refused which holds the run already, and is not said again. */
function refusedSilently(
  state: RunState,
  { phase, because }: EventOf<'phase.escalated'>,
  before: RunEvent | undefined,
): EventCause | undefined {
  if (because !== 'limit' || before?.type !== 'review.decided' || before.phase !== phase) return undefined;
  const refused = correctionAfter(state, before);
  return refused && { type: 'reported', report: refused, refused: true };
}

/** What a phase wanted to do after a verdict: the journal does not have it, as a limit did not allow it. */
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

/** The run ends, and this is the first that it says of it. */
function causeOfEnd(state: RunState, end: EventOf<'run.ended'> | undefined): EventCause {
  if (end?.status === 'cancelled') return { type: 'told', tell: (one) => cancel(one, end.reason ?? '') };
  if (end?.status === 'exhausted') {
    const limit = state.blockingLimits.find((name) => name === end.limit);
    return limit === undefined
      ? { type: 'due' }
      : { type: 'told', tell: (one) => refuseToLift(one, limit, end.reason ?? '') };
  }
  const { error } = end ?? {};
  return error ? { type: 'told', tell: (one) => abort(one, error) } : ending(state);
}

/** Nothing is left to do: a start that was due has found that out, or the last phase by its end. */
function ending(state: RunState): EventCause {
  return state.isStartDue ? { type: 'due' } : { type: 'told', tell: endIfDone };
}
