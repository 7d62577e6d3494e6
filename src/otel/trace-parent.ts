/**
 * What the span of a run is a child of.
 *
 * @module
 */
import {
  context,
  createTraceState,
  diag,
  isSpanContextValid,
  trace,
  type Context,
  type SpanContext,
} from '@opentelemetry/api';

/** The headers by which a span of another process is known, as W3C Trace Context has them. */
export interface TraceParent {
  /** `<version>-<trace id>-<span id>-<flags>`, in hexadecimal digits. */
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

/** The context to start in: the given one, what headers say, or what is active. Headers that say nothing start a new trace. */
export function parentContext(given: Context | TraceParent | undefined): Context {
  if (given === undefined) return context.active();
  if (!('traceparent' in given)) return given;
  const parent = remoteParent(given);
  if (parent) return trace.setSpanContext(context.active(), parent);
  diag.warn(`phasegate: traceparent ${JSON.stringify(given.traceparent)} is none of W3C; a new trace is started`);
  return trace.deleteSpan(context.active());
}

// --- internal ---

/** Later versions may have more parts behind these. */
const HEADER = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/u;

function remoteParent({ traceparent, tracestate }: TraceParent): SpanContext | undefined {
  const [, version = '', traceId = '', spanId = '', flags = '', more] = HEADER.exec(traceparent.trim()) ?? [];
  if (version === '00' && more !== undefined) return undefined;
  const parent: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  };
  return isSpanContextValid(parent) ? parent : undefined;
}
