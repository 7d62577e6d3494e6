/**
 * How a run answers to what it is told: by its phases, by people, by the clock.
 *
 * @module
 */
import { byName } from '../../model/values/by-name.ts';
import { isFree } from './readiness.ts';
import { aimed } from '../../model/review/change-request.ts';
import { isFirstEdition } from '../../model/plan/edition.ts';
import type { ErrorInfo } from '../../model/errors/phasegate-error.ts';
import type { EventOf, LateReport, PhaseReport } from '../../model/events/event.ts';
import { findingsAfter } from '../../model/review/open-issues.ts';
import type { Decision } from '../../model/decision/decision.ts';
import { namesAbove } from '../../model/values/graph.ts';
import type { LimitName, TimeLimit } from '../../model/plan/policy.ts';
import type { View } from '../../model/ledger/ledger.ts';
import { fingerprint } from '../../model/plan/plan.ts';
import { sayingAfter } from '../phase/repeats.ts';
import { enqueue, entryAt, entryNamed, releaseSlot, type Board, type Entry } from './run-state.ts';
import { resume, schedule } from './scheduler.ts';
import { abandon, endIfDone, endIfStuck, endRun, leaveOut, wordsOfError } from './completion.ts';
import { hear, keepDemands } from './deferred-feedback.ts';
import { commitTraces, endAttempt, forgetTry, keepBest, keepReflection, keepReport } from './carry-over.ts';
import type { Ruling } from '../phase/phase-updates.ts';
import { addUsage, countCorrection, countUsage, liftLimit, reachLimit, refuseToLift } from './limits.ts';
import { commit, followUp, noteRewind, sendBack, takeRiders } from './rewind.ts';
import { forgetUnchanged, noteUnchanged } from './unchanged.ts';

/** Begins the run: the phases without predecessors start. @param mark The fingerprint of its plan, where that is known. */
export function open(board: Board, mark = fingerprint(board.plan)): void {
  const { plan, input = null, given, graph, attended, kept, memory, edition, marks } = board;
  const more = {
    ...(given !== undefined && { given }),
    ...(attended && { attended }),
    ...(kept && { kept }),
    ...(memory !== undefined && { memory }),
    ...(edition > 1 && { edition }),
    ...marks,
  };
  board.outbox.push({ type: 'run.started', plan, fingerprint: mark, input, ...more });
  enqueue(
    board,
    [...graph.names.keys()].filter((index) => isFree(board.course, index)),
  );
  schedule(board);
  endIfDone(board);
}

/** A phase reports. What an earlier generation still has to say is dropped. */
export function receive(board: Board, report: PhaseReport): void {
  const entry = entryNamed(board, report.phase);
  if (!entry?.actor || entry.generation !== report.generation || board.ended) return;
  const nested = board.busy;
  board.busy = true;
  heed(board, entry, report);
  schedule(board);
  board.busy = nested;
  if (!nested) endIfStuck(board);
}

/**
 * A try that nobody waits for any more says what it has used: that is spent, whatever became of its phase. Where a limit is
 * spent by it, that is said when the next try asks, or says what it has used. What one of an older generation has come to is
 * dropped, and that is said.
 */
export function receiveLate(board: Board, report: LateReport): void {
  if (board.closed) return;
  if (report.type === 'task.dropped') {
    // Of a run that ends all work is cancelled, and that is said of its phase.
    const { generation } = entryNamed(board, report.phase) ?? report;
    if (report.generation < generation) board.outbox.push(report);
    return;
  }
  board.outbox.push(report);
  addUsage(board, report);
  board.till?.look();
}

/** A handler has asked for an ancestor of its phase that is no direct predecessor: the phase depends on it from now on. */
export function noteRead(board: Board, view: View, source: string): void {
  const entry = entryAt(board, view.phase);
  if (entry.view !== view || !entry.actor || board.ended) return;
  const { phase, generation, attempt } = entry;
  board.outbox.push({ type: 'phase.read', phase: phase.name, generation, attempt, source });
  board.ports.publish();
}

/** A person decides: on a phase that waits for one, or on a limit that holds the run. */
export function answer(board: Board, about: string, { decision, who, outputs }: Ruling): void {
  const entry = entryNamed(board, about);
  if (entry?.parked === 'escalated') {
    const hasIssues = 'issues' in decision && decision.issues !== undefined;
    const targets = hasIssues ? namesAbove(board.graph, entry.index) : undefined;
    const aim = targets ? aimed(decision, about, { targets, onInvalidTarget: 'approve' }) : decision;
    entry.actor?.send({ type: 'decide', decision: aim, who, outputs, targets });
  }
  const limit = board.held.find((name) => name === about);
  if (limit === undefined) return;
  if (decision.type === 'approve') liftLimit(board, limit, who);
  else refuseToLift(board, limit, notLifted(limit, decision));
  schedule(board);
  endIfDone(board);
}

/** A person skips a phase that waits for one, and with it everything that needs it. */
export function skip(board: Board, about: string, because: string, who?: string): void {
  const entry = entryNamed(board, about);
  if (entry?.parked !== 'escalated' || board.ended) return;
  // Its actor ends at once, and with it nothing may be left to do: what needs it is heeded first.
  board.busy = true;
  leaveOut(board, entry, because, who);
  schedule(board);
  board.busy = false;
  endIfDone(board);
}

/** Something happened that changes nothing of how the run goes on. */
export function note(board: Board, event: EventOf<'item.changed' | 'run.suspended'>): void {
  if (!board.ended) board.outbox.push(event);
}

/** Stops the run. */
export function cancel(board: Board, reason: string): void {
  endRun(board, { status: 'cancelled', reason });
}

/** Stops the run, as it cannot go on. */
export function abort(board: Board, error: ErrorInfo): void {
  endRun(board, { status: 'failed', error });
}

/** A limit of the run that time spends is spent. */
export function spendTime(board: Board, limit: TimeLimit): void {
  const max = board.plan.limits[limit] ?? 0;
  reachLimit(board, limit, max, max);
}

// --- internal ---

function notLifted(limit: LimitName, decision: Decision): string {
  const why = decision.type === 'reject' && decision.reason !== '' ? `: ${decision.reason}` : '';
  return `The limit for ${limit} is spent, and was not lifted${why}`;
}

function heed(board: Board, entry: Entry, report: PhaseReport): void {
  if (report.type === 'phase.approved') {
    approve(board, entry, report);
    return;
  }
  if (report.type === 'phase.retrying') {
    retry(board, entry, report);
    return;
  }
  if (report.type === 'phase.rewinding') {
    rewind(board, entry, report);
    return;
  }
  board.outbox.push(report);
  // A person is shown all that the phase works with.
  if (entry.view && (report.type === 'task.asked' || report.type === 'phase.escalated')) entry.view.isWhole = true;
  switch (report.type) {
    case 'task.started':
      if (entry.keepsakes) forgetTry(entry, report.task);
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
      entry.heard = [];
      return;
    case 'review.decided':
      if (!isFirstEdition(board)) hear(entry, report);
      entry.findings = findingsAfter(entry.findings, report).open;
      entry.saying = sayingAfter(entry.saying, report);
      if (report.by === 'person') forgetUnchanged(board, entry);
      keepBest(entry, report);
      return;
    case 'attempt.unchanged':
      noteUnchanged(board, entry, report);
      return;
    case 'check.baselined':
      entry.owed = [...new Set([...entry.owed, ...report.passed])];
      return;
    case 'task.reported':
      if (report.artifact || report.observation !== undefined) keepReport(board, entry, report);
      countUsage(board, report);
      return;
    case 'phase.escalated':
      park(board, entry, 'escalated');
      return;
    case 'phase.rejected':
      keepDemands(entry);
      abandon(board, entry, 'rejected', report.reason);
      return;
    case 'phase.failed':
      keepDemands(entry);
      abandon(board, entry, 'failed', wordsOfError(report.error));
  }
}

function approve(board: Board, entry: Entry, report: Extract<PhaseReport, { readonly type: 'phase.approved' }>): void {
  const { type, phase, generation, attempt, because, outputs } = report;
  if (entry.owed.length > 0 && because !== 'exhausted' && because !== 'unreviewed') entry.owed = [];
  if (entry.keepsakes) commitTraces(entry, because);
  const done = commit(board, entry, outputs);
  const { version, read, readTasks } = done;
  const tasks = readTasks && { readTasks };
  board.outbox.push({ type, phase, generation, attempt, because, outputs, version, read, ...tasks });
  followUp(board, entry, done);
}

function retry(board: Board, entry: Entry, report: EventOf<'phase.retrying'>): void {
  entry.parked = 'retrying';
  endAttempt(entry);
  if (!countCorrection(board, entry, undefined, report.by === 'person')) return;
  entry.history = [...entry.history, report.correction];
  board.outbox.push(report);
  if (entry.holdsSlot && board.held.length === 0) resume(board, entry);
  else enqueue(board, [entry.index]);
}

function rewind(board: Board, entry: Entry, report: EventOf<'phase.rewinding'>): void {
  park(board, entry, 'rewinding');
  endAttempt(entry);
  const { riders, rewinds } = takeRiders(board, entry, report);
  if (!countCorrection(board, entry, report.spent, report.by === 'person', 1 + riders.length)) return;
  entry.rewinds = byName([...Object.entries(entry.rewinds), ...rewinds]);
  noteRewind(board, entry, report.target);
  const { riders: _, ...rest } = report;
  const made = riders.length > 0 ? { ...rest, riders } : rest;
  board.outbox.push(made);
  sendBack(board, entry, made);
}

function park(board: Board, entry: Entry, parked: NonNullable<Entry['parked']>): void {
  releaseSlot(board, entry);
  entry.parked = parked;
}
