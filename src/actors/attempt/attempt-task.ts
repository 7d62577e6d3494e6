/**
 * One task of an attempt, as the work of its tries knows it.
 *
 * @module
 */
import type { PhaseContext } from '../../machines/phase/phase-context.ts';
import type { AttemptOutcome, Progress } from '../../machines/phase/ports.ts';
import type { TaskWork } from '../../model/definition/compile.ts';
import { errorInfo } from '../../model/errors/phasegate-error.ts';
import type { Inputs, Outputs } from '../../model/handlers/task.ts';
import type { TaskPlan } from '../../model/plan/plan.ts';
import type { Recollection } from '../../model/revision/revision-extras.ts';
import { HandlerContext } from '../work/handler-context.ts';
import { about } from '../work/report-source.ts';
import type { TaskRun, TaskRunResult } from '../work/run-task.ts';
import type { Try } from '../work/single-try.ts';
import { startedReport } from '../work/task-reports.ts';
import type { WorkHost } from '../work/work-host.ts';
import type { WorkScope } from '../work/work-scope.ts';
import { contextOf } from './task-outputs.ts';

/** The scope of an attempt. */
export type AttemptScope = WorkScope<PhaseContext, AttemptOutcome>;

/** The attempt of a task. */
export interface TasksOwner {
  readonly scope: AttemptScope;
  readonly host: WorkHost;
  readonly tasks: readonly TaskPlan[];
  readonly inputs: Inputs;
  readonly recollection: Recollection | undefined;
  /** By task, so far. */
  readonly outputs: Outputs;
}

/** One task of an attempt. A class, as functions of its own would take half a kilobyte of each task that works. */
export class AttemptTask<A extends TasksOwner> implements TaskRun<HandlerContext> {
  readonly plan: TaskPlan;
  readonly work: TaskWork;
  readonly outputs: Outputs;
  readonly resumed: TaskRun<HandlerContext>['resumed'];
  readonly #attempt: A;
  readonly #settle: (attempt: A, plan: TaskPlan, done: TaskRunResult) => void;

  /** @param settle Called once, at the end of the task. */
  constructor(
    attempt: A,
    plan: TaskPlan,
    work: TaskWork,
    settle: (attempt: A, plan: TaskPlan, done: TaskRunResult) => void,
  ) {
    this.plan = plan;
    this.work = work;
    this.outputs = contextOf(plan, attempt.outputs);
    this.resumed = work.goesOn ? latestTry(attempt.scope.progress, plan) : undefined;
    this.#attempt = attempt;
    this.#settle = settle;
  }

  get role(): 'task' {
    return 'task';
  }

  get scope(): AttemptScope {
    return this.#attempt.scope;
  }

  get host(): WorkHost {
    return this.#attempt.host;
  }

  get inputs(): Inputs {
    return this.#attempt.inputs;
  }

  get recollection(): Recollection | undefined {
    return this.#attempt.recollection;
  }

  get isAlone(): boolean {
    return this.#attempt.tasks.length === 1;
  }

  context(one: Try): HandlerContext {
    return new HandlerContext(one);
  }

  onTry(number: number): void {
    this.scope.report(startedReport(this.scope.input, this.plan, number));
  }

  onRetry(number: number, error: unknown, delayMs: number): void {
    this.scope.report({
      type: 'task.retrying',
      ...about(this.scope.input, this.plan),
      reviewer: false,
      try: number,
      error: errorInfo(error),
      delayMs,
    });
  }

  onEnd(done: TaskRunResult): void {
    this.#settle(this.#attempt, this.plan, done);
  }
}

// --- internal ---

/** The try that an earlier process has begun; `undefined` if it has begun none. */
function latestTry(progress: Progress | undefined, { name }: TaskPlan): TaskRun<HandlerContext>['resumed'] {
  const number = progress?.tries[name];
  return number === undefined ? undefined : { number, ranMs: progress?.ranMs[name] ?? 0 };
}
