/**
 * One try of one task: its signal, and what it uses.
 *
 * @module
 */
import type { Reservation } from '../../machines/phase/quota-port.ts';
import type { EventOf } from '../../model/events/event.ts';
import type { TaskRun } from './run-task.ts';
import { Account, type Usage } from './usage-account.ts';

/** What one try has used, with what is known of it. */
export type UsageReport = Pick<
  EventOf<'task.reported'>,
  'tokens' | 'costUsd' | 'inputTokens' | 'outputTokens' | 'model' | 'provider' | 'estimated'
>;

/** One try of one task. */
export class Try {
  readonly trial: Omit<TaskRun<never>, 'context'>;
  /** Whether nobody waits for it any more. Its handler may be at work still. */
  isOver = false;
  /** Set when its handler reads it. */
  prompt: string | undefined = undefined;
  /** Whether its handler has read a revision. */
  revised = false;
  readonly #reservation: Reservation | undefined;
  readonly #account: Account | undefined;
  #controller: AbortController | undefined = undefined;
  #unhook: (() => void) | undefined = undefined;

  /** @param reservation What it was promised that it may use. */
  constructor(taskRun: Omit<TaskRun<never>, 'context'>, reservation: Reservation | undefined) {
    this.trial = taskRun;
    this.#reservation = reservation;
    const { costUsd, tokens } = taskRun.plan.estimate;
    this.#account = costUsd || tokens ? new Account(taskRun.plan.estimate) : undefined;
    if (this.#account) taskRun.scope.account(this);
  }

  /** Aborted when nobody waits for the try any more. Made when it is first asked for, as most handlers never do. */
  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    const controller = new AbortController();
    this.#controller = controller;
    const unhook = this.trial.scope.onHalt((reason) => controller.abort(reason));
    if (this.isOver) unhook();
    else this.#unhook = unhook;
    return controller.signal;
  }

  /** It is about to say what it has used. @returns What of that is not counted yet. */
  say(used: Usage): Usage {
    if (this.#reservation) this.trial.scope.spend(this.#reservation, used);
    return this.#account ? this.#account.say(used) : used;
  }

  /** Tells what it has used, where its handler does not say so in time, or not at all. */
  tellUsage(used: UsageReport): void {
    const { scope, plan, role } = this.trial;
    const { origin, attempt } = scope.input;
    const { phase, generation } = origin;
    const reviewer = role !== 'task' && role !== 'reflect';
    const at = { phase: phase.name, generation, attempt, task: plan.name, reviewer };
    if (scope.isOver) scope.reportLate({ type: 'task.reported', ...at, ...used, late: true });
    else scope.report({ type: 'task.reported', ...at, ...used });
  }

  /** Charges what it was expected to use at most, where it has said nothing of that. */
  settleAccount(): void {
    const due = this.#account?.charge();
    if (due) this.tellUsage({ ...due, estimated: true });
  }

  /** Its handler has ended, or is not waited for any more: what it uses is known now. */
  rest(): void {
    const { scope } = this.trial;
    if (this.#account) scope.settleAccount(this);
    if (this.#reservation) scope.giveBack(this.#reservation);
  }

  end(): void {
    this.isOver = true;
    this.#unhook?.();
  }

  /** Ends it before its handler does. */
  abort(error: unknown): void {
    this.end();
    this.#controller ??= new AbortController();
    this.#controller.abort(error);
  }
}
