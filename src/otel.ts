/**
 * Runs as traces of OpenTelemetry. The package `@opentelemetry/api` is needed.
 *
 * @module
 */
export { spanObserver, traceRun, type SpanObserver, type TraceOptions } from './otel/trace-run.ts';
export type { EventLogger, EventLoggerProvider, EventLogRecord } from './otel/evaluation-log.ts';
export type { TraceParent } from './otel/trace-parent.ts';
