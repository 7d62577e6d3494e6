/**
 * The parent of a run's span.
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

/** The headers of W3C Trace Context that identify a span of another process. */
export interface TraceParent {
  /** `<version>-<trace id>-<span id>-<flags>`, in hexadecimal digits. */
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

/**
 * Finds the context to start in: the given one, that of the headers, or the active one. Headers that are not valid start a new
 * trace.
 */
export function parentContext(given: Context | TraceParent | undefined): Context {
  if (given === undefined) return context.active();
  if (!('traceparent' in given)) return given;
  const parent = remoteParent(given);
  if (parent) return trace.setSpanContext(context.active(), parent);
  diag.warn(
    `phasegate: traceparent ${JSON.stringify(given.traceparent)} is not valid W3C Trace Context; a new trace is started`,
  );
  return trace.deleteSpan(context.active());
}

// --- internal ---

/** Later versions may append more parts. */
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
