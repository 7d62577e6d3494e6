/**
 * One check: run until it passes or has no retries left.
 *
 * @module
 */
import type { CheckWork } from '../../model/definition/compile.ts';
import { DEFAULT_TIMEOUT } from '../../model/definition/plan-task.ts';
import type { Outputs } from '../../model/handlers/task.ts';
import type { TaskPlan } from '../../model/plan/plan.ts';
import { readCheck, type FailedCheck } from '../../model/review/check.ts';
import { runTask, type TaskRunResult } from '../work/run-task.ts';
import type { WorkHost } from '../work/work-host.ts';
import type { TaskScope } from '../work/work-scope.ts';
import { reviewContext } from './review-context.ts';

/** Parameters of a check run. */
export interface Checking {
  readonly scope: TaskScope;
  readonly host: WorkHost;
  readonly name: string;
  readonly check: CheckWork;
  /** Judges an attempt, or takes the baseline before one. */
  readonly role: 'check' | 'baseline';
  /** Outputs of the attempt. */
  readonly outputs: Outputs;
}

/** Result of a check: it passed, it failed, or it is broken and gave no result. */
export type Checked =
  | { readonly type: 'passed' }
  | { readonly type: 'failed'; readonly failed: FailedCheck }
  | { readonly type: 'broken'; readonly error: unknown };

/** Runs a check. Warns if it passes only on a retry. */
export function runCheck(checking: Checking, end: (checked: Checked) => void): void {
  runAgain(checking, undefined, 1, end);
}

/** Reports a warning about the phase. */
export function warnOf({ scope }: Pick<Checking, 'scope'>, code: string, message: string): void {
  const { origin, attempt } = scope.input;
  const { phase, generation } = origin;
  scope.report({ type: 'phase.warned', phase: phase.name, generation, attempt, code, message });
}

// --- internal ---

function runAgain(
  checking: Checking,
  before: FailedCheck | undefined,
  number: number,
  end: (checked: Checked) => void,
): void {
  const { scope, host, name, check, role, outputs } = checking;
  const onEnd = (done: TaskRunResult) => {
    const checked = read(name, done);
    if (checked.type === 'failed' && number <= (check.retries ?? 0) && !scope.isHalted) {
      runAgain(checking, checked.failed, number + 1, end);
      return;
    }
    if (checked.type === 'passed' && before) warnOf(checking, 'CHECK_FLAKY', flaky(name, number, before));
    end(checked);
  };
  runTask({
    scope,
    host,
    plan: planOf(name, check),
    work: { runner: check, output: undefined, retryable: undefined },
    role,
    run: number,
    inputs: scope.input.inputs,
    outputs,
    isAlone: true,
    context: reviewContext,
    onRetry: () => undefined,
    onEnd,
  });
}

/** Reads the result of a check. An invalid result makes the check broken. */
function read(name: string, done: TaskRunResult): Checked {
  if (!done.ok) return { type: 'broken', error: done.error };
  try {
    const failed = readCheck(name, done.output);
    return failed ? { type: 'failed', failed } : { type: 'passed' };
  } catch (error) {
    return { type: 'broken', error };
  }
}

function planOf(name: string, { timeout = DEFAULT_TIMEOUT }: CheckWork): TaskPlan {
  return { name, description: '', after: [], attempts: 1, backoff: {}, timeout, estimate: {} };
}

function flaky(name: string, number: number, { details }: FailedCheck): string {
  const times = number === 2 ? 'again' : `${number - 1} times more`;
  return `Check "${name}" passed when it was run ${times}, without any change. Before that: ${details}`;
}
