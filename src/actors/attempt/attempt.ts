/**
 * One attempt of a phase: its tasks, run in parallel as far as their dependencies allow.
 *
 * @module
 */
import type { AttemptOutcome, Baseline, WorkLogic } from '../../machines/phase/ports.ts';
import type { PhaseWork, Work } from '../../model/definition/compile.ts';
import { errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { asRework } from '../../model/handlers/needs-rework.ts';
import type { TaskPlan } from '../../model/plan/plan.ts';
import { byName } from '../../model/values/by-name.ts';
import { about } from '../work/report-source.ts';
import { runTask, type TaskRunResult } from '../work/run-task.ts';
import { createStoppedWork } from '../work/stopped-work.ts';
import { completedReport, droppedReport, readMarks } from '../work/task-reports.ts';
import { inMemoryHost, type WorkHost } from '../work/work-host.ts';
import type { ScopeTimer } from '../work/scope-timer.ts';
import { fromWork } from '../work/work-logic.ts';
import { ABORT_GRACE_MS } from '../work/work-scope.ts';
import { AttemptTask, type AttemptScope, type TasksOwner } from './attempt-task.ts';
import { prepare, type Prepared } from './prepare.ts';
import { inOrder } from './task-outputs.ts';

/** Fills the `attempt` port with the tasks of a pipeline. */
export function attemptLogic(
  work: Work,
  stopped = createStoppedWork(),
  host: WorkHost = inMemoryHost,
): WorkLogic<AttemptOutcome> {
  return fromWork((scope) => {
    const functions = work.phases.get(scope.input.origin.phase.name);
    stopped.whenStopped(scope, () => runAttempt(functions, scope, host));
  }, stopped.track);
}

// --- internal ---

/** The state of one attempt. */
interface Attempt extends TasksOwner {
  readonly work: PhaseWork;
  /** Checks that failed before the tasks began; `undefined` if none were run. */
  readonly baseline: Baseline | undefined;
  readonly outputs: Record<string, unknown>;
  /** Number of tasks that have begun and not ended. */
  running: number;
  /** Number of unfinished dependencies of each task that has not begun. */
  waiting: Map<string, number> | undefined;
  /** The first failure; nothing starts after it. */
  failure: AttemptOutcome | undefined;
  /** Ends the attempt while tasks ignore its failure. */
  timer: ScopeTimer | undefined;
}

function runAttempt(work: PhaseWork | undefined, scope: AttemptScope, host: WorkHost): void {
  if (scope.isStopped) return;
  const { name } = scope.input.origin.phase;
  if (!work) scope.done({ type: 'failed', error: errorInfo(missingWork(name)) });
  else prepare(scope, host, work, (prepared) => performAll(work, scope, host, prepared));
}

function performAll(
  work: PhaseWork,
  scope: AttemptScope,
  host: WorkHost,
  { inputs, baseline, recollection }: Prepared,
): void {
  const { tasks } = scope.input.origin.phase;
  const { progress } = scope;
  const outputs = byName(Object.entries(progress?.outputs ?? {}));
  const failure = progress?.failure;
  const attempt: Attempt = {
    scope,
    host,
    work,
    tasks,
    inputs,
    baseline,
    recollection,
    outputs,
    running: 0,
    waiting: undefined,
    failure,
    timer: undefined,
  };
  const [only] = tasks;
  if (only && tasks.length === 1) {
    if (!isDone(attempt, only)) perform(attempt, only);
  } else {
    const left = tasks.filter((task) => !isDone(attempt, task));
    attempt.waiting = new Map(left.map((task) => [task.name, missing(attempt, task)]));
    beginReady(attempt);
  }
  endIfDone(attempt);
}

function isDone({ outputs }: Attempt, { name }: TaskPlan): boolean {
  return Object.hasOwn(outputs, name);
}

/** Number of dependencies of a task that have no output yet. */
function missing({ outputs }: Attempt, { after }: TaskPlan): number {
  return after.filter((name) => !Object.hasOwn(outputs, name)).length;
}

/** Begins every task without unfinished dependencies. */
function beginReady(attempt: Attempt): void {
  for (const task of attempt.tasks) {
    if (attempt.failure || attempt.scope.isStopped) return;
    if (attempt.waiting?.get(task.name) !== 0) continue;
    attempt.waiting.delete(task.name);
    perform(attempt, task);
  }
}

function perform(attempt: Attempt, plan: TaskPlan): void {
  const { scope, work } = attempt;
  const { input, progress } = scope;
  const task = work.tasks.get(plan.name);
  if (attempt.failure || scope.isStopped) return;
  if (!task) {
    fail(attempt, missingWork(`${input.origin.phase.name}", task "${plan.name}`));
    return;
  }
  attempt.running += 1;
  const wait = progress?.waitMs[plan.name] ?? 0;
  const latest = progress?.tries[plan.name];
  const taskRun = new AttemptTask(attempt, plan, task, settle);
  if (wait > 0) scope.pause(wait, () => runTask(taskRun, latest));
  else runTask(taskRun, latest);
}

/** Handles the end of a task. */
function settle(attempt: Attempt, plan: TaskPlan, done: TaskRunResult): void {
  const { scope, outputs, waiting } = attempt;
  const { input } = scope;
  attempt.running -= 1;
  if (scope.isStopped) {
    if (done.ok) scope.reportLate(droppedReport(input, plan, false, done.tries));
    endIfDone(attempt);
    return;
  }
  if (done.ok) {
    outputs[plan.name] = done.output;
    scope.report(completedReport(input, plan, done));
    if (waiting && waiting.size > 0) release(attempt, plan);
  } else {
    const rework = asRework(done.error);
    scope.report({
      type: 'task.failed',
      ...about(input, plan),
      try: done.tries,
      error: errorInfo(done.error),
      ...(rework && { rework: { phase: rework.phase, feedback: rework.feedback } }),
      ...readMarks(done),
    });
    fail(attempt, done.error);
  }
  endIfDone(attempt);
}

/**
 * Begins the tasks that waited for one. It does so in a later microtask, after tasks that have ended as well have reported that.
 */
function release(attempt: Attempt, { name: ended }: TaskPlan): void {
  const { scope, tasks, waiting } = attempt;
  for (const { name, after } of tasks) {
    if (after.includes(ended)) waiting?.set(name, (waiting.get(name) ?? 1) - 1);
  }
  void Promise.resolve(attempt).then(() =>
    scope.guard(() => {
      beginReady(attempt);
      endIfDone(attempt);
    }),
  );
}

/** Stores the first failure and aborts the other tasks. After a grace period the attempt ends without them. */
function fail(attempt: Attempt, thrown: unknown): void {
  if (attempt.failure) return;
  const rework = asRework(thrown);
  attempt.failure = rework
    ? { type: 'rework', phase: rework.phase, feedback: rework.feedback }
    : { type: 'failed', error: errorInfo(thrown) };
  if (attempt.running > 0) attempt.timer = attempt.scope.after(ABORT_GRACE_MS, () => end(attempt));
  attempt.scope.halt(thrown);
}

function endIfDone(attempt: Attempt): void {
  const { running, waiting, failure, scope } = attempt;
  if (running === 0 && (failure || scope.isStopped || !waiting || waiting.size === 0)) end(attempt);
}

function end({ scope, tasks, outputs, failure, timer, baseline }: Attempt): void {
  timer?.stop();
  const outcome = failure ?? { type: 'done', outputs: inOrder(tasks, outputs) };
  scope.done(baseline ? Object.assign(outcome, { baseline }) : outcome);
}

function missingWork(where: string): PhasegateError {
  return new PhasegateError('DEFINITION_INVALID', `Cannot run phase "${where}" as the definition has no work for it`, {
    hint: 'Run a plan with the pipeline that it was made from.',
  });
}
