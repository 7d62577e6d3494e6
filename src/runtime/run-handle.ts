/**
 * The handle of a run for the caller who has started it.
 *
 * @module
 */
import type { Observable } from 'rxjs';
import type { AnyActorRef } from 'xstate';
import { NestedReservation } from '../machines/phase/quota-port.ts';
import { servicesOf } from '../machines/phase/run-services.ts';
import type { RunRecord } from '../model/events/event.ts';
import type { ChildRuns, LiveChild } from './child-runs.ts';
import type { WaitWatch } from './inbox/suspend-waiting.ts';
import { iterate, stream, type RecordLog } from './records/record-log.ts';
import type { Run } from './run.ts';

/** Operations that the engine provides. */
interface Controls<O> extends Pick<
  Run<O>,
  'result' | 'snapshot' | 'inbox' | 'decide' | 'answer' | 'cancel' | 'suspend'
> {
  /**
   * Called on the first access to `outputs`. Its promise may reject, which a caller who never reads `outputs` need not handle.
   */
  readonly awaitOutputs: () => Promise<O>;
  /** The actor of the run; `undefined` until it has begun. */
  readonly actor: () => AnyActorRef | undefined;
  readonly children: () => Pick<ChildRuns, 'watch' | 'live'>;
  readonly watch: WaitWatch | undefined;
}

/** A try that waits, as its reservation does not fit into the rest of a limit. */
export interface WaitingTry {
  readonly phase: string;
  readonly task: string;
  /** True if no other handler of the same attempt, or of the same review, is running. */
  readonly isAlone: boolean;
}

/** A class, as an object literal with accessors is a slow and large dictionary in V8. */
export class StartedRun<O> implements Run<O> {
  readonly id: string;
  readonly eventsFrom: Run<O>['eventsFrom'];
  readonly result: Run<O>['result'];
  readonly snapshot: Run<O>['snapshot'];
  readonly inbox: Run<O>['inbox'];
  readonly decide: Run<O>['decide'];
  readonly answer: Run<O>['answer'];
  readonly cancel: Run<O>['cancel'];
  readonly suspend: Run<O>['suspend'];
  readonly #log: RecordLog;
  readonly #await: () => Promise<O>;
  readonly #actor: () => AnyActorRef | undefined;
  readonly #children: () => Pick<ChildRuns, 'watch' | 'live'>;
  readonly #watch: WaitWatch | undefined;
  #outputs: Promise<O> | undefined = undefined;

  constructor(log: RecordLog, controls: Controls<O>) {
    const { result, snapshot, inbox, decide, answer, cancel, suspend, awaitOutputs, actor, children, watch } = controls;
    this.id = log.runId;
    this.eventsFrom = (seq) => stream(log, seq);
    this.result = result;
    this.snapshot = snapshot;
    this.inbox = inbox;
    this.decide = decide;
    this.answer = answer;
    this.cancel = cancel;
    this.suspend = suspend;
    this.#log = log;
    this.#await = awaitOutputs;
    this.#actor = actor;
    this.#children = children;
    this.#watch = watch;
  }

  /** The tries of a run that wait for a limit. */
  static waitingTries(run: object): readonly WaitingTry[] {
    const waiting = (#actor in run && servicesOf(run.#actor())?.quota?.waiting) || [];
    const own = waiting.filter((one) => !(one instanceof NestedReservation));
    return own.map(({ phase, task, isAlone }) => ({ phase, task, isAlone: isAlone() }));
  }

  /** The runs that the tasks of a run have started, and that work in this process now. */
  static children(run: object): readonly LiveChild[] {
    return #children in run ? run.#children().live() : [];
  }

  /** The watch of a run, if it is suspended while it only waits, alone or with the run whose task has started it. */
  static watchOf(run: object): WaitWatch | undefined {
    return #watch in run ? run.#watch : undefined;
  }

  /** Calls a listener with each run that the tasks of a run have started, and with theirs, now and later. */
  static watchChildren(run: object, listener: (child: Run<unknown>) => void): void {
    if (!(#children in run)) return;
    run.#children().watch((child) => {
      listener(child);
      StartedRun.watchChildren(child, listener);
    });
  }

  get events$(): Observable<RunRecord> {
    return stream(this.#log);
  }

  [Symbol.asyncIterator](): AsyncGenerator<RunRecord, void, undefined> {
    return iterate(this.#log);
  }

  get outputs(): Promise<O> {
    this.#outputs ??= this.#await();
    return this.#outputs;
  }
}
