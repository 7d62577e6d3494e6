/**
 * One try of one task: its signal and its usage.
 *
 * @module
 */
import type { Reservation } from '../../machines/phase/quota-port.ts';
import type { EventOf } from '../../model/events/event.ts';
import type { ScopeTimer } from './scope-timer.ts';
import type { TaskRun } from './run-task.ts';
import { Account, type Usage } from './usage-account.ts';

/** Usage of one try, with known details. */
export type UsageReport = Pick<
  EventOf<'task.reported'>,
  'tokens' | 'costUsd' | 'inputTokens' | 'outputTokens' | 'model' | 'provider' | 'estimated'
>;

/** One try of one task. */
export class Try {
  readonly trial: Omit<TaskRun<never>, 'context'>;
  /** Its number among the tries of the task, from 1. */
  readonly number: number;
  /** Milliseconds that it has run in earlier processes, as far as its timeout counts them. */
  readonly ranMs: number;
  /** True if the result is no longer awaited. The handler may still be running. */
  isOver = false;
  /** Set when the handler reads it. */
  prompt: string | undefined = undefined;
  /** True if the handler has read a revision. */
  revised = false;
  /** Its timeout. */
  timer: ScopeTimer | undefined = undefined;
  /** Called when its handler ends after the timeout, or is no longer awaited. */
  onRest: (() => void) | undefined = undefined;
  readonly #reservation: Reservation | undefined;
  readonly #account: Account | undefined;
  #controller: AbortController | undefined = undefined;
  #unhook: (() => void) | undefined = undefined;

  /** @param reservation Usage that is reserved for the try. */
  constructor(taskRun: Omit<TaskRun<never>, 'context'>, number: number, reservation: Reservation | undefined) {
    this.trial = taskRun;
    this.number = number;
    this.ranMs = taskRun.resumed?.number === number ? taskRun.resumed.ranMs : 0;
    this.#reservation = reservation;
    const { costUsd, tokens } = taskRun.plan.estimate;
    this.#account = costUsd || tokens ? new Account(taskRun.plan.estimate) : undefined;
    if (this.#account) taskRun.scope.account(this);
  }

  /** Aborted when the result is no longer awaited. Created on first access, as most handlers never read it. */
  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    const controller = new AbortController();
    this.#controller = controller;
    const unhook = this.trial.scope.onHalt((reason) => controller.abort(reason));
    if (this.isOver) unhook();
    else this.#unhook = unhook;
    return controller.signal;
  }

  /** Counts usage that is about to be reported. @returns The part that is not counted yet. */
  countUsage(used: Usage): Usage {
    if (this.#reservation) this.trial.scope.spend(this.#reservation, used);
    return this.#account ? this.#account.add(used) : used;
  }

  /** Reports usage that the handler has not reported in time, or not at all. */
  reportUsage(used: UsageReport): void {
    const { scope, plan, role } = this.trial;
    const { origin, attempt } = scope.input;
    const { phase, generation } = origin;
    const reviewer = role !== 'task' && role !== 'reflect';
    const at = { phase: phase.name, generation, attempt, task: plan.name, reviewer };
    if (scope.isOver) scope.reportLate({ type: 'task.reported', ...at, ...used, late: true });
    else scope.report({ type: 'task.reported', ...at, ...used });
  }

  /** Charges the estimated maximum of each amount that the handler has not reported. */
  settleAccount(): void {
    const due = this.#account?.charge();
    if (due) this.reportUsage({ ...due, estimated: true });
  }

  /** Settles usage once the handler has ended or is no longer awaited. */
  rest(): void {
    const { scope } = this.trial;
    if (this.#account) scope.settleAccount(this);
    if (this.#reservation) scope.releaseReservation(this.#reservation);
  }

  end(): void {
    this.isOver = true;
    this.#unhook?.();
  }

  /** Ends the try before its handler does. */
  abort(error: unknown): void {
    this.end();
    this.#controller ??= new AbortController();
    this.#controller.abort(error);
  }
}
