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
import type { InboxItem } from '../projections/inbox/inbox-item.ts';
import type { RunInbox } from './inbox/inbox.ts';
import type { WaitWatch } from './inbox/suspend-waiting.ts';
import { iterate, stream, type RecordLog } from './records/record-log.ts';
import type { Wait } from './records/release-lease.ts';
import { outputsOf } from './run-unsuccessful-error.ts';
import type { Run } from './run.ts';

/** A run, as its engine provides it. */
export interface RunControls<O> extends Pick<Run<O>, 'result' | 'snapshot' | 'answer' | 'cancel'> {
  readonly log: RecordLog;
  /** The actor of the run; `undefined` until it has begun. */
  readonly actor: AnyActorRef | undefined;
  readonly inbox: Pick<RunInbox, 'decide'>;
  readonly children: Pick<ChildRuns, 'watch' | 'live'>;
  readonly watch: WaitWatch | undefined;
  /** The open items of the run, and of the runs that its tasks have started. */
  openItems(): readonly InboxItem[];
  /** Its wait, if it only waits. @param isHeldAbove True if a limit of the run whose task has started it lets no try begin. */
  waitNow(isHeldAbove: boolean): Wait | undefined;
  suspend(): void;
}

/** Functions that a caller may keep without their run, such as `run.cancel`. Each is created when it is first read. */
interface Detached<O> {
  eventsFrom?: Run<O>['eventsFrom'];
  snapshot?: Run<O>['snapshot'];
  decide?: Run<O>['decide'];
  inbox?: Run<O>['inbox'];
  answer?: Run<O>['answer'];
  cancel?: Run<O>['cancel'];
  suspend?: Run<O>['suspend'];
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
  readonly #run: RunControls<O>;
  #outputs: Promise<O> | undefined = undefined;
  #detached: Detached<O> | undefined = undefined;

  constructor(run: RunControls<O>) {
    this.id = run.log.runId;
    this.#run = run;
  }

  /** The tries of a run that wait for a limit. */
  static waitingTries(run: object): readonly WaitingTry[] {
    const waiting = (#run in run && servicesOf(run.#run.actor)?.quota?.waiting) || [];
    const own = waiting.filter((one) => !(one instanceof NestedReservation));
    return own.map(({ phase, task, isAlone }) => ({ phase, task, isAlone: isAlone() }));
  }

  /** The runs that the tasks of a run have started, and that work in this process now. */
  static children(run: object): readonly LiveChild[] {
    return #run in run ? run.#run.children.live() : [];
  }

  /** The watch of a run, if it is suspended while it only waits, alone or with the run whose task has started it. */
  static watchOf(run: object): WaitWatch | undefined {
    return #run in run ? run.#run.watch : undefined;
  }

  /** The wait of a run, if it only waits. @param isHeldAbove As for {@link RunControls.waitNow}. */
  static waitOf(run: object, isHeldAbove: boolean): Wait | undefined {
    return #run in run ? run.#run.waitNow(isHeldAbove) : undefined;
  }

  /** Calls a listener with each run that the tasks of a run have started, and with theirs, now and later. */
  static watchChildren(run: object, listener: (child: Run<unknown>) => void): void {
    if (!(#run in run)) return;
    run.#run.children.watch((child) => {
      listener(child);
      StartedRun.watchChildren(child, listener);
    });
  }

  get events$(): Observable<RunRecord> {
    return stream(this.#run.log);
  }

  [Symbol.asyncIterator](): AsyncGenerator<RunRecord, void, undefined> {
    return iterate(this.#run.log);
  }

  get result(): Run<O>['result'] {
    return this.#run.result;
  }

  /** Its promise may reject, which a caller who never reads `outputs` need not handle. */
  get outputs(): Promise<O> {
    this.#outputs ??= this.#run.result.then(outputsOf);
    return this.#outputs;
  }

  get eventsFrom(): Run<O>['eventsFrom'] {
    return (this.#functions.eventsFrom ??= (seq) => stream(this.#run.log, seq));
  }

  get snapshot(): Run<O>['snapshot'] {
    return (this.#functions.snapshot ??= () => this.#run.snapshot());
  }

  get inbox(): Run<O>['inbox'] {
    return (this.#functions.inbox ??= () => this.#run.openItems());
  }

  get decide(): Run<O>['decide'] {
    return (this.#functions.decide ??= (about, given, how = {}) => this.#run.inbox.decide(about, given, how));
  }

  get answer(): Run<O>['answer'] {
    return (this.#functions.answer ??= (item, reply, how = {}) => this.#run.answer(item, reply, how));
  }

  get cancel(): Run<O>['cancel'] {
    return (this.#functions.cancel ??= (reason) => this.#run.cancel(reason));
  }

  get suspend(): Run<O>['suspend'] {
    return (this.#functions.suspend ??= () => this.#run.suspend());
  }

  get #functions(): Detached<O> {
    this.#detached ??= {};
    return this.#detached;
  }
}
