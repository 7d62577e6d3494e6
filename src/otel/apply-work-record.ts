/**
 * Applies records of tasks and reviews to the spans of a run.
 *
 * @module
 */
import type { Attributes } from '@opentelemetry/api';
import type { EventOf, RunEvent } from '../model/events/event.ts';
import { isMissing } from '../model/review/verdict.ts';
import { reflectionAt } from './apply-reflection.ts';
import { evaluations, exceptionAttributes, present } from './attributes.ts';
import { emitEvaluation, EVALUATION } from './evaluation-log.ts';
import {
  commonOf,
  innermost,
  addEvent,
  openAttempt,
  startAttempt,
  type AttemptBranch,
  type RunSpans,
} from './run-spans.ts';
import type { End, Failure } from './span.ts';
import { addUsage } from './usage-attributes.ts';
import { beginWork, endWork, type Work } from './work-spans.ts';

/** A record of a task, a reviewer or a review. */
export type WorkEvent = Exclude<
  Extract<RunEvent, { readonly type: `task.${string}` | `review.${string}` }>,
  EventOf<'task.dropped'>
>;

/** Applies one such record. */
export function applyWorkRecord(spans: RunSpans, event: WorkEvent, time: number): void {
  if (event.type === 'review.decided') {
    decide(spans, event, time);
    return;
  }
  // If the records lack the start of the attempt, it starts now.
  const attempt = openAttempt(spans, event) ?? startAttempt(spans, event, time, false);
  switch (event.type) {
    case 'task.started':
      startTask(spans, attempt, event, time);
      return;
    case 'task.reported':
      report(spans, attempt, event, time);
      return;
    case 'task.completed':
      endTask(spans, attempt, event, time, { outcome: 'completed' });
      return;
    case 'task.retrying': {
      const { try: number, error, delayMs } = event;
      const attributes = { 'phasegate.try': number, 'error.type': error.code, 'phasegate.delay_ms': delayMs };
      addWorkEvent(spans, attempt, event, time, { ...attributes, ...exceptionAttributes(error) });
      if (attempt.reflection?.name === event.task) attempt.reflection.turn = number + 1;
      return;
    }
    case 'task.failed':
      failTask(spans, attempt, event, time);
      return;
    case 'task.asked':
      addWorkEvent(spans, attempt, event, time, present({ 'phasegate.question': event.question }));
      return;
    case 'review.waiting':
      return;
    case 'task.answered':
      addWorkEvent(spans, attempt, event, time, present({ 'phasegate.who': event.who }));
      return;
    case 'review.started':
      endReview(spans, attempt, Math.min(spans.cut, time), { outcome: 'interrupted' });
      attempt.review = reviewOf(spans, event, time, event.asked);
      return;
    default:
      return event satisfies never;
  }
}

// --- internal ---

function startTask(spans: RunSpans, attempt: AttemptBranch, event: EventOf<'task.started'>, time: number): void {
  const before = attempt.tasks.get(event.task);
  if (before && event.try > before.turn) {
    before.turn = event.try;
    return;
  }
  // The same try again: the process that started it has ended.
  if (before) endTask(spans, attempt, event, Math.min(spans.cut, time), { outcome: 'interrupted' });
  taskOf(spans, attempt, event, time).turn = event.try;
}

function failTask(spans: RunSpans, attempt: AttemptBranch, event: EventOf<'task.failed'>, time: number): void {
  const { error, rework } = event;
  if (rework) {
    // A demand for rework, as a gate may make one. It is no error.
    const attributes = present({ 'phasegate.target': rework.phase, 'phasegate.feedback': rework.feedback });
    endTask(spans, attempt, event, time, { outcome: 'rework', attributes });
    return;
  }
  taskOf(spans, attempt, event, time).events.push({ name: 'exception', attributes: exceptionAttributes(error), time });
  endTask(spans, attempt, event, time, { outcome: 'failed', failure: { type: error.code, message: error.message } });
}

function report(spans: RunSpans, attempt: AttemptBranch, event: EventOf<'task.reported'>, time: number): void {
  const phase = spans.phases.get(event.phase);
  const work = event.reviewer ? attempt.review : (reflectionAt(spans, attempt, event) ?? attempt.tasks.get(event.task));
  for (const one of [work, attempt, phase, spans.run]) if (one) addUsage(one.usage, event);
  if (event.artifact) {
    addWorkEvent(spans, attempt, event, time, present({ 'phasegate.artifact': event.artifact.name }));
  }
}

/** Applies a decision. The attempt may have ended, if a limit holds the next one and a person decides. */
function decide(spans: RunSpans, event: EventOf<'review.decided'>, time: number): void {
  const { verdict, phase } = event;
  for (const one of evaluations(event)) evaluate(spans, phase, one, time);
  const attempt = openAttempt(spans, event);
  if (!attempt) return;
  attempt.verdict = verdict.type;
  const isError = isMissing(verdict, spans.askAgain.has(phase) ? 'ask' : 'approve');
  const failure: Failure | undefined = isError ? reviewFailure(event) : undefined;
  endReview(spans, attempt, time, {
    outcome: isError ? 'failed' : 'decided',
    failure,
    attributes: { 'phasegate.verdict': verdict.type },
  });
}

/** Emits one verdict: as a log event if there is a logger, else as an event of the span. */
function evaluate(spans: RunSpans, phase: string, attributes: Attributes, time: number): void {
  const { logger } = spans;
  if (!logger) addEvent(spans, phase, EVALUATION, attributes, time);
  else emitEvaluation(logger, innermost(spans, phase).context, { 'phasegate.phase': phase, ...attributes }, time);
}

function reviewFailure({ verdict }: EventOf<'review.decided'>): Failure {
  if (verdict.type === 'unavailable') return { type: verdict.error.code, message: verdict.error.message };
  return { type: verdict.type, message: `The review has no valid verdict: it is ${verdict.type}` };
}

/** Adds an event to the open span of a task or a review. */
function addWorkEvent(
  spans: RunSpans,
  attempt: AttemptBranch,
  event: Exclude<WorkEvent, { readonly type: `review.${string}` | 'task.started' | 'task.completed' | 'task.failed' }>,
  time: number,
  attributes: Attributes,
): void {
  const work = event.reviewer
    ? reviewAt(spans, attempt, event, time)
    : (reflectionAt(spans, attempt, event) ?? taskOf(spans, attempt, event, time));
  const of = event.reviewer ? { 'phasegate.reviewer': event.task } : {};
  work.events.push({ name: `phasegate.${event.type}`, attributes: { ...of, ...attributes }, time });
}

function taskOf(
  spans: RunSpans,
  attempt: AttemptBranch,
  event: Extract<WorkEvent, { readonly task: string }>,
  time: number,
): Work {
  const known = attempt.tasks.get(event.task);
  if (known) return known;
  const attributes: Attributes = { ...commonOf(spans, 'task', event), 'phasegate.task': event.task };
  const begun = beginWork('task', event.task, time, 1, attributes);
  attempt.tasks.set(event.task, begun);
  return begun;
}

function reviewAt(
  spans: RunSpans,
  attempt: AttemptBranch,
  event: Extract<WorkEvent, { readonly task: string }>,
  time: number,
): Work {
  attempt.review ??= reviewOf(spans, event, time, 0);
  return attempt.review;
}

function reviewOf(spans: RunSpans, event: WorkEvent, time: number, asked: number): Work {
  return beginWork('review', event.phase, time, asked, commonOf(spans, 'review', event));
}

function endTask(
  spans: RunSpans,
  attempt: AttemptBranch,
  event: Extract<WorkEvent, { readonly task: string }>,
  time: number,
  end: End,
): void {
  const work = taskOf(spans, attempt, event, time);
  attempt.tasks.delete(event.task);
  const attributes = { ...end.attributes, 'phasegate.tries': work.turn };
  endWork(spans.tracer, attempt.context, work, time, { ...end, attributes });
}

function endReview(spans: RunSpans, attempt: AttemptBranch, time: number, end: End): void {
  const { review } = attempt;
  if (!review) return;
  attempt.review = undefined;
  const attributes = { ...end.attributes, 'phasegate.asked': review.turn };
  endWork(spans.tracer, attempt.context, review, time, { ...end, attributes });
}
