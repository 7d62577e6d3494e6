/**
 * Spans of tasks, reflect calls and reviews. They have none below them, so each is made when it ends: by then it is known whether a model has done
 * the work, and which, as samplers are told when a span is made.
 *
 * @module
 */
import type { Attributes, Context, Tracer } from '@opentelemetry/api';
import { fail, hrTime, type End } from './span.ts';
import { modelUsage, noUsage, only, type Usage } from './usage-attributes.ts';

/** A task, a reflect call or a review that has begun and not ended. */
export interface Work {
  readonly kind: 'task' | 'reflection' | 'review';
  readonly name: string;
  readonly since: number;
  readonly attributes: Attributes;
  readonly events: { readonly name: string; readonly attributes: Attributes; readonly time: number }[];
  readonly usage: Usage;
  /** Which try it is in, or how often the review was asked again. */
  turn: number;
}

/** Work that begins. */
export function beginWork(kind: Work['kind'], name: string, since: number, turn: number, attributes: Attributes): Work {
  return { kind, name, since, attributes, events: [], usage: noUsage(), turn };
}

/** Makes the span of work that has ended. */
export function endWork(tracer: Tracer, parent: Context, work: Work, time: number, end: End): void {
  const { kind, name, since, events, usage } = work;
  const attributes: Attributes = {
    ...work.attributes,
    ...modelUsage(usage),
    'phasegate.outcome': end.outcome,
    ...end.attributes,
  };
  const agent = only(usage.agents);
  const title = agent === undefined ? `${kind} ${name}` : `invoke_agent ${agent}`;
  const span = tracer.startSpan(title, { startTime: hrTime(since), attributes }, parent);
  for (const event of events) span.addEvent(event.name, event.attributes, hrTime(event.time));
  fail(span, end.failure);
  span.end(hrTime(Math.max(since, time)));
}
