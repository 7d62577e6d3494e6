/**
 * From the records of runs to spans.
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
  /** What the tracer is taken from. @default the global one, which does nothing until an SDK is registered */
  readonly tracerProvider?: TracerProvider | undefined;
  /**
   * Takes verdicts as log events `gen_ai.evaluation.result`, on the span of the attempt that they are about. A `LoggerProvider` of
   * `@opentelemetry/api-logs`, or of `@opentelemetry/api` from 1.10 on.
   *
   * @default none: verdicts are events of that span
   */
  readonly loggerProvider?: EventLoggerProvider | undefined;
  /**
   * What the span of the run is a child of: a context, or the headers of W3C Trace Context.
   *
   * @default the context that is active when this is called; `ROOT_CONTEXT` starts a trace of its own
   */
  readonly parent?: Context | TraceParent | undefined;
}

/** Takes records, such as `events$` of a run gives them. */
export interface SpanObserver {
  readonly next: (record: RunRecord) => void;
  /** Ends all spans that are open, with the outcome `unfinished`, at the time of the latest record. */
  readonly error: (error: unknown) => void;
  /** The same. A run that has ended has no open spans. */
  readonly complete: () => void;
}

/**
 * Makes spans of the records of a run: one for the run, for each generation of its phases, for each attempt, and for its tasks,
 * reflect calls and reviews. They begin and end at the times of the records, so a run that was kept makes the same spans as one that runs.
 *
 * @param records A run, or its records as {@link readRun} gives them; of several runs one after another, too.
 * @returns When the records have ended, and with them all spans.
 * @throws Whatever iterating throws, after the spans that are open have ended.
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
 * The same for a subscription: `run.events$.subscribe(spanObserver())`. Records of several runs may be mixed.
 *
 * It may go on for ever: of the last 1000 runs that have ended it keeps what their spans are called, for runs that are tried
 * again to link to; a run that ended before those begins without that link.
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

/** Runs that have ended and may go on. */
const MOST_ENDED = 1000;
