/**
 * Spans that others are below, and how spans begin and end.
 *
 * @module
 */
import {
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type HrTime,
  type Link,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import { brief } from './attributes.ts';
import { noUsage, sums, type Usage } from './usage-attributes.ts';

/** A span that others are below. */
export interface Branch {
  readonly span: Span;
  readonly context: Context;
  /** When it began, in milliseconds since 1970. */
  readonly since: number;
  readonly usage: Usage;
}

/** How a span ends where it ends badly: a name of few, and what happened in words. */
export interface Failure {
  readonly type: string;
  readonly message: string;
}

/** How a span ends. */
export interface End {
  readonly outcome: string;
  readonly failure?: Failure | undefined;
  readonly attributes?: Attributes | undefined;
}

/** Begins a span below another. */
export function openBranch(
  tracer: Tracer,
  parent: Context,
  name: string,
  { time, attributes, links = [] }: { readonly time: number; readonly attributes: Attributes; readonly links?: Link[] },
): Branch {
  const span = tracer.startSpan(name, { startTime: hrTime(time), attributes, links }, parent);
  return { span, context: trace.setSpan(parent, span), since: time, usage: noUsage() };
}

/** Ends a span, not before it began: clocks are set back. */
export function closeBranch({ span, since, usage }: Branch, time: number, end: End): void {
  span.setAttributes({ 'phasegate.outcome': end.outcome, ...sums(usage), ...end.attributes });
  fail(span, end.failure);
  span.end(hrTime(Math.max(since, time)));
}

/** Sets the status of a span that has ended badly. */
export function fail(span: Span, failure: Failure | undefined): void {
  if (!failure) return;
  span.setAttribute('error.type', failure.type);
  span.setStatus({ code: SpanStatusCode.ERROR, message: brief(failure.message) });
}

/** A link to a span, and why. */
export function linkTo(context: SpanContext, reason: string, attributes: Attributes = {}): Link {
  return { context, attributes: { 'phasegate.link': reason, ...attributes } };
}

/** Seconds and nanoseconds: of numbers, OpenTelemetry takes those before the start of the process for durations since then. */
export function hrTime(time: number): HrTime {
  const seconds = Math.floor(time / 1000);
  return [seconds, Math.floor((time - seconds * 1000) * 1_000_000)];
}
