/**
 * The event that closes an inbox item, read as an answer.
 *
 * @module
 */
import { decisionSchema, type Decision } from '../../model/decision/decision.ts';
import type { RunEvent } from '../../model/events/event.ts';
import type { InboxItem } from './inbox-item.ts';

/**
 * The event that closed an item:
 *
 * - a decision: `approve`, `edit`, `retry`, `rewind`, `reject`, `escalate`;
 * - another answer: `skip`, `value`, `lift` of a limit, `end` of the run;
 * - `refused`: the run has refused the answer, and asks again;
 * - `expired`: nobody answered in time;
 * - `dropped`: no answer was needed any more.
 */
export type SequelAnswer =
  | 'approve'
  | 'edit'
  | 'retry'
  | 'rewind'
  | 'reject'
  | 'escalate'
  | 'skip'
  | 'value'
  | 'lift'
  | 'end'
  | 'refused'
  | 'expired'
  | 'dropped';

/** An event that closes an item. */
export interface Closing {
  readonly answer: SequelAnswer;
  readonly reason?: string | undefined;
  readonly value?: unknown;
  /** True if the phase was stopped, and the end of the run may follow. */
  readonly isStopped?: boolean;
}

/** Reads the event that closes an item; `undefined` if the event leaves it open. */
export function closingIn(event: RunEvent, item: InboxItem): Closing | undefined {
  if (event.type === 'run.ended') return { answer: 'end', reason: event.reason };
  if (event.type === 'item.changed') return event.item === item.seq ? changeIn(event, item) : undefined;
  if (item.kind === 'limit')
    return event.type === 'limit.lifted' && event.limit === item.about ? { answer: 'lift' } : undefined;
  if (!('phase' in event) || event.phase !== item.about) return undefined;
  switch (event.type) {
    case 'task.answered':
      if (event.task !== item.task) return undefined;
      return event.reviewer ? voteIn(event.answer) : { answer: 'value', value: event.answer };
    case 'task.retrying':
    case 'task.failed':
      return event.task === item.task ? { answer: 'dropped', reason: 'it failed' } : undefined;
    case 'review.decided': {
      const { verdict, edited, by } = event;
      if (by !== 'person') return { answer: 'dropped', reason: 'the gate has decided' };
      return { answer: edited ? 'edit' : answerOf(verdict.type) };
    }
    case 'phase.skipped':
      return { answer: event.who === undefined ? 'dropped' : 'skip', reason: event.because };
    case 'phase.started':
      return { answer: 'dropped', reason: 'the phase has restarted' };
    case 'phase.failed':
      return { answer: 'dropped', reason: 'the phase failed' };
    case 'phase.invalidated':
      return { answer: 'dropped', reason: event.because };
    case 'phase.cancelled':
      return { answer: 'dropped', reason: event.because, isStopped: true };
    case 'attempt.unchanged':
    case 'check.baselined':
    case 'loop.detected':
    case 'phase.approved':
    case 'phase.escalated':
    case 'phase.read':
    case 'phase.reflected':
    case 'phase.rejected':
    case 'phase.retrying':
    case 'phase.rewinding':
    case 'phase.stale':
    case 'phase.unaffected':
    case 'phase.warned':
    case 'review.started':
    case 'review.waiting':
    case 'task.asked':
    case 'task.completed':
    case 'task.dropped':
    case 'task.reported':
    case 'task.started':
      return undefined;
  }
}

/** The end of a run stops its phases first, and then has a record of its own. */
export function closingAfter(closing: Closing, event: RunEvent): Closing {
  if (!closing.isStopped) return closing;
  if (event.type === 'run.ended') return { answer: 'end', reason: event.reason };
  const isPart = event.type === 'phase.cancelled' || event.type === 'phase.skipped' || event.type === 'phase.stale';
  return isPart ? closing : { ...closing, isStopped: false };
}

// --- internal ---

function changeIn(
  { change, reason }: Extract<RunEvent, { readonly type: 'item.changed' }>,
  { kind, onExpiry }: InboxItem,
): Closing | undefined {
  if (change === 'refused') return { answer: 'refused', reason };
  const isAnswer = change === 'expired' && onExpiry === 'reject' && (kind === 'task' || kind === 'review');
  return isAnswer ? { answer: 'expired' } : undefined;
}

function voteIn(answer: unknown): Closing {
  const read = decisionSchema.safeParse(decisionOf(answer));
  // Only an approval may bring outputs.
  if (!read.success) return { answer: 'edit' };
  return { answer: hasOutputs(answer) ? 'edit' : answerOf(read.data.type) };
}

function decisionOf(answer: unknown): unknown {
  if (!hasOutputs(answer)) return answer;
  const { outputs: _outputs, ...decision } = answer;
  return decision;
}

function hasOutputs(answer: unknown): answer is { readonly outputs: unknown } {
  return typeof answer === 'object' && answer !== null && 'outputs' in answer;
}

function answerOf(type: Decision['type'] | 'unrecognised' | 'inconclusive' | 'unavailable'): SequelAnswer {
  switch (type) {
    case 'retryPredecessor':
      return 'rewind';
    case 'approve':
    case 'retry':
    case 'reject':
    case 'escalate':
      return type;
    case 'unrecognised':
    case 'inconclusive':
    case 'unavailable':
      return 'dropped';
  }
}
