/**
 * The scope of a piece of work: its input, its signals to stop, and its reports to the owner.
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
import { ScopeTimer } from './scope-timer.ts';
import type { Accounted } from './usage-account.ts';

/** Grace period for aborted handlers, in milliseconds. Afterwards they are no longer awaited. */
export const ABORT_GRACE_MS = 5000;

type Halt = (reason: unknown) => void;

/** The scope of work for a phase, as one of its tasks sees it. */
export type TaskScope = Omit<WorkScope<PhaseContext, unknown>, 'done' | 'progress' | 'stop'>;

/**
 * The scope of one piece of work. A class, as one is created for every attempt and review, and most use little of it.
 *
 * Work is *halted* if a part of it has failed. It is *stopped*, which also halts it, if its result is no longer awaited.
 */
export class WorkScope<I, O> {
  readonly input: I;
  /** Progress of the work in an earlier process; `undefined` for new work. */
  readonly progress: Progress | undefined;
  isStopped = false;
  isHalted = false;
  /** Called when the last handler of stopped work has ended. */
  onRest: (() => void) | undefined = undefined;
  readonly #owner: WorkOwner<O>;
  readonly #onStop: ((scope: WorkScope<I, O>) => void) | undefined;
  // Created on first use, with one element: pushing to an empty array would reserve room for seventeen.
  #halts: Halt[] | undefined = undefined;
  #timers: ScopeTimer[] | undefined = undefined;
  /** Number of running handlers. Stopping takes time if there are any. */
  #busy = 0;
  /** Reservations of tries. */
  #reservations: Set<Reservation> | undefined = undefined;
  /** Running tries with an estimate of their maximum usage. */
  #tries: Set<Accounted> | undefined = undefined;
  #hasEnded = false;
  #reason: unknown = undefined;

  /** @param onStop Called if the work is stopped while handlers are running. */
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
    return this.#owner.quota !== undefined;
  }

  /**
   * Reserves the usage of a try, and calls back when it may begin. It calls back at once if no limit applies or the work is halted.
   *
   * @param go Called with the reservation.
   */
  reserve(phase: string, task: TaskPlan, go: (reservation: Reservation | undefined) => void): void {
    const { quota } = this.#owner;
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
      this.releaseReservation(reservation);
      this.guard(() => go(undefined));
    });
    quota.request(reservation);
  }

  /** Counts usage of a try before it is reported. */
  spend(reservation: Reservation, used: Report): void {
    this.#owner.quota?.use(reservation, used);
  }

  /** Releases the reservation of a finished try, once its late reports are counted. No other try may use it before. */
  releaseReservation(reservation: Reservation): void {
    if (this.#reservations?.delete(reservation))
      this.#owner.stragglers?.whenCounted(() => this.#owner.quota?.release(reservation));
  }

  /** True if reports of tries are late: the work has ended, or was stopped. */
  get isOver(): boolean {
    return this.isStopped || this.#hasEnded;
  }

  /** Registers a running try with an estimate of its maximum usage. */
  account(one: Accounted): void {
    this.#tries ??= new Set();
    this.#tries.add(one);
  }

  /** Charges such a try once its handler has ended. */
  settleAccount(one: Accounted): void {
    if (this.#tries?.delete(one)) one.settleAccount();
  }

  /** Stops waiting for running handlers: their unreported usage is charged. */
  giveUp(): void {
    for (const one of this.#tries ?? []) this.settleAccount(one);
    for (const reservation of this.#reservations ?? []) this.releaseReservation(reservation);
    this.#owner.stragglers?.remove(this);
  }

  /** Reports usage or a result of a try to the run after its work has ended. */
  reportLate(fact: LateReport): void {
    this.#owner.stragglers?.tell(fact);
  }

  /** Reports a fact to the phase. Reports of stopped work are dropped. */
  report(fact: PhaseReport): void {
    if (!this.isStopped) this.#owner.report(fact);
  }

  /** Ends the work with its output. Later calls are ignored. */
  done(output: O): void {
    if (this.#end()) this.#owner.done(output);
  }

  /** Ends the work with an error. Later calls are ignored. */
  failed(error: unknown): void {
    if (this.#end()) this.#owner.failed(error);
  }

  /** Runs a callback of the work: an error that it throws is the error of the work. */
  guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.failed(error);
    }
  }

  /** Counts a handler that begins. */
  enter(): void {
    this.#busy += 1;
  }

  /** Counts a handler that has ended. */
  leave(): void {
    this.#busy -= 1;
    if (this.#busy > 0) return;
    if (this.isStopped) this.giveUp();
    else this.#owner.stragglers?.remove(this);
    this.onRest?.();
  }

  /** Aborts all handlers. */
  halt(reason?: unknown): void {
    if (this.isHalted) return;
    this.isHalted = true;
    this.#reason = reason;
    for (const run of this.#halts?.splice(0) ?? []) run(reason);
  }

  /** Calls back when the work is halted, at once if it was. Returns a function that prevents it. */
  onHalt(run: Halt): () => void {
    if (this.isHalted) run(this.#reason);
    else if (this.#halts) this.#halts.push(run);
    else this.#halts = [run];
    return () => remove(this.#halts, run);
  }

  /** Stops the work, as its result is no longer awaited. */
  stop(): void {
    if (this.isStopped || this.#hasEnded) return;
    this.isStopped = true;
    if (this.#busy > 0) {
      this.#onStop?.(this);
      this.#owner.stragglers?.add(this);
    }
    for (const timer of this.#timers?.splice(0) ?? []) timer.stop();
    this.halt();
    // Reservations of running handlers stay until those end, as they may use them.
    if (this.#busy === 0) this.giveUp();
  }

  /** Calls back after a delay, unless the work is stopped before. */
  after(ms: number, run: () => void): ScopeTimer {
    const timer = new ScopeTimer(this, ms, run);
    if (this.#timers) this.#timers.push(timer);
    else this.#timers = [timer];
    return timer;
  }

  /** Called by a timer that has rung, or was stopped. */
  forget(timer: ScopeTimer): void {
    remove(this.#timers, timer);
  }

  /** Calls back after a delay, or as soon as the work is halted. */
  pause(ms: number, go: () => void): void {
    if (this.isHalted) {
      go();
      return;
    }
    const end = () => {
      unhook();
      clearTimer();
      this.guard(go);
    };
    const clearTimer = after(this.clock, ms, end);
    const unhook = this.onHalt(end);
  }

  /** @returns True if the result is awaited. */
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
