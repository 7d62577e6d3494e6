/**
 * The log of one run: it numbers and times events, stores them in memory, and publishes them as records. The only clock of
 * events.
 *
 * @module
 */
import type { Observer, Subscription } from 'rxjs';
// Imports single modules, as the whole of RxJS is two hundred files.
import { Observable } from 'rxjs/internal/Observable';
import { Subscriber } from 'rxjs/internal/Subscriber';
import type { RunEvent, RunRecord } from '../../model/events/event.ts';

/** The log of one run. */
export interface RecordLog {
  readonly runId: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly events: RunEvent[];
  /** Times of the events, by index. A record is created only when it is read, so its time is stored here. */
  readonly times: number[];
  /** Created with the first. */
  listeners: (() => void)[] | undefined;
  /** Number of published events. Without a store every event is published at once. */
  publishedCount: number;
  /** True if an event is published only by {@link publishUpTo}. */
  isBuffered: boolean;
  /** True if no more events are published. */
  isDetached: boolean;
  isClosed: boolean;
}

/** Creates an empty log. @param isBuffered True if listeners get an event only when it is published. */
export function createRecordLog(runId: string, now: () => number, isBuffered = false): RecordLog {
  return {
    runId,
    now,
    events: [],
    times: [],
    listeners: undefined,
    publishedCount: 0,
    isBuffered,
    isDetached: false,
    isClosed: false,
  };
}

/**
 * Returns the time source of a log: a clock, or else the system. The system is also asked if the clock fails, as its run could not even end
 * otherwise.
 *
 * @returns A function that returns milliseconds since 1970.
 */
export function timeFrom(clock: { now?(): number } | undefined): () => number {
  if (!clock) return systemTime;
  return () => {
    try {
      const now = clock.now?.();
      return Number.isFinite(now) ? Number(now) : systemTime();
    } catch {
      return systemTime();
    }
  };
}

/** Appends an event with its time. Publishes it unless the log is buffered. */
export function append(log: RecordLog, event: RunEvent): void {
  log.events.push(event);
  log.times.push(log.now());
  if (!log.isBuffered) publishUpTo(log, log.events.length);
}

/** Publishes all events up to a count. */
export function publishUpTo(log: RecordLog, count: number): void {
  log.publishedCount = count;
  wake(log);
}

/**
 * Discards unpublished events. Later events are never stored or published, as another process may give their numbers to other
 * events. They only update the snapshot of this process.
 */
export function detach(log: RecordLog): void {
  log.events.length = log.publishedCount;
  log.times.length = log.publishedCount;
  log.isBuffered = true;
  log.isDetached = true;
}

/** Closes the log: no record follows. */
export function close(log: RecordLog): void {
  log.isClosed = true;
  wake(log);
}

/** The record at an index, from 0, published or not. */
export function recordAt({ runId, events, times }: RecordLog, index: number): RunRecord | undefined {
  const event = events[index];
  return event && { runId, seq: index + 1, time: times[index] ?? 0, event };
}

/** The record at an index if it may be read: it is published, or the log is detached. */
export function readableAt(log: RecordLog, index: number): RunRecord | undefined {
  return log.isDetached ? recordAt(log, index) : publishedAt(log, index);
}

/** The record at an index if it is published. */
export function publishedAt(log: RecordLog, index: number): RunRecord | undefined {
  return index < log.publishedCount ? recordAt(log, index) : undefined;
}

/** Every record from a position on, past ones first, without gaps. Completes with the run. @param from @default 1 */
export function stream(log: RecordLog, from = 1): Observable<RunRecord> {
  return new GuardedObservable((subscriber) => follow(log, subscriber, from));
}

/** The same for `for await`. */
export async function* iterate(log: RecordLog, from = 1): AsyncGenerator<RunRecord, void, undefined> {
  for (let at = Math.max(0, from - 1); ;) {
    for (let record = publishedAt(log, at); record; record = publishedAt(log, at)) {
      at += 1;
      yield record;
    }
    if (isOver(log)) return;
    // Records are awaited one by one, as an iterator delivers them one by one.
    await next(log);
  }
}

// --- internal ---

/** One function for all logs, as a process may have thousands. */
function systemTime(): number {
  return Date.now();
}

/** True if all events are published and the log is closed. */
function isOver({ isClosed, isDetached, publishedCount, events }: RecordLog): boolean {
  return isClosed && (isDetached || publishedCount === events.length);
}

function wake({ listeners }: RecordLog): void {
  if (!listeners?.length) return;
  for (const listener of listeners.slice()) listener();
}

function isListening({ listeners }: RecordLog, listener: () => void): boolean {
  return listeners?.includes(listener) ?? false;
}

function drop({ listeners }: RecordLog, listener: () => void): boolean {
  const at = listeners?.indexOf(listener) ?? -1;
  if (at !== -1) listeners?.splice(at, 1);
  return at !== -1;
}

function listen(log: RecordLog, listener: () => void): void {
  if (log.listeners) log.listeners.push(listener);
  else log.listeners = [listener];
}

function next(log: RecordLog): Promise<void> {
  return new Promise((resolve) => {
    const once = () => {
      drop(log, once);
      resolve();
    };
    listen(log, once);
  });
}

/** Reads from the log, so that a listener that appends, or joins late, gets every record once and in order. */
function follow(log: RecordLog, subscriber: Pick<Observer<RunRecord>, 'next' | 'complete'>, from: number): () => void {
  let at = Math.max(0, from - 1);
  let busy = false;
  const drain = () => {
    if (busy) return;
    busy = true;
    for (let record = publishedAt(log, at); record && isListening(log, drain); record = publishedAt(log, at)) {
      at += 1;
      subscriber.next(record);
    }
    busy = false;
    if (isOver(log) && drop(log, drain)) subscriber.complete();
  };
  listen(log, drain);
  drain();
  return () => drop(log, drain);
}

/**
 * An observable whose subscribers may throw, also behind operators. RxJS throws such an error again outside of every `catch`,
 * which ends a Node process and all its runs. Here the error goes to the subscriber's own `error`, or to the console. The
 * subscriber gets no more records.
 */
class GuardedObservable<T> extends Observable<T> {
  /** Guards the results of `pipe` as well. */
  override lift<R>(operator?: Observable<R>['operator']): Observable<R> {
    const made = new GuardedObservable<R>();
    return Object.assign(made, { source: this, operator });
  }

  override subscribe(
    listener?: Partial<Observer<T>> | ((value: T) => void) | null,
    error?: ((error: unknown) => void) | null,
    complete?: (() => void) | null,
  ): Subscription {
    // An operator passes errors on to its own subscriber.
    if (listener instanceof Subscriber) return super.subscribe(listener);
    const given: Partial<Observer<T>> = typeof listener === 'function' ? { next: listener } : (listener ?? {});
    const fail = (thrown: unknown) =>
      callSafely(() => (error ? error(thrown) : given.error ? given.error(thrown) : logError(thrown)));
    let failed = false;
    const guard = (call: () => void) => {
      if (failed) return;
      try {
        call();
      } catch (thrown) {
        failed = true;
        queueMicrotask(() => subscription.unsubscribe());
        fail(thrown);
      }
    };
    const subscription = super.subscribe({
      next: (value) => guard(() => given.next?.(value)),
      error: fail,
      complete: () => guard(() => (complete ? complete() : given.complete?.())),
    });
    return subscription;
  }
}

function logError(thrown: unknown): void {
  console.error('phasegate: a listener of events$ has thrown and gets no more records:', thrown);
}

function callSafely(handler: () => void): void {
  try {
    handler();
  } catch (thrown) {
    logError(thrown);
  }
}
