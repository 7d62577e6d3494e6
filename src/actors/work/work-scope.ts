/**
 * What a piece of work is given: whom it works for, whether it shall go on, and where it tells its end.
 *
 * @module
 */
import { after, type Clock } from '../../machines/phase/clock.ts';
import type { PhaseContext } from '../../machines/phase/phase-context.ts';
import type { Progress, WorkOwner } from '../../machines/phase/ports.ts';
import { Reservation } from '../../machines/phase/quota-port.ts';
import type { LateReport, PhaseReport } from '../../model/events/event.ts';
import type { Report } from '../../model/handlers/task.ts';
import type { TaskPlan } from '../../model/plan/plan.ts';
import type { Accounted } from './usage-account.ts';

/** Milliseconds that work which was told to stop is waited for, before it is left to itself. */
export const ABORT_GRACE_MS = 5000;

type Halt = (reason: unknown) => void;

/** The scope of work for a phase, as one of its tasks sees it. */
export type TaskScope = Omit<WorkScope<PhaseContext, unknown>, 'done' | 'progress' | 'stop'>;

/**
 * The scope of one piece of work. A class, as one is made for every attempt and every review, and most use little of it.
 *
 * Work is *halted* if a part of it has failed, and *stopped*, which halts it as well, if nobody waits for it any more.
 */
export class WorkScope<I, O> {
  readonly input: I;
  /** How far it had come when an earlier process was left; `undefined` where it begins. */
  readonly progress: Progress | undefined;
  isStopped = false;
  isHalted = false;
  /** Called when the last handler of stopped work has ended. */
  onRest: (() => void) | undefined = undefined;
  readonly #owner: WorkOwner<O>;
  readonly #onStop: ((scope: WorkScope<I, O>) => void) | undefined;
  // Made when they are first needed, with room for one: an array that is pushed to makes room for seventeen.
  #halts: Halt[] | undefined = undefined;
  #stops: (() => void)[] | undefined = undefined;
  /** Handlers that are at work, so that stopping it takes time. */
  #busy = 0;
  /** What tries were promised. */
  #reservations: Set<Reservation> | undefined = undefined;
  /** Tries at work that say what they use at most. */
  #tries: Set<Accounted> | undefined = undefined;
  #hasEnded = false;
  #reason: unknown = undefined;

  /** @param onStop Called where the work is stopped while handlers are at work. */
  constructor(
    input: I,
    owner: WorkOwner<O>,
    progress: Progress | undefined,
    onStop: ((scope: WorkScope<I, O>) => void) | undefined,
  ) {
    this.input = input;
    this.progress = progress;
    this.#owner = owner;
    this.#onStop = onStop;
  }

  get clock(): Clock {
    return this.#owner.clock;
  }

  /** True if limits bound the usage of tries. */
  get isBounded(): boolean {
    return this.#owner.till !== undefined;
  }

  /**
   * Asks for what a try may use, and calls back when it may begin; at once where nothing bounds that, or the work is halted.
   *
   * @param go Called with what was promised.
   */
  stake(phase: string, task: TaskPlan, go: (reservation: Reservation | undefined) => void): void {
    const { till: quota } = this.#owner;
    if (!quota || this.isHalted) {
      go(undefined);
      return;
    }
    const begin = () => {
      unhook();
      this.guard(() => go(reservation));
    };
    const isAlone = () => this.#busy === 0;
    const reservation: Reservation = new Reservation(phase, task.name, task.estimate, begin, isAlone);
    this.#reservations ??= new Set();
    this.#reservations.add(reservation);
    const unhook = this.onHalt(() => {
      this.giveBack(reservation);
      this.guard(() => go(undefined));
    });
    quota.request(reservation);
  }

  /** A try is about to say what it has used. */
  spend(reservation: Reservation, used: Report): void {
    this.#owner.till?.use(reservation, used);
  }

  /** A try is over. It keeps what it was promised until what it has told late counts: nobody else may have it meanwhile. */
  giveBack(reservation: Reservation): void {
    if (this.#reservations?.delete(reservation))
      this.#owner.stragglers?.whenCounted(() => this.#owner.till?.release(reservation));
  }

  /** True if nobody waits for reports of a try: the work has ended, or was stopped. */
  get isOver(): boolean {
    return this.isStopped || this.#hasEnded;
  }

  /** A try is at work that says what it uses at most. */
  account(one: Accounted): void {
    this.#tries ??= new Set();
    this.#tries.add(one);
  }

  /** The handler of such a try has ended. */
  settleAccount(one: Accounted): void {
    if (this.#tries?.delete(one)) one.settleAccount();
  }

  /** Handlers that are still at work are not waited for any more: what they have not said is charged. */
  giveUp(): void {
    for (const one of this.#tries ?? []) this.settleAccount(one);
    for (const reservation of this.#reservations ?? []) this.giveBack(reservation);
    this.#owner.stragglers?.remove(this);
  }

  /** Tells the run what a try has used, or come to, that nobody waits for any more. */
  reportLate(fact: LateReport): void {
    this.#owner.stragglers?.tell(fact);
  }

  /** Tells the phase something. Nobody listens once the work was stopped. */
  report(fact: PhaseReport): void {
    if (!this.isStopped) this.#owner.report(fact);
  }

  /** The work has come to its end. What follows is ignored. */
  done(output: O): void {
    if (this.#end()) this.#owner.done(output);
  }

  /** The work broke. What follows is ignored. */
  failed(error: unknown): void {
    if (this.#end()) this.#owner.failed(error);
  }

  /** Runs a part of the work from outside of it: what it throws is the work's error. */
  guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.failed(error);
    }
  }

  /** A handler begins. */
  enter(): void {
    this.#busy += 1;
  }

  /** A handler has ended. */
  leave(): void {
    this.#busy -= 1;
    if (this.#busy > 0) return;
    if (this.isStopped) this.giveUp();
    else this.#owner.stragglers?.remove(this);
    this.onRest?.();
  }

  /** Tells whatever is at work to stop. */
  halt(reason?: unknown): void {
    if (this.isHalted) return;
    this.isHalted = true;
    this.#reason = reason;
    for (const run of this.#halts?.splice(0) ?? []) run(reason);
  }

  /** Calls back when the work is halted, at once where it was. Returns a function that prevents it. */
  onHalt(run: Halt): () => void {
    if (this.isHalted) run(this.#reason);
    else if (this.#halts) this.#halts.push(run);
    else this.#halts = [run];
    return () => remove(this.#halts, run);
  }

  /** Nobody waits for the work any more. */
  stop(): void {
    if (this.isStopped || this.#hasEnded) return;
    this.isStopped = true;
    if (this.#busy > 0) {
      this.#onStop?.(this);
      this.#owner.stragglers?.add(this);
    }
    for (const run of this.#stops?.splice(0) ?? []) run();
    this.halt();
    // What handlers at work were promised is kept for them until they are at rest: they may have used it.
    if (this.#busy === 0) this.giveUp();
  }

  /** Calls back after a while, unless the work is stopped before. Returns a function that prevents it. */
  after(ms: number, run: () => void): () => void {
    const stop = () => {
      remove(this.#stops, stop);
      forget();
    };
    const forget = after(this.clock, ms, () => {
      remove(this.#stops, stop);
      this.guard(run);
    });
    if (this.#stops) this.#stops.push(stop);
    else this.#stops = [stop];
    return stop;
  }

  /** Calls back after a while, or as soon as the work is halted. */
  pause(ms: number, go: () => void): void {
    if (this.isHalted) {
      go();
      return;
    }
    const end = () => {
      unhook();
      forget();
      this.guard(go);
    };
    const forget = after(this.clock, ms, end);
    const unhook = this.onHalt(end);
  }

  /** @returns Whether somebody waits for the end. */
  #end(): boolean {
    if (this.#hasEnded) return false;
    this.giveUp();
    this.#hasEnded = true;
    return !this.isStopped;
  }
}

// --- internal ---

function remove<T>(list: T[] | undefined, item: T): void {
  const at = list?.indexOf(item) ?? -1;
  if (at !== -1) list?.splice(at, 1);
}
