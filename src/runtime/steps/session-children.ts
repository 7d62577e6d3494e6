/**
 * Tasks of a session of work that run pipelines: each asks the host for a run, and goes on in a later session with its end.
 *
 * @module
 */
import { mapWork, type Work } from '../../model/definition/compile.ts';
import type { Pipeline } from '../../model/definition/define.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { TaskContext } from '../../model/handlers/task.ts';
import type { Limits } from '../../model/plan/policy-schema.ts';
import type { TaskPlan } from '../../model/plan/plan.ts';
import { toJson } from '../../model/values/json.ts';
import type { RunResult } from '../../projections/run/run-result.ts';
import { childOutput, childPipeline } from '../child-run.ts';
import { limitsOf } from '../open-child.ts';
import { ofName } from '../../model/values/by-name.ts';

/** A run that a task wants. JSON. */
export interface WantedChild {
  readonly type: 'child';
  readonly task: string;
  /** The id of the run: the idempotency key of the task. */
  readonly id: string;
  /** Name of the pipeline. */
  readonly pipeline: string;
  readonly input?: unknown;
  readonly limits: Limits;
}

/** The end of such a run, or the reason why it could not start. JSON. */
export type ChildEnd =
  | { readonly type: 'ended'; readonly result: RunResult<unknown> }
  | { readonly type: 'refused'; readonly code: string; readonly problem: string; readonly hint?: string | undefined };

/** The host of a session, as far as its tasks run pipelines. */
export interface ChildHost {
  /** The pipelines that a run can be started of, by name. */
  readonly served: ReadonlyMap<string, Pipeline<unknown>>;
  /** Runs that have ended, by id. */
  readonly ended: Readonly<Record<string, ChildEnd>>;
}

/** The session whose tasks run pipelines. */
export interface ChildParent {
  /** Asks the host for a run. The session ends before it has one. */
  want(child: WantedChild, context: TaskContext): Promise<never>;
  /** Calls a function whose reports are not told. */
  quietly(run: () => void): void;
}

/** Binds the tasks of a phase that run pipelines. */
export function bindSessionChildren(
  work: Work,
  phase: string,
  tasks: readonly TaskPlan[],
  { served, ended }: ChildHost,
  parent: ChildParent,
): Work {
  return mapWork(work, (its, at, task, isReviewer) => {
    const child = its.runner;
    if (at !== phase || isReviewer || !child.pipeline) return its;
    const estimate = tasks.find((other) => other.name === task)?.estimate ?? {};
    const limits = limitsOf(estimate);
    const run = async (context: TaskContext): Promise<unknown> => {
      const id = context.idempotencyKey;
      const request = { child, context, estimate };
      const end = ofName(ended, id);
      if (end) {
        // The run has reported its usage, so the estimate is not due.
        const names = Object.keys(limits);
        if (names.length > 0)
          parent.quietly(() => context.report(Object.fromEntries(names.map((limit) => [limit, 0]))));
        if (end.type === 'refused') throw refusedChild(end);
        return childOutput(end.result, request);
      }
      const pipeline = await childPipeline(request);
      if (served.get(pipeline.name)?.work !== pipeline.work) throw unserved(pipeline.name, context);
      const given = await child.input?.(context);
      const input = toJson(given ?? null);
      if (!input.ok) throw notJson(context, input.problem);
      const about = { task, id, pipeline: pipeline.name, limits };
      return parent.want({ type: 'child', ...about, ...(given !== undefined && { input: input.value }) }, context);
    };
    return { ...its, byPerson: true, runner: { run } };
  });
}

// --- internal ---

function refusedChild({ problem, hint }: Extract<ChildEnd, { readonly type: 'refused' }>): Error {
  const error = new PhasegateError('RUN_UNSUCCESSFUL', problem, hint === undefined ? {} : { hint });
  return Object.assign(error, { retryable: false });
}

function unserved(name: string, { task, phase }: TaskContext): Error {
  const problem = `Cannot run pipeline "${name}" as task "${task}" of phase "${phase}" as this worker does not serve it`;
  const hint = 'Pass the same pipeline to restateServices(), so that every worker finds it by its name.';
  return Object.assign(new PhasegateError('PIPELINE_UNSUPPORTED', problem, { hint }), { retryable: false });
}

function notJson({ task, phase }: TaskContext, { path, found }: { readonly path: string; readonly found: string }) {
  const problem = `Cannot start the run of task "${task}" of phase "${phase}" as ${path} of its input is ${found}, which is not JSON`;
  const error = new PhasegateError('INPUT_INVALID', problem, { hint: 'Pass plain data.' });
  return Object.assign(error, { retryable: false });
}
