/**
 * Spans of tasks, reflect calls and reviews. They have no child spans, so each is created when it ends. By then it is known if a
 * model did the work, and which one. Samplers need that when a span is created.
 *
 * @module
 */
import type { Attributes, Context, Tracer } from '@opentelemetry/api';
import { fail, hrTime, type End } from './span.ts';
import { modelUsage, noUsage, only, type Usage } from './usage-attributes.ts';

/** A task, a reflect call or a review that has started and not ended. */
export interface Work {
  readonly kind: 'task' | 'reflection' | 'review';
  readonly name: string;
  readonly since: number;
  readonly attributes: Attributes;
  readonly events: { readonly name: string; readonly attributes: Attributes; readonly time: number }[];
  readonly usage: Usage;
  /** The number of its try; for a review, the number of times that it was asked again. */
  turn: number;
}

/** Starts work. */
export function beginWork(kind: Work['kind'], name: string, since: number, turn: number, attributes: Attributes): Work {
  return { kind, name, since, attributes, events: [], usage: noUsage(), turn };
}

/** Creates the span of ended work. */
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
