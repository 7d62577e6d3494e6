/**
 * Starts and ends spans that have child spans.
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

/** A span that has child spans. */
export interface Branch {
  readonly span: Span;
  readonly context: Context;
  /** The start, in milliseconds since 1970. */
  readonly since: number;
  readonly usage: Usage;
}

/** The failure of a span: a type of low cardinality, and a message. */
export interface Failure {
  readonly type: string;
  readonly message: string;
}

/** The end of a span. */
export interface End {
  readonly outcome: string;
  readonly failure?: Failure | undefined;
  readonly attributes?: Attributes | undefined;
}

/** Starts a span below another. */
export function openBranch(
  tracer: Tracer,
  parent: Context,
  name: string,
  { time, attributes, links = [] }: { readonly time: number; readonly attributes: Attributes; readonly links?: Link[] },
): Branch {
  const span = tracer.startSpan(name, { startTime: hrTime(time), attributes, links }, parent);
  return { span, context: trace.setSpan(parent, span), since: time, usage: noUsage() };
}

/** Ends a span, but not before its start, as a clock may be set back. */
export function closeBranch({ span, since, usage }: Branch, time: number, end: End): void {
  span.setAttributes({ 'phasegate.outcome': end.outcome, ...sums(usage), ...end.attributes });
  fail(span, end.failure);
  span.end(hrTime(Math.max(since, time)));
}

/** Sets the error status of a span that has failed. */
export function fail(span: Span, failure: Failure | undefined): void {
  if (!failure) return;
  span.setAttribute('error.type', failure.type);
  span.setStatus({ code: SpanStatusCode.ERROR, message: brief(failure.message) });
}

/** Creates a link to a span, with its reason. */
export function linkTo(context: SpanContext, reason: string, attributes: Attributes = {}): Link {
  return { context, attributes: { 'phasegate.link': reason, ...attributes } };
}

/**
 * Converts milliseconds into seconds and nanoseconds. OpenTelemetry would read a small number as a duration since the start of
 * the process.
 */
export function hrTime(time: number): HrTime {
  const seconds = Math.floor(time / 1000);
  return [seconds, Math.floor((time - seconds * 1000) * 1_000_000)];
}
