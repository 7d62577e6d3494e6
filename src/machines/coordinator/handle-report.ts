/**
 * Answers of a run to reports of its phases, to people, and to the clock.
 *
 * @module
 */
import type { Decision } from '../../model/decision/decision.ts';
import type { ErrorInfo } from '../../model/errors/phasegate-error.ts';
import type { EventOf, LateReport, PhaseReport } from '../../model/events/event.ts';
import type { View } from '../../model/ledger/ledger.ts';
import { isFirstEdition } from '../../model/plan/edition.ts';
import type { LimitName, TimeLimit } from '../../model/plan/policy-schema.ts';
import { retarget } from '../../model/review/change-request.ts';
import { namesAbove } from '../../model/values/graph.ts';
import { remember } from '../phase/phase-memory.ts';
import type { PersonDecision } from '../phase/phase-updates.ts';
import { commitTraces, endAttempt, forgetTry, keepBest, keepReflection, keepReport } from './carry-over.ts';
import { endBadly, endIfDone, endIfStuck, endRun, skipPhase, wordsOfError } from './completion.ts';
import { collectFeedback, deferFeedback } from './deferred-feedback.ts';
import { addUsage, countCorrection, countUsage, liftLimit, reachLimit, refuseToLift } from './limits.ts';
import { moveTo, NONE } from './phase-state.ts';
import { acceptRiders } from './rewind-requests.ts';
import { commit, followUp, rememberRewind, sendBack } from './rewind.ts';
import { enqueue, phaseAt, phaseNamed, releaseSlot, type PhaseState, type RunState } from './run-state.ts';
import { scheduleStarts, startNextAttempt } from './scheduler.ts';
import { countUnchanged, forgetUnchanged } from './unchanged.ts';

/** Handles a report of a phase. Reports of earlier generations are dropped. */
export function handleReport(state: RunState, report: PhaseReport): void {
  const entry = phaseNamed(state, report.phase);
  if (!entry?.actor || entry.generation !== report.generation || state.ended) return;
  const nested = state.isHandlingReport;
  state.isHandlingReport = true;
  applyReport(state, entry, report);
  scheduleStarts(state);
  state.isHandlingReport = nested;
  if (!nested) endIfStuck(state);
}

/**
 * Handles the report of a try that its phase no longer waits for. Its usage counts, whatever became of the phase. A limit that it
 * spends is reported by the next try that asks for room, or reports usage. Outcomes of older generations are recorded as dropped.
 */
export function handleLateReport(state: RunState, report: LateReport): void {
  if (state.isClosed) return;
  if (report.type === 'task.dropped') {
    // The end of a run cancels all work, and its phases report that.
    const { generation } = phaseNamed(state, report.phase) ?? report;
    if (report.generation < generation) state.outbox.push(report);
    return;
  }
  state.outbox.push(report);
  addUsage(state, report);
  state.quota?.recheck();
}

/** Records that a handler has read an ancestor that is no direct predecessor. The phase depends on it from now on. */
export function recordRead(state: RunState, view: View, source: string): void {
  const entry = phaseAt(state, view.phase);
  if (entry.view !== view || !entry.actor || state.ended) return;
  const { phase, generation, attempt } = entry;
  state.outbox.push({ type: 'phase.read', phase: phase.name, generation, attempt, source });
  state.ports.publish();
}

/** Applies a person's decision on an escalated phase, or on a limit that blocks the run. */
export function applyDecision(state: RunState, about: string, { decision, who, outputs }: PersonDecision): void {
  const entry = phaseNamed(state, about);
  if (entry?.lifecycle === 'escalated') {
    const hasIssues = 'issues' in decision && decision.issues !== undefined;
    const targets = hasIssues ? namesAbove(state.graph, entry.index) : undefined;
    const aim = targets ? retarget(decision, about, { targets, onInvalidTarget: 'approve' }) : decision;
    entry.actor?.send({ type: 'decide', decision: aim, who, outputs, targets });
  }
  const limit = state.blockingLimits.find((name) => name === about);
  if (limit === undefined) return;
  if (decision.type === 'approve') liftLimit(state, limit, who);
  else refuseToLift(state, limit, notLifted(limit, decision));
  scheduleStarts(state);
  endIfDone(state);
}

/** Skips an escalated phase for a person, and all phases that need it. */
export function skip(state: RunState, about: string, because: string, who?: string): void {
  const entry = phaseNamed(state, about);
  if (entry?.lifecycle !== 'escalated' || state.ended) return;
  // Its actor ends at once, and that may end the run. So successors are handled first.
  state.isHandlingReport = true;
  skipPhase(state, entry, because, who);
  scheduleStarts(state);
  state.isHandlingReport = false;
  endIfDone(state);
}

/** Records an event that changes nothing in the run. */
export function recordItemChange(state: RunState, event: EventOf<'item.changed' | 'run.suspended'>): void {
  if (!state.ended) state.outbox.push(event);
}

/** Stops the run. */
export function cancel(state: RunState, reason: string): void {
  endRun(state, { status: 'cancelled', reason });
}

/** Fails the run with an error. */
export function abort(state: RunState, error: ErrorInfo): void {
  endRun(state, { status: 'failed', error });
}

/** Handles a limit of time that is used up. */
export function spendTime(state: RunState, limit: TimeLimit): void {
  const max = state.plan.limits[limit] ?? 0;
  reachLimit(state, limit, max, max);
}

// --- internal ---

function notLifted(limit: LimitName, decision: Decision): string {
  const why = decision.type === 'reject' && decision.reason !== '' ? `: ${decision.reason}` : '';
  return `The limit for ${limit} is spent, and was not lifted${why}`;
}

function applyReport(state: RunState, entry: PhaseState, report: PhaseReport): void {
  if (report.type === 'phase.approved') {
    approve(state, entry, report);
    return;
  }
  if (report.type === 'phase.retrying') {
    retry(state, entry, report);
    return;
  }
  if (report.type === 'phase.rewinding') {
    rewind(state, entry, report);
    return;
  }
  state.outbox.push(report);
  // A person sees all inputs of the phase.
  if (entry.view && (report.type === 'task.asked' || report.type === 'phase.escalated')) entry.view.isWhole = true;
  switch (report.type) {
    case 'task.started':
      if (entry.carryOver) forgetTry(entry, report.task);
      return;
    case 'phase.reflected':
      keepReflection(entry, report);
      return;
    case 'task.completed':
    case 'task.retrying':
    case 'task.failed':
    case 'task.asked':
    case 'task.answered':
    case 'phase.warned':
    case 'review.started':
    case 'review.waiting':
    case 'loop.detected':
      return;
    case 'phase.started':
      entry.deferredFeedback = NONE;
      return;
    case 'review.decided':
      if (!isFirstEdition(state)) collectFeedback(entry, report);
      entry.memory = remember(entry.memory, report);
      if (report.by === 'person') forgetUnchanged(state, entry);
      keepBest(entry, report);
      return;
    case 'attempt.unchanged':
      countUnchanged(state, entry, report);
      return;
    case 'check.baselined':
      entry.memory = remember(entry.memory, report);
      return;
    case 'task.reported':
      if (report.artifact || report.observation !== undefined) keepReport(state, entry, report);
      countUsage(state, report);
      return;
    case 'phase.escalated':
      park(state, entry, 'escalated');
      return;
    case 'phase.rejected':
      deferFeedback(entry);
      endBadly(state, entry, 'rejected', report.reason);
      return;
    case 'phase.failed':
      deferFeedback(entry);
      endBadly(state, entry, 'failed', wordsOfError(report.error));
  }
}

function approve(
  state: RunState,
  entry: PhaseState,
  report: Extract<PhaseReport, { readonly type: 'phase.approved' }>,
): void {
  const { type, phase, generation, attempt, because, outputs } = report;
  entry.memory = remember(entry.memory, report);
  if (entry.carryOver) commitTraces(entry, because);
  const done = commit(state, entry, outputs);
  const { version, read, readTasks } = done;
  const tasks = readTasks && { readTasks };
  state.outbox.push({ type, phase, generation, attempt, because, outputs, version, read, ...tasks });
  followUp(state, entry, done);
}

function retry(state: RunState, entry: PhaseState, report: EventOf<'phase.retrying'>): void {
  moveTo(entry, 'retrying');
  endAttempt(entry);
  if (!countCorrection(state, entry, undefined, report.by === 'person')) return;
  entry.memory = remember(entry.memory, report);
  state.outbox.push(report);
  if (entry.holdsSlot && state.blockingLimits.length === 0) startNextAttempt(state, entry);
  else enqueue(state, [entry.index]);
}

function rewind(state: RunState, entry: PhaseState, report: EventOf<'phase.rewinding'>): void {
  park(state, entry, 'rewinding');
  endAttempt(entry);
  const { riders, rewinds } = acceptRiders(state, entry, report);
  if (!countCorrection(state, entry, report.spent, report.by === 'person', 1 + riders.length)) return;
  for (const [target, spent] of rewinds)
    entry.memory = remember(entry.memory, { type: 'phase.rewinding', target, spent });
  rememberRewind(state, entry, report.target);
  const { riders: _, ...rest } = report;
  const made = riders.length > 0 ? { ...rest, riders } : rest;
  state.outbox.push(made);
  sendBack(state, entry, made);
}

function park(state: RunState, entry: PhaseState, next: 'rewinding' | 'escalated'): void {
  releaseSlot(state, entry);
  moveTo(entry, next);
}
