/**
 * Spans of OpenTelemetry's own exporter, and their lines.
 *
 * @module
 */
import { SpanStatusCode, type HrTime } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { RunRecord } from 'phasegate/records';
import { traceRun, type TraceOptions } from 'phasegate/otel';

/** Creates a tracer with its exporter. @param options `keep: false` only counts spans. */
export function recorder({ keep = true } = {}) {
  const exporter = new InMemorySpanExporter();
  const counter = new Counter();
  const spanProcessors = keep ? [counter, new SimpleSpanProcessor(exporter)] : [counter];
  return {
    tracerProvider: new BasicTracerProvider({ spanProcessors }),
    spans: () => exporter.getFinishedSpans(),
    /** Returns the number of open spans, now and at most. */
    open: () => counter.open,
    most: () => counter.most,
  };
}

/** Returns the spans of records, or of a run. */
export async function spansOf(
  records: AsyncIterable<RunRecord> | Iterable<RunRecord>,
  options: TraceOptions = {},
): Promise<readonly ReadableSpan[]> {
  const { tracerProvider, spans } = recorder();
  await traceRun(records, { tracerProvider, ...options });
  return spans();
}

/** Formats each span on a line below its parent, in order of start: name, outcome, status, events, links. */
export function treeOf(spans: readonly ReadableSpan[]): readonly string[] {
  const ids = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const begun = spans.toSorted((a, b) => millis(a.startTime) - millis(b.startTime));
  const below = (parent: ReadableSpan | undefined, depth: number): readonly string[] =>
    begun
      .filter((span) => ids.get(span.parentSpanContext?.spanId ?? '') === parent)
      .flatMap((span) => [`${'  '.repeat(depth)}${lineOf(span, ids)}`, ...below(span, depth + 1)]);
  return below(undefined, 0);
}

/** Returns the one span of that name. */
export function spanNamed(spans: readonly ReadableSpan[], name: string): ReadableSpan {
  const [found, another] = spans.filter((span) => span.name === name);
  if (!found || another)
    throw new Error(`There is not one span "${name}" among ${spans.map((one) => one.name).join(', ')}`);
  return found;
}

/** Converts to milliseconds since 1970. */
export function millis([seconds, nanos]: HrTime): number {
  return seconds * 1000 + nanos / 1_000_000;
}

// --- internal ---

class Counter implements SpanProcessor {
  open = 0;
  most = 0;

  onStart(): void {
    this.open += 1;
    this.most = Math.max(this.most, this.open);
  }

  onEnd(): void {
    this.open -= 1;
  }

  forceFlush(): Promise<void> {
    return Promise.resolve();
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }
}

function lineOf(
  { name, attributes, status, events, links }: ReadableSpan,
  ids: ReadonlyMap<string, ReadableSpan>,
): string {
  return [
    name,
    String(attributes['phasegate.outcome']),
    ...(status.code === SpanStatusCode.ERROR
      ? [`ERROR ${String(attributes['error.type'])}: ${status.message?.split('\n')[0]}`]
      : []),
    ...events.map((event) => `[${event.name.replace(/^(phasegate|gen_ai)\./u, '')}]`),
    ...links.map(
      (link) => `← ${String(link.attributes?.['phasegate.link'])} ${ids.get(link.context.spanId)?.name ?? '?'}`,
    ),
  ].join(' ');
}
