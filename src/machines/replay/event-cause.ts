/**
 * What led to an event of a journal, where the board does not come to it by itself: the facts in it.
 *
 * @module
 */
import { approve } from '../../model/decision/decision.ts';
import type { EventOf, PhaseReport, RunEvent } from '../../model/events/event.ts';
import { besideOf, NOTHING_BESIDE } from '../../model/review/remaining-feedback.ts';
import { toldBy } from '../../model/review/change-request.ts';
import { isFirstEdition } from '../../model/plan/edition.ts';
import { restoreReadTasks } from '../../model/ledger/input-view.ts';
import { fingerprintLike } from '../../model/plan/plan.ts';
import { decisionIn, isDemand } from '../../model/review/verdict.ts';
import { entryNamed, type Board } from '../coordinator/run-state.ts';
import { abort, answer, cancel, note, open, receiveLate, skip, spendTime } from '../coordinator/handle-report.ts';
import { endIfDone } from '../coordinator/completion.ts';
import { reachLimit, refuseToLift } from '../coordinator/limits.ts';
import { reopen, resumeRun } from '../coordinator/reopen.ts';

/** What led to an event. */
export type Cause =
  /** The board was told something. */
  | { readonly type: 'told'; readonly tell: (board: Board) => void }
  /** A phase has reported something; `refused` where that was not let happen, and so is not in the journal. */
  | {
      readonly type: 'reported';
      readonly report: PhaseReport;
      readonly refused?: boolean;
      readonly before?: (board: Board) => void;
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
  board: Board,
  event: RunEvent,
  before: RunEvent | undefined,
  end: () => EventOf<'run.ended'> | undefined,
): Cause {
  switch (event.type) {
    case 'run.started':
      return { type: 'told', tell: (one) => openAsTold(one, event) };
    case 'run.resumed':
      return { type: 'told', tell: (one) => resumeRun(one, event) };
    case 'run.reopened':
      return { type: 'told', tell: reopen };
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
      if (event.late) return { type: 'told', tell: (one) => receiveLate(one, event) };
      return { type: 'reported', report: event };
    case 'task.dropped':
      return { type: 'told', tell: (one) => receiveLate(one, event) };
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
      return refusedSilently(board, event, before) ?? { type: 'reported', report: event };
    case 'limit.lifted':
      return { type: 'told', tell: (one) => answer(one, event.limit, { decision: approve(), who: event.who }) };
    case 'run.suspended':
    case 'item.changed':
      return { type: 'told', tell: (one) => note(one, event) };
    case 'limit.reached':
      return causeOfLimit(board, event, before);
    case 'phase.skipped':
      return causeOfSkip(board, event) ?? causeOfEnd(board, end());
    case 'phase.cancelled':
    case 'phase.stale':
    case 'phase.unaffected':
    case 'phase.invalidated':
      return causeOfEnd(board, end());
    case 'run.ended':
      return causeOfEnd(board, event);
  }
}

// --- internal ---

/** Begins a run as its first record says that it began. */
function openAsTold(board: Board, event: EventOf<'run.started'>): void {
  board.kept = event.kept;
  const { forked, masked } = event;
  board.marks = { ...(masked && { masked }), ...(forked && { forked }) };
  open(board, fingerprintLike(board.plan, event));
}

/** Its handlers, which are not called again, have read what the record says. */
function restore(board: Board, phase: string, readTasks: EventOf<'phase.approved'>['readTasks']): void {
  const view = entryNamed(board, phase)?.view;
  if (view) restoreReadTasks(view, readTasks);
}

function decided(event: EventOf<'review.decided'>): Cause {
  const { who, edited: outputs } = event;
  const decision = decisionIn(event.verdict);
  return {
    type: 'reported',
    report: event,
    before: (board) => decision && answer(board, event.phase, { decision, who, outputs }),
  };
}

/** A person has skipped a phase that waits; one that was never started is skipped by the end of another. */
function causeOfSkip(board: Board, { phase, because, who }: EventOf<'phase.skipped'>): Cause | undefined {
  if (entryNamed(board, phase)?.parked !== 'escalated') return undefined;
  return { type: 'told', tell: (one) => skip(one, phase, because, who) };
}

/** A limit is reached by a try that does not fit, by the clock, by a start that it does not allow, or by a correction that was refused. */
function causeOfLimit(board: Board, event: EventOf<'limit.reached'>, before: RunEvent | undefined): Cause {
  const { limit, used, max, refused: aTry } = event;
  if (aTry) return { type: 'told', tell: (one) => reachLimit(one, limit, used, max, { refused: aTry }) };
  if (limit === 'durationMs' || limit === 'deadlineMs') return { type: 'told', tell: (one) => spendTime(one, limit) };
  const refused = before?.type === 'review.decided' ? correctionAfter(board, before) : undefined;
  return refused ? { type: 'reported', report: refused, refused: true } : { type: 'due' };
}

/** A correction that a limit has refused which holds the run already, and is not said again. */
function refusedSilently(
  board: Board,
  { phase, because }: EventOf<'phase.escalated'>,
  before: RunEvent | undefined,
): Cause | undefined {
  if (because !== 'limit' || before?.type !== 'review.decided' || before.phase !== phase) return undefined;
  const refused = correctionAfter(board, before);
  return refused && { type: 'reported', report: refused, refused: true };
}

/** What a phase wanted to do after a verdict: the journal does not have it, as a limit did not allow it. */
function correctionAfter(board: Board, judged: EventOf<'review.decided'>): PhaseReport | undefined {
  const { phase, generation, attempt, verdict, verdicts, by } = judged;
  if (!isDemand(verdict)) return undefined;
  const entry = entryNamed(board, phase);
  const gate = entry?.phase.gate;
  const isAlone = !gate || isFirstEdition(board);
  const beside = isAlone ? NOTHING_BESIDE : besideOf({ verdict, verdicts, by }, phase, gate);
  const { correction, riders } = toldBy(verdict, phase, attempt, gate?.targets ?? [], beside);
  const at = { phase, generation, attempt, correction, by };
  if (verdict.type === 'retry') return { type: 'phase.retrying', ...at, spent: 0 };
  const target = verdict.phase;
  const spent = (entry?.rewinds[target] ?? 0) + 1;
  return { type: 'phase.rewinding', ...at, target, spent, ...(riders.length > 0 && { riders }) };
}

/** The run ends, and this is the first that it says of it. */
function causeOfEnd(board: Board, end: EventOf<'run.ended'> | undefined): Cause {
  if (end?.status === 'cancelled') return { type: 'told', tell: (one) => cancel(one, end.reason ?? '') };
  if (end?.status === 'exhausted') {
    const limit = board.held.find((name) => name === end.limit);
    return limit === undefined
      ? { type: 'due' }
      : { type: 'told', tell: (one) => refuseToLift(one, limit, end.reason ?? '') };
  }
  const { error } = end ?? {};
  return error ? { type: 'told', tell: (one) => abort(one, error) } : ending(board);
}

/** Nothing is left to do: a start that was due has found that out, or the last phase by its end. */
function ending(board: Board): Cause {
  return board.scheduled ? { type: 'due' } : { type: 'told', tell: endIfDone };
}
