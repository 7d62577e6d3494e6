/**
 * Applies records to the span of a reflect call. No record marks its start: it starts when the attempt is ready, and has its name
 * from the plan.
 *
 * @module
 */
import type { EventOf } from '../model/events/event.ts';
import { commonOf, openAttempt, type At, type AttemptBranch, type RunSpans } from './run-spans.ts';
import type { End } from './span.ts';
import { beginWork, endWork, type Work } from './work-spans.ts';

/** Finds the reflect call that a record of a task is about, if it is about one. */
export function reflectionAt(
  spans: RunSpans,
  attempt: AttemptBranch,
  event: At & { readonly task: string },
): Work | undefined {
  return spans.reflects.get(event.phase) === event.task ? reflectionOf(spans, attempt, event, event.task) : undefined;
}

/** Ends a reflect call. It has failed if the record has no reflection. */
export function applyReflection(spans: RunSpans, event: EventOf<'phase.reflected'>, time: number): void {
  const name = spans.reflects.get(event.phase);
  const attempt = openAttempt(spans, event);
  if (name === undefined || !attempt) return;
  reflectionOf(spans, attempt, event, name);
  const message = 'The attempt works without a reflection';
  const failed: End = { outcome: 'failed', failure: { type: 'REFLECTION_FAILED', message } };
  end(spans, attempt, time, event.reflection === undefined ? failed : { outcome: 'completed' });
}

/** Ends open reflect calls of a run that is resumed: their process has ended, and they start again. */
export function interruptReflections(spans: RunSpans, time: number): void {
  for (const { attempt } of spans.phases.values()) {
    if (!attempt) continue;
    end(spans, attempt, Math.min(spans.cut, time), { outcome: 'interrupted' });
    attempt.ready = time;
  }
}

// --- internal ---

function reflectionOf(spans: RunSpans, attempt: AttemptBranch, at: At, name: string): Work {
  const attributes = { ...commonOf(spans, 'reflection', at), 'phasegate.task': name };
  attempt.reflection ??= beginWork('reflection', name, attempt.ready, 1, attributes);
  return attempt.reflection;
}

function end(spans: RunSpans, attempt: AttemptBranch, time: number, how: End): void {
  const { reflection } = attempt;
  if (!reflection) return;
  attempt.reflection = undefined;
  const attributes = { 'phasegate.tries': reflection.turn };
  endWork(spans.tracer, attempt.context, reflection, time, { ...how, attributes });
}
