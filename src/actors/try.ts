/**
 * One task, tried until it succeeds or may not be tried again.
 *
 * @module
 */
import { after, type Clock } from '../machines/actor.ts';
import type { TaskWork } from '../model/compile.ts';
import { PhasegateError } from '../model/errors.ts';
import { toJson } from '../model/json.ts';
import type { TaskPlan } from '../model/plan.ts';
import { backoffMs, countOf } from '../model/policy.ts';
import { asRework } from '../model/rework.ts';
import { check, type StandardSchemaV1 } from '../model/schema.ts';
import type { Host } from './host.ts';

/** What a task is tried with. */
export interface Trial<C> {
  readonly host: Host;
  readonly plan: TaskPlan;
  readonly work: Pick<TaskWork, 'output' | 'retryable'> & { readonly runner: { run(context: C): unknown } };
  readonly clock: Clock;
  /** Aborted when nobody waits for the task any more. */
  signal(): AbortSignal;
  /** Calls back when nobody waits for the task any more. Returns a function that prevents it. */
  readonly onStop: (run: () => void) => () => void;
  /** Makes what the handler is given for one try; `isOver` tells whether that try has ended. */
  context(signal: () => AbortSignal, isOver: () => boolean): C;
  /** Called before each try, from 1. */
  onTry?(number: number): void;
  /** Called when a try has failed and another follows. */
  onRetry(number: number, error: unknown, delayMs: number): void;
}

/** How a task ended, with the number of its last try. */
export type Trialled =
  | { readonly ok: true; readonly output: unknown; readonly tries: number }
  | { readonly ok: false; readonly error: unknown; readonly tries: number };

/** Milliseconds that work which was told to stop is waited for, before it is left to itself. */
export const ABORT_GRACE_MS = 5000;

/** Tries a task. Never rejects; a task that is aborted fails with whatever its handler makes of that. */
export function tryTask<C>(trial: Trial<C>, number = 1): Promise<Trialled> {
  trial.onTry?.(number);
  return started(trial).then(
    (output) => ({ ok: true, output, tries: number }),
    (error: unknown) => tryAgain(trial, number, error),
  );
}

/** Waits until a promise settles, but no longer than the grace for aborted work. Never rejects. */
export function comeToRest(work: PromiseLike<unknown>, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const forget = after(clock, ABORT_GRACE_MS, resolve);
    const done = () => {
      forget();
      resolve();
    };
    work.then(done, done);
  });
}

/** Waits, or until the signal is aborted. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const stop = () => {
      forget();
      resolve();
    };
    const forget = after(clock, ms, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}

// --- internal ---

async function tryAgain<C>(trial: Trial<C>, number: number, error: unknown): Promise<Trialled> {
  const { plan, work, clock } = trial;
  const failed: Trialled = { ok: false, error, tries: number };
  if (number >= countOf(plan.attempts) || trial.signal().aborted || !isRetryable(work, error)) return failed;
  const delayMs = backoffMs(plan.backoff, number);
  trial.onRetry(number, error, delayMs);
  await pause(clock, delayMs, trial.signal());
  return trial.signal().aborted ? failed : tryTask(trial, number + 1);
}

/** Runs the handler once, as soon as what led to it is kept. */
function started<C>(trial: Trial<C>): Promise<unknown> {
  let begun: Promise<unknown> | undefined;
  let begin: () => void = () => (begun = tryOnce(trial));
  trial.host.whenDurable(() => begin());
  return (
    begun ??
    new Promise((resolve) => {
      begin = () => resolve(tryOnce(trial));
    })
  );
}

/** Runs the handler once, for as long as its timeout allows, until its output is accepted. */
function tryOnce<C>(trial: Trial<C>): Promise<unknown> {
  let own: AbortController | undefined;
  let over = false;
  let expired: PhasegateError | undefined;
  const signal = () => {
    if (own) return own.signal;
    own = linked(trial.signal());
    if (expired) own.abort(expired);
    return own.signal;
  };
  return new Promise((resolve, reject) => {
    let value: unknown;
    try {
      value = trial.work.runner.run(trial.context(signal, () => over));
      over = !isThenable(value) && !trial.work.output;
      if (over) resolve(asJson(trial.plan, value));
    } catch (error) {
      over = true;
      reject(error);
    }
    if (over) return;
    const running = accept(trial, value);
    const forget = limitTime(trial, expire);
    running.then(
      (output) => end(() => resolve(output)),
      (error: unknown) => end(() => reject(error)),
    );
    function end(settle: () => void): void {
      if (over) return;
      over = true;
      forget();
      settle();
    }
    function expire(): void {
      const error = timeoutError(trial.plan);
      expired = error;
      over = true;
      own?.abort(error);
      // A handler that heeds its signal is done before the next try begins.
      void comeToRest(running, trial.clock).then(() => reject(error));
    }
  });
}

/** Calls back when the task has taken too long. Returns a function that prevents it; so does stopping the actor. */
function limitTime<C>({ plan, clock, onStop }: Trial<C>, expire: () => void): () => void {
  if (plan.timeout === 0) return () => undefined;
  const forget = after(clock, plan.timeout, expire);
  const unhook = onStop(forget);
  return () => {
    unhook();
    forget();
  };
}

/** The output as frozen JSON, once it is there and its schema has accepted it. */
async function accept<C>({ plan, work }: Trial<C>, value: unknown): Promise<unknown> {
  const output = await value;
  return work.output ? validated(plan, work.output, output) : asJson(plan, output);
}

async function validated(plan: TaskPlan, schema: StandardSchemaV1, value: unknown): Promise<unknown> {
  const checked = await check(schema, value);
  if (checked.ok) return asJson(plan, checked.value);
  const lines = checked.refusal.lines.join('\n  ');
  const problem = `Cannot accept the output of task "${plan.name}" as its schema refuses it:\n  ${lines}`;
  const hint = 'Return what the schema describes, or change the schema.';
  throw new PhasegateError('OUTPUT_INVALID', problem, { hint });
}

function asJson(plan: TaskPlan, value: unknown): unknown {
  const copy = toJson(value);
  if (copy.ok) return copy.value;
  const { path, found } = copy.problem;
  const problem = `Cannot keep the output of task "${plan.name}" as ${path} is ${found}, which is not JSON`;
  const hint = 'Return plain data: strings, finite numbers, booleans, null, arrays and object literals.';
  throw new PhasegateError('OUTPUT_NOT_JSON', problem, { hint });
}

function timeoutError({ name, timeout }: TaskPlan): PhasegateError {
  return new PhasegateError(
    'TASK_TIMEOUT',
    `Cannot wait longer for task "${name}" as its timeout of ${timeout} ms is over`,
    {
      hint: 'Raise `timeout` (milliseconds, 0 for none), or pass `signal` on to what the task awaits.',
    },
  );
}

/** Whether another try may help. A demand for rework is no failure, and a predicate that throws has not said yes. */
function isRetryable({ retryable }: Pick<TaskWork, 'retryable'>, error: unknown): boolean {
  if (asRework(error)) return false;
  try {
    return retryable?.(error) !== false;
  } catch {
    return false;
  }
}

/** A controller that is aborted with another signal. */
export function linked(outer: AbortSignal): AbortController {
  const controller = new AbortController();
  if (outer.aborted) controller.abort(outer.reason);
  else outer.addEventListener('abort', () => controller.abort(outer.reason), { once: true });
  return controller;
}

/** Whether `await` would wait for a value; a value that throws when it is looked at is left to `await`, too. */
function isThenable(value: unknown): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  try {
    return 'then' in value;
  } catch {
    return true;
  }
}
