/**
 * OpenTelemetry traces of runs. It needs the package `@opentelemetry/api`.
 *
 * @module
 */
export { spanObserver, traceRun, type SpanObserver, type TraceOptions } from './otel/trace-run.ts';
export type { EventLogger, EventLoggerProvider, EventLogRecord } from './otel/evaluation-log.ts';
export type { TraceParent } from './otel/trace-parent.ts';
