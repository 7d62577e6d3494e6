/**
 * The records of one run: numbered, timed, kept, and handed to whoever listens. The only clock of events.
 *
 * @module
 */
import { Observable, Subscriber, type Observer, type Subscription } from 'rxjs';
import type { RunEvent, RunRecord } from '../model/event.ts';

/** The log of one run. */
export interface RecordLog {
  readonly records: readonly RunRecord[];
  /** Stamps and keeps an event, then hands it to every listener. */
  append(event: RunEvent): void;
  /** No record follows. */
  close(): void;
  /** Every record from a position on, past ones first, without gaps. Completes with the run. @param from @default 1 */
  stream(from?: number): Observable<RunRecord>;
  /** The same for `for await`. */
  iterate(from?: number): AsyncGenerator<RunRecord, void, undefined>;
}

/** An empty log. @param now Milliseconds since 1970. */
export function createRecordLog(runId: string, now: () => number): RecordLog {
  const records: RunRecord[] = [];
  const listeners = new Set<() => void>();
  let closed = false;

  function wake(): void {
    for (const listener of Array.from(listeners)) listener();
  }

  /** Pulls from the log, so that a listener that appends, or joins late, sees every record once and in order. */
  function follow(subscriber: Pick<Observer<RunRecord>, 'next' | 'complete'>, from: number): () => void {
    let at = Math.max(0, from - 1);
    let busy = false;
    const drain = () => {
      if (busy) return;
      busy = true;
      for (let record = records[at]; record && listeners.has(drain); record = records[at]) {
        at += 1;
        subscriber.next(record);
      }
      busy = false;
      if (closed && listeners.delete(drain)) subscriber.complete();
    };
    listeners.add(drain);
    drain();
    return () => listeners.delete(drain);
  }

  return {
    records,
    append(event) {
      records.push({ runId, seq: records.length + 1, time: now(), event });
      if (listeners.size > 0) wake();
    },
    close() {
      closed = true;
      wake();
    },
    stream: (from = 1) => new GuardedObservable((subscriber) => follow(subscriber, from)),
    async *iterate(from = 1) {
      let at = Math.max(0, from - 1);
      for (;;) {
        for (let record = records[at]; record; record = records[at]) {
          at += 1;
          yield record;
        }
        if (closed) return;
        // Records are awaited one by one: that is what iterating means.
        // oxlint-disable-next-line no-await-in-loop
        await new Promise<void>((resolve) => {
          const once = () => {
            listeners.delete(once);
            resolve();
          };
          listeners.add(once);
        });
      }
    },
  };
}

// --- internal ---

/**
 * An observable whose subscribers may throw, also behind operators: RxJS would throw that again outside of every `catch`,
 * which ends a Node process, and the run with it. Here such a subscriber is told by its own `error`, or the console is, and
 * it gets nothing more.
 */
class GuardedObservable<T> extends Observable<T> {
  /** What `pipe` makes of it is guarded as well. */
  override lift<R>(operator?: Observable<R>['operator']): Observable<R> {
    const made = new GuardedObservable<R>();
    return Object.assign(made, { source: this, operator });
  }

  override subscribe(
    listener?: Partial<Observer<T>> | ((value: T) => void) | null,
    error?: ((error: unknown) => void) | null,
    complete?: (() => void) | null,
  ): Subscription {
    // An operator hands what goes wrong on to whoever subscribed behind it.
    if (listener instanceof Subscriber) return super.subscribe(listener);
    const given: Partial<Observer<T>> = typeof listener === 'function' ? { next: listener } : (listener ?? {});
    const fail = (thrown: unknown) =>
      tell(() => (error ? error(thrown) : given.error ? given.error(thrown) : deplore(thrown)));
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

function deplore(thrown: unknown): void {
  console.error('phasegate: a listener of events$ has thrown and gets no more records:', thrown);
}

function tell(handler: () => void): void {
  try {
    handler();
  } catch (thrown) {
    deplore(thrown);
  }
}
