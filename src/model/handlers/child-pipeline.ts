/**
 * Pipelines as tasks: a task that starts a run of another pipeline, and waits for its end.
 *
 * @module
 */
import { PhasegateError, type ErrorInfo } from '../errors/phasegate-error.ts';
import type { RunStatus } from '../events/event.ts';
import type { Plan } from '../plan/plan.ts';
import type { TaskContext } from './task.ts';

/** A pipeline that a task may run, as `definePipeline` returns it. */
export interface ChildPipeline {
  readonly name: string;
  readonly plan: Plan;
  readonly work: unknown;
  readonly types?: { readonly outputs: unknown; readonly input: unknown };
}

/** The input of a pipeline. */
export type ChildInput<P extends ChildPipeline> = NonNullable<P['types']>['input'];

/** Outputs of a pipeline, by phase, then task. */
export type ChildOutputs<P extends ChildPipeline> = NonNullable<P['types']>['outputs'];

/** The end of a run that a task has started. */
export type ChildOutcome<O = unknown> = {
  /** The id of the run. */
  readonly run: string;
  /** The reason of the end, with that of the phase that was rejected or failed; `null` if there is none. */
  readonly reason: string | null;
  readonly error: ErrorInfo | null;
} & (
  | { readonly status: 'completed'; readonly outputs: O }
  | {
      readonly status: Exclude<RunStatus, 'completed'>;
      /** Committed outputs of the phases that were approved. */
      readonly outputs: Partial<O>;
    }
);

/** Options of a task that runs a pipeline, in place of `run`. */
export interface ChildOptions {
  /** Returns the pipeline. It must return an equal one for equal inputs, as a restart calls it again. */
  pipeline?(context: TaskContext): unknown;
  /** Returns the input of the run, which the pipeline's `input` schema validates. @default none */
  input?(context: TaskContext): unknown;
  /**
   * Makes the output of the task from the end of the run. It may throw, also `needsRework()`.
   *
   * @default the outputs of a completed run; any other end fails the task
   */
  outcome?(ended: ChildOutcome, context: TaskContext): unknown;
}

/** The handler of a task that runs a pipeline, until a run takes its place. */
export function unstartable({ task, phase }: Pick<TaskContext, 'phase' | 'task'>): Promise<never> {
  return Promise.reject(
    new PhasegateError(
      'DEFINITION_INVALID',
      `Cannot run a pipeline as task "${task}" of phase "${phase}" as no run has started this task`,
      { hint: 'Run the pipeline with startRun() or resumeRun(), which start the runs of its tasks.' },
    ),
  );
}
