/**
 * Verdicts as OpenTelemetry log events, for programs that use its Logs API.
 *
 * @module
 */
import type { Attributes, Context, HrTime } from '@opentelemetry/api';
import { hrTime } from './span.ts';

/** The used part of a `LoggerProvider` of OpenTelemetry. Its API is young, so its package is not required. */
export interface EventLoggerProvider {
  getLogger(name: string): EventLogger;
}

/** The used part of its `Logger`. */
export interface EventLogger {
  emit(record: EventLogRecord): void;
}

/** A log event. */
export interface EventLogRecord {
  readonly eventName: string;
  readonly timestamp: HrTime;
  /** 9 for information, 17 for an error. */
  readonly severityNumber: number;
  readonly attributes: Attributes;
  /** The context of the span that the event is about. */
  readonly context: Context;
}

/** Emits one verdict. */
export function emitEvaluation(logger: EventLogger, context: Context, attributes: Attributes, time: number): void {
  const severityNumber = attributes['error.type'] === undefined ? 9 : 17;
  logger.emit({ eventName: EVALUATION, timestamp: hrTime(time), severityNumber, attributes, context });
}

/** The name of the event. Span events have the same. */
export const EVALUATION = 'gen_ai.evaluation.result';
