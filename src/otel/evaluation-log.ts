/**
 * Verdicts as log events of OpenTelemetry, if its Logs API is there to take them.
 *
 * @module
 */
import type { Attributes, Context, HrTime } from '@opentelemetry/api';
import { hrTime } from './span.ts';

/** The part of a `LoggerProvider` of OpenTelemetry that is used; its API is young, and its package is not needed. */
export interface EventLoggerProvider {
  getLogger(name: string): EventLogger;
}

/** The part of its `Logger` that is used. */
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
  /** Of the span that it is about. */
  readonly context: Context;
}

/** Emits one verdict. */
export function emitEvaluation(logger: EventLogger, context: Context, attributes: Attributes, time: number): void {
  const severityNumber = attributes['error.type'] === undefined ? 9 : 17;
  logger.emit({ eventName: EVALUATION, timestamp: hrTime(time), severityNumber, attributes, context });
}

/** The name of the event, on spans as well. */
export const EVALUATION = 'gen_ai.evaluation.result';
