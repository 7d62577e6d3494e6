/**
 * Converts the records of runs into spans.
 *
 * @module
 */
import { trace, type Context, type SpanContext, type TracerProvider } from '@opentelemetry/api';
import type { RunRecord } from '../model/events/event.ts';
import { applyRecord } from './apply-record.ts';
import type { EventLoggerProvider } from './evaluation-log.ts';
import { closeRun, openRun, type RunSpans } from './run-spans.ts';
import { parentContext, type TraceParent } from './trace-parent.ts';

/** Options of {@link traceRun} and {@link spanObserver}. */
export interface TraceOptions {
  /** The provider of the tracer. @default the global one, which does nothing until an SDK is registered */
  readonly tracerProvider?: TracerProvider | undefined;
  /**
   * Takes verdicts as log events `gen_ai.evaluation.result`, on the span of the attempt that they are about. A `LoggerProvider`
   * of `@opentelemetry/api-logs`, or of `@opentelemetry/api` from 1.10 on.
   *
   * @default none: verdicts are events of that span
   */
  readonly loggerProvider?: EventLoggerProvider | undefined;
  /**
   * The parent of the run's span: a context, or the headers of W3C Trace Context.
   *
   * @default the context that is active at the call; `ROOT_CONTEXT` starts a trace of its own
   */
  readonly parent?: Context | TraceParent | undefined;
}

/** Takes records, for example from `events$` of a run. */
export interface SpanObserver {
  readonly next: (record: RunRecord) => void;
  /** Ends all open spans with the outcome `unfinished`, at the time of the latest record. */
  readonly error: (error: unknown) => void;
  /** Ends all open spans, as `error` does. A run that has ended has none. */
  readonly complete: () => void;
}

/**
 * Creates spans from the records of a run: for the run, each generation of its phases, each attempt, and its tasks, reflect calls
 * and reviews. Spans have the times of the records, so a stored run gives the same spans as a live one.
 *
 * @param records A run, or its records from {@link readRun}; or the records of several runs, one run after another.
 * @returns A promise that resolves when the records, and so all spans, have ended.
 * @throws The error of the iteration, after it has ended the open spans.
 *
 * @example
 * ```ts
 * const run = startRun(pipeline);
 * await traceRun(run, { tracerProvider });
 * ```
 */
export async function traceRun(
  records: AsyncIterable<RunRecord> | Iterable<RunRecord>,
  options: TraceOptions = {},
): Promise<void> {
  const observer = spanObserver(options);
  try {
    for await (const record of records) observer.next(record);
  } finally {
    observer.complete();
  }
}

/**
 * Creates an observer for a subscription: `run.events$.subscribe(spanObserver())`. Records of several runs may be mixed.
 *
 * It may run without end. It holds the span contexts of the last 1000 ended runs, as the span of a reopened run links to the
 * previous one. The span of a run that ended earlier lacks that link.
 */
export function spanObserver(options: TraceOptions = {}): SpanObserver {
  const tracer = (options.tracerProvider ?? trace).getTracer('phasegate');
  const logger = options.loggerProvider?.getLogger('phasegate');
  const parent = parentContext(options.parent);
  const open = new Map<string, RunSpans>();
  const ended = new Map<string, SpanContext>();
  const complete = () => {
    for (const spans of open.values()) closeRun(spans, spans.last, { outcome: 'unfinished' });
    open.clear();
    ended.clear();
  };
  return {
    next({ runId, time, event }) {
      const spans = open.get(runId) ?? begin(runId, { time, event });
      const isOver = applyRecord(spans, event, time);
      spans.last = time;
      if (!isOver) return;
      open.delete(runId);
      ended.delete(runId);
      ended.set(runId, spans.run.span.spanContext());
      const [oldest] = ended.keys();
      if (ended.size > MOST_ENDED && oldest !== undefined) ended.delete(oldest);
    },
    error: complete,
    complete,
  };

  function begin(runId: string, { time, event }: Pick<RunRecord, 'time' | 'event'>): RunSpans {
    const before = ended.get(runId);
    const plan = event.type === 'run.started' || event.type === 'run.resumed' ? event.plan : undefined;
    const isBeginning = event.type === 'run.started' || before !== undefined;
    const spans = openRun({ tracer, logger, parent, runId }, time, plan?.name, { before, isBeginning });
    open.set(runId, spans);
    return spans;
  }
}

// --- internal ---

/** Ended runs that may be reopened. */
const MOST_ENDED = 1000;
