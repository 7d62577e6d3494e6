/**
 * One task, tried until it succeeds or may not be tried again.
 *
 * @module
 */
import type { Reservation } from '../../machines/phase/quota-port.ts';
import type { TaskWork } from '../../model/definition/compile.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { retryHintOf } from '../../model/errors/retry-hint.ts';
import { asRework } from '../../model/handlers/needs-rework.ts';
import type { Inputs, Outputs } from '../../model/handlers/task.ts';
import { backoffMs } from '../../model/plan/backoff.ts';
import type { TaskPlan } from '../../model/plan/plan.ts';
import { countOf } from '../../model/plan/policy.ts';
import type { Recollection } from '../../model/revision/revision-extras.ts';
import { toJson, type JsonProblem } from '../../model/values/json.ts';
import { check, type StandardSchemaV1 } from '../../model/values/standard-schema.ts';
import { Try } from './single-try.ts';
import type { WorkHost } from './work-host.ts';
import { ABORT_GRACE_MS, type TaskScope } from './work-scope.ts';

/** Parameters of a task run. */
export interface TaskRun<C> {
  readonly scope: TaskScope;
  readonly host: WorkHost;
  readonly plan: TaskPlan;
  readonly work: Pick<TaskWork, 'output' | 'retryable' | 'jitter' | 'byPerson'> & {
    readonly runner: { run(context: C): unknown };
  };
  /** Role of the work at the gate. A review that is asked again is different work, and so is a check before the tasks. */
  readonly role: 'task' | 'check' | 'baseline' | 'review' | 'reflect';
  /** Number of this run of a check, from 1; absent for other work. */
  readonly run?: number | undefined;
  readonly inputs: Inputs;
  /** Outputs of this attempt that the task may read. */
  readonly outputs: Outputs;
  /** A try that has begun in an earlier process, if its timeout goes on, with the milliseconds since then. @default none */
  readonly resumed?: { readonly number: number; readonly ranMs: number } | undefined;
  /** Memories of earlier attempts for the task. */
  readonly recollection?: Recollection | undefined;
  /** True if nothing runs next to it. Then a synchronous result may end it at once. */
  readonly isAlone: boolean;
  /** Creates the context of the handler for one try. */
  context(one: Try): C;
  /** Called before each try, from 1. */
  onTry?(number: number): void;
  /** Called when a try has failed and another follows. */
  onRetry(number: number, error: unknown, delayMs: number): void;
  /** Called once. A task that is aborted fails with the error of its handler. */
  onEnd(done: TaskRunResult): void;
}

/** Result of a task, with the number of its last try and the parts of the context that its handler has read. */
export type TaskRunResult = Partial<Pick<Try, 'prompt' | 'revised'>> & { readonly tries: number } & (
    { readonly ok: true; readonly output: unknown } | { readonly ok: false; readonly error: unknown }
  );

/** Tries a task, starting with a given try. If limits bound its usage, it begins once its reservation is granted. */
export function runTask<C>(taskRun: TaskRun<C>, number = 1): void {
  const { plan, scope, role } = taskRun;
  // Checks cost nothing, and nothing that costs depends on their findings.
  if (role === 'check' || role === 'baseline' || !scope.isBounded) begin(taskRun, number, undefined);
  else {
    scope.reserve(scope.input.origin.phase.name, plan, (reservation) =>
      scope.isHalted ? abandon(taskRun, number) : begin(taskRun, number, reservation),
    );
  }
}

/** True if another try may help. A demand for rework is no failure to retry, and a predicate that throws counts as false. */
export function isRetryable({ retryable }: Pick<TaskWork, 'retryable'>, error: unknown): boolean {
  if (asRework(error)) return false;
  try {
    return retryable?.(error) ?? retryHintOf(error).retryable;
  } catch {
    return false;
  }
}

// --- internal ---

function begin<C>(taskRun: TaskRun<C>, number: number, reservation: Reservation | undefined): void {
  taskRun.onTry?.(number);
  // The try exists before its record is stored, so that the speed of the store does not affect its charges.
  const one = new Try(taskRun, number, reservation);
  taskRun.host.whenDurable(() => taskRun.scope.guard(() => tryOnce(taskRun, number, one)));
}

/** Ends a task whose attempt is over before the try has begun. */
function abandon<C>(taskRun: TaskRun<C>, number: number): void {
  taskRun.onEnd({ ok: false, error: AbortSignal.abort().reason, tries: number });
}

/** Runs the handler once, within its timeout. */
function tryOnce<C>(taskRun: TaskRun<C>, number: number, one: Try): void {
  const { plan, work, scope } = taskRun;
  if (scope.isHalted) {
    one.rest();
    one.end();
    abandon(taskRun, number);
    return;
  }
  let value: unknown;
  enter(taskRun);
  try {
    value = work.runner.run(taskRun.context(one));
  } catch (error) {
    value = thrown(error);
  }
  if (work.output) wait(taskRun, one, validated(plan, work.output, value));
  else if (taskRun.isAlone && !isThenable(value)) {
    one.rest();
    leave(taskRun);
    accept(taskRun, number, one, value);
  } else wait(taskRun, one, Promise.resolve(value));
}

/** Counts a handler that begins. */
function enter<C>({ scope, host, work }: TaskRun<C>): void {
  scope.enter();
  if (!work.byPerson) host.count?.(1);
}

/** Counts a handler that has ended. */
function leave<C>({ scope, host, work }: TaskRun<C>): void {
  if (!work.byPerson) host.count?.(-1);
  scope.leave();
}

/** Turns a synchronous error into a promise, so that all tasks of an attempt begin before one of them ends it. */
async function thrown(error: unknown): Promise<never> {
  throw error;
}

/** Waits for the result of an asynchronous try. All that is kept meanwhile is in the try, as a process may have thousands. */
function wait<C>(taskRun: TaskRun<C>, one: Try, value: Promise<unknown>): void {
  const { plan, scope } = taskRun;
  if (plan.timeout !== 0) one.timer = scope.after(Math.max(0, plan.timeout - one.ranMs), () => expire(taskRun, one));
  value.then(
    (output) => settle(taskRun, one, () => accept(taskRun, one.number, one, output)),
    (error: unknown) => settle(taskRun, one, () => tryAgain(taskRun, one.number, error, one)),
  );
}

/** Handles the end of a handler. */
function settle<C>(taskRun: TaskRun<C>, one: Try, end: () => void): void {
  const { scope } = taskRun;
  const { isStopped } = scope;
  one.rest();
  if (!isStopped) leave(taskRun);
  if (one.isOver) one.onRest?.();
  else {
    one.end();
    one.timer?.stop();
    scope.guard(end);
  }
  // The owner of stopped work may end the run as soon as it is idle, so this result is reported before.
  if (isStopped) leave(taskRun);
}

/** Aborts a try whose timeout is over. A handler that reacts to its signal ends before the next try begins. */
function expire<C>(taskRun: TaskRun<C>, one: Try): void {
  const { plan, scope } = taskRun;
  const error = timeoutError(plan);
  one.abort(error);
  one.onRest = () => {
    one.onRest = undefined;
    grace.stop();
    one.rest();
    scope.guard(() => tryAgain(taskRun, one.number, error, one));
  };
  const grace = scope.after(ABORT_GRACE_MS, () => one.onRest?.());
}

/** Ends the task with the output as frozen JSON. An output that is not JSON is a failure of the try. */
function accept<C>(taskRun: TaskRun<C>, number: number, one: Try, value: unknown): void {
  one.end();
  const copy = toJson(value);
  const { prompt, revised } = one;
  if (copy.ok) taskRun.onEnd({ ok: true, output: copy.value, tries: number, prompt, revised });
  else tryAgain(taskRun, number, notJson(taskRun.plan, copy.problem), one);
}

function tryAgain<C>(taskRun: TaskRun<C>, number: number, error: unknown, one: Try): void {
  const { plan, work, scope } = taskRun;
  const { prompt, revised } = one;
  const failed: TaskRunResult = { ok: false, error, tries: number, prompt, revised };
  if (number >= countOf(plan.attempts) || scope.isHalted || !isRetryable(work, error)) {
    taskRun.onEnd(failed);
    return;
  }
  const { origin, attempt } = scope.input;
  const who = [origin.run, origin.phase.name, origin.generation, attempt, taskRun.role, plan.name];
  const delayMs = backoffMs({ jitter: work.jitter, ...plan.backoff }, number, who, retryHintOf(error).afterMs);
  taskRun.onRetry(number, error, delayMs);
  scope.pause(delayMs, () => (scope.isHalted ? taskRun.onEnd(failed) : runTask(taskRun, number + 1)));
}

/** Awaits the output and validates it with its schema. */
async function validated(plan: TaskPlan, schema: StandardSchemaV1, value: unknown): Promise<unknown> {
  const checked = await check(schema, await value);
  if (checked.ok) return checked.value;
  const lines = checked.refusal.lines.join('\n  ');
  const problem = `Cannot accept the output of task "${plan.name}" as its schema refuses it:\n  ${lines}`;
  const hint = 'Return what the schema describes, or change the schema.';
  throw new PhasegateError('OUTPUT_INVALID', problem, { hint });
}

function notJson(plan: TaskPlan, { path, found }: JsonProblem): PhasegateError {
  const problem = `Cannot store the output of task "${plan.name}" as ${path} is ${found}, which is not JSON`;
  const hint = 'Return plain data: strings, finite numbers, booleans, null, arrays and object literals.';
  return new PhasegateError('OUTPUT_NOT_JSON', problem, { hint });
}

function timeoutError({ name, timeout }: TaskPlan): PhasegateError {
  const problem = `Cannot wait longer for task "${name}" as its timeout of ${timeout} ms is over`;
  const hint = 'Raise `timeout` (milliseconds, 0 for none), or pass `signal` to the calls that the task awaits.';
  return new PhasegateError('TASK_TIMEOUT', problem, { hint });
}

/** True if `await` would wait for a value. A value that throws when inspected counts as well, and `await` throws its error. */
function isThenable(value: unknown): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  try {
    return 'then' in value;
  } catch {
    return true;
  }
}
