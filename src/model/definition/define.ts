/**
 * The functions with which a user defines tasks, phases, gates and pipelines.
 *
 * `task()` and `phase()` only store their arguments; `definePipeline()` validates the whole at once.
 *
 * @module
 */
import { unstartable } from '../handlers/child-pipeline.ts';
import type { AnyPhase, Phase, PhaseMaker, PhaseOptions, RewindTo, UpstreamOf } from '../handlers/phase.ts';
import type { AnyTask, Outputs, TaskMaker, TaskName, TaskOptions, TaskOutputs } from '../handlers/task.ts';
import type { Plan } from '../plan/plan.ts';
import type { Count, Limits, Policy } from '../plan/policy-schema.ts';
import type { Flat } from '../values/flat.ts';
import type { StandardSchemaV1 } from '../values/standard-schema.ts';
import { compile, type Work } from './compile.ts';

/** Options of `definePipeline`. */
export interface PipelineOptions<P extends readonly AnyPhase[], S extends StandardSchemaV1 = StandardSchemaV1> {
  /** Names the pipeline in records and pictures. */
  readonly name: string;
  /** The phases, in any order, or a function that makes them with a `phase` whose handlers know the type of the input. */
  readonly phases: P | ((phase: PhaseMaker<StandardSchemaV1.InferOutput<S>>) => P);
  /** Validates the input of a run before anything starts, and gives it its type. The value that it returns is the input. */
  readonly input?: S | undefined;
  /** Gate options for every phase that does not set them, and options of the whole run. */
  readonly policy?: Policy | undefined;
  /** Limits of a run; they win over those of the policy, one by one. */
  readonly limits?: Limits | undefined;
  /** Most phases that may work at the same time. @default 'unlimited' */
  readonly concurrency?: Count | undefined;
  /**
   * The version of the functions and schemas, which are not part of the fingerprint. Change it with them. Resuming a run with
   * another version must be allowed explicitly. @default none
   */
  readonly version?: string | undefined;
}

/** A validated pipeline. Made by `definePipeline`, run by `startRun`. */
export interface Pipeline<O = Outputs, I = unknown> {
  readonly name: string;
  /** The pipeline as data. */
  readonly plan: Plan;
  /** The functions and schemas, by phase. Machines and stores never see them. */
  readonly work: Work;
  /** Never set: carries the types of outputs (by phase, then task) and input. */
  readonly types?: { readonly outputs: O; readonly input: I };
}

/**
 * Defines one piece of work.
 *
 * @param name Unique in its phase.
 * @param options The function, the tasks it comes after, and the number of tries.
 *
 * @example
 * ```ts
 * const gather = task('gather', { description: 'List five findings.', run: ({ prompt, signal }) => ask(prompt, signal) });
 * const build = task('build', { pipeline: ({ inputs }) => pipelineFor(inputs.plan) });
 * ```
 */
export const task: TaskMaker = (name: string, options: TaskOptions | ChildTask) => ({
  kind: 'task' as const,
  name,
  options: isChildTask(options) ? { ...options, run: unstartable } : options,
});

/**
 * Defines tasks that pass review together.
 *
 * @param name Unique in its pipeline.
 * @param options Its tasks, the phases it comes after, and its gate. `tasks` may be a function that gets `task`:
 *   then the handlers know the outputs of the phases in `after`.
 *
 * @example
 * ```ts
 * const writing = phase('writing', {
 *   after: [research],
 *   tasks: (task) => [task('draft', { run: ({ inputs }) => `On ${inputs.research.gather}` })],
 *   review: ({ outputs }) => (outputs.draft.length > 20 ? approve() : retry('Write more.')),
 * });
 * ```
 */
export function phase<
  const N extends string,
  const T extends readonly AnyTask[],
  const A extends readonly (AnyPhase | string)[] = readonly [],
  S extends StandardSchemaV1 | undefined = undefined,
  In = unknown,
  const R extends RewindTo = 'predecessors',
  V = unknown,
  W = unknown,
>(name: N, options: PhaseOptions<A, T, S, In, R, V, W>): Phase<N, Flat<TaskOutputs<T>>, UpstreamOf<A>> {
  // `definePipeline` reports everything that is wrong with the options. A copy of all options is faster than one of the others.
  const tasks = options?.tasks;
  return { kind: 'phase', name, options: { ...options, tasks: typeof tasks === 'function' ? tasks(task) : tasks } };
}

/**
 * Validates a definition and compiles it.
 *
 * @throws PipelineInvalidError with every problem that the definition has, before any task runs.
 */
export function definePipeline<const P extends readonly AnyPhase[], S extends StandardSchemaV1 = StandardSchemaV1>(
  options: PipelineOptions<P, S>,
): Pipeline<PipelineOutputs<P>, StandardSchemaV1.InferInput<S>> {
  const { plan, work } = compile(isListed(options) ? options : { ...options, phases: listOf(options.phases) });
  return Object.freeze({ name: plan.name, plan, work });
}

/** Outputs of a pipeline's phases, by phase, then task. */
export type PipelineOutputs<P extends readonly AnyPhase[]> = Flat<{
  readonly [K in P[number] as K['name']]: K extends Phase<TaskName, infer O, infer _> ? O : never;
}>;

/** Outputs of a pipeline, by phase, then task: `OutputsOf<typeof pipeline>`. */
export type OutputsOf<P extends { readonly types?: { readonly outputs: unknown } }> = NonNullable<
  P['types']
>['outputs'];

/** The input that a run of a pipeline takes: `InputOf<typeof pipeline>`. */
export type InputOf<P extends { readonly types?: { readonly input: unknown } }> = NonNullable<P['types']>['input'];

// --- internal ---

/** Options of a task that runs a pipeline. */
interface ChildTask extends Omit<TaskOptions, 'run'> {
  readonly run?: undefined;
}

function isChildTask(options: TaskOptions | ChildTask): options is ChildTask {
  // `definePipeline` reports options that are no object.
  return typeof options === 'object' && options !== null && 'pipeline' in options && options.run === undefined;
}

/** True if the phases are a list. `compile` reports options that throw when they are read. */
function isListed<P extends readonly AnyPhase[], S extends StandardSchemaV1>(
  options: PipelineOptions<P, S>,
): options is PipelineOptions<P, S> & { readonly phases: P } {
  try {
    return typeof options.phases !== 'function';
  } catch {
    return true;
  }
}

function listOf<P extends readonly AnyPhase[], I>(phases: P | ((make: PhaseMaker<I>) => P)): P {
  return typeof phases === 'function' ? phases(phase) : phases;
}
