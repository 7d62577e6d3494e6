/**
 * Types of tasks and of the context of their handlers.
 *
 * @module
 */
import type { Estimate } from '../plan/options.ts';
import type { Backoff, Count } from '../plan/policy-schema.ts';
import type { SharedArtifact, TaskRecollection } from '../revision/revision-extras.ts';
import type { Revision } from '../revision/revision.ts';
import type { StandardSchemaV1 } from '../values/standard-schema.ts';
import type { ChildInput, ChildOptions, ChildOutcome, ChildOutputs, ChildPipeline } from './child-pipeline.ts';
import type { PoolOption } from './pool.ts';

/** The name of a task, a phase or a reviewer: any string. */
export type TaskName = string;

/** Outputs of one phase, by task. */
export type Outputs = Readonly<Record<string, unknown>>;

/** Committed outputs of the ancestors of a phase, by phase, then task. */
export type Inputs = Readonly<Record<string, Outputs>>;

/** A task's report while it works. Numbers add to those of earlier reports, except `progress`. */
export interface Report {
  /** Tokens used since the last report; limits count them. @default the sum of `inputTokens` and `outputTokens` */
  readonly tokens?: number | undefined;
  /** Input tokens among them, cached ones included. */
  readonly inputTokens?: number | undefined;
  /** Output tokens among them. */
  readonly outputTokens?: number | undefined;
  /** The model that used them. */
  readonly model?: string | undefined;
  /** The provider of that model, as OpenTelemetry names it in `gen_ai.provider.name`: `openai`, `anthropic`. */
  readonly provider?: string | undefined;
  /** US dollars spent since the last report. */
  readonly costUsd?: number | undefined;
  /** True if tokens and dollars are an estimate, as the provider reports no usage; records have the flag as well. @default false */
  readonly estimated?: boolean | undefined;
  /** Progress of the task: a number from 0 to 1, or a line for people. */
  readonly progress?: number | string | undefined;
  /** A JSON value to store in addition to the output. */
  readonly artifact?: { readonly name: string; readonly content: unknown } | undefined;
  /** One action and its result. The strategy `trajectory` passes the first five and the last five to the next attempt. */
  readonly observation?: string | undefined;
  /**
   * True if the task only waits for people from now on, such as for an answer from another system; false if it works again. Time of
   * such a wait is no time of work. @default false
   */
  readonly waiting?: boolean | undefined;
  /** A warning for people, which `phase.warned` records: a code in capitals, and a sentence. */
  readonly warning?: { readonly code: string; readonly message: string } | undefined;
}

/**
 * The context of a handler. It is read-only, and outputs are deep-frozen. Types: `I` of `inputs`, `C` of `context`, `In` of `input`,
 * and `P` of the task's own previous output.
 */
export interface TaskContext<I = Inputs, C = Outputs, In = unknown, P = unknown> {
  /** The task's description, as it was defined. */
  readonly description: string;
  /** The description with the revision rendered in front: the text to send to a model. */
  readonly prompt: string;
  /** The input of the run, as returned by the pipeline's `input` schema. */
  readonly input: In;
  /**
   * Committed outputs of all ancestors, by phase, then task. A proxy: spread it before cloning it. If the phase has an `input`
   * schema, its tasks get the result of the schema instead.
   */
  readonly inputs: I;
  /** Outputs of the tasks of this attempt that this task depends on, by task. */
  readonly context: C;
  /** Times the phase was sent back since its last fresh start: 0 on the first attempt. */
  readonly attempt: number;
  /** Times the phase was sent back by a later one or invalidated. */
  readonly generation: number;
  /** The number of this try of the task in the attempt, from 1; see `retry`. */
  readonly try: number;
  /** The changes that this attempt should make; `undefined` on the first. */
  readonly revision: TaskRevision<P> | undefined;
  /** The artifacts that the phase subscribes to, in that order. Names that no task has reported are left out. */
  readonly artifacts: readonly SharedArtifact[];
  /** Aborted when the attempt is over for any reason: timeout, cancel, a failed sibling, an invalidated input. */
  readonly signal: AbortSignal;
  /** Reports usage, progress and artifacts; ignored once the task has ended. */
  readonly report: (report: Report) => void;
  /** Waits for a number of milliseconds on the clock of the run. It resolves earlier if the try ends. Never rejects. */
  readonly wait: (ms: number) => Promise<void>;
  /**
   * Equal for every try of this task in this attempt, also after a restart of the process. Different for every other task, attempt or run
   * of a check.
   */
  readonly idempotencyKey: string;
  /** The id of the run. */
  readonly run: string;
  /** The name of the phase. */
  readonly phase: string;
  /** The name of the task. */
  readonly task: string;
}

/** A revision for one task. */
export interface TaskRevision<O = unknown> extends Revision, Omit<TaskRecollection, 'artifacts'> {
  /** Output of this same task in the attempt that is revised. */
  readonly previousOutput?: O;
}

/**
 * Tries of a failing task, before its phase fails. They do not spend the gate's retries.
 *
 * An error may carry hints. `retryable: false` ends the tries. `retryAfterMs` is the least wait before the next one in
 * milliseconds, up to the `max` of the backoff. A gate respects both hints of its reviewers' errors as well.
 */
export interface RetryPolicy {
  /** Tries in all, the first included. @default 1 */
  readonly attempts?: Count | undefined;
  /** Waiting time between tries. */
  readonly backoff?: Backoff | undefined;
  /** True if waits have jitter when `backoff` does not set it. A resumed run may change it. @default false, for models true */
  readonly jitter?: boolean | undefined;
  /**
   * Returns true if this failure is worth another try, regardless of the error's own hint. @default all but those with `retryable: false`
   */
  readonly retryable?: ((error: unknown) => boolean) | undefined;
}

/** Amounts of usage that a run can be limited by. */
export type UsageAmount = 'tokens' | 'costUsd';

/** Options of `task()`. */
export interface TaskOptions extends ChildOptions, PoolOption {
  /** The instructions, in words; the base of `prompt`. @default '' */
  readonly description?: string | undefined;
  /** The work. Its result, or the promise's, is the task's output and must be JSON; `undefined` becomes `null`. */
  run(context: TaskContext<never, never, never>): unknown;
  /** Tasks of the same phase whose outputs it needs. */
  readonly after?: readonly (AnyTask | string)[] | undefined;
  /** Validates the output. The result of the schema is the output. */
  readonly output?: StandardSchemaV1 | undefined;
  readonly retry?: RetryPolicy | undefined;
  /** Milliseconds per try; 0 for no limit. @default 3600000 (one hour) */
  readonly timeout?: number | undefined;
  /**
   * Most that one try is expected to use; `analyze` multiplies it. If the run has such limits, a try only begins if the estimate fits
   * into what is left.
   */
  readonly estimate?: Estimate | undefined;
  /** Amounts that the work uses and does not report. A limit that counts one of them needs an `estimate` of it. @default none */
  readonly unreported?: readonly UsageAmount[] | undefined;
  /**
   * The version of the task's functions and schemas, which are not part of the fingerprint. Change it with them. Resuming a run with
   * another version must be allowed explicitly. @default none
   */
  readonly version?: string | undefined;
}

/** A task as `task()` returns it. */
export interface Task<N extends TaskName = TaskName, O = unknown, I = never> {
  readonly kind: 'task';
  readonly name: N;
  readonly options: TaskOptions;
  /** Never set: carries the types of output and inputs. */
  readonly types?: { readonly output: O; readonly inputs: (inputs: I) => void };
}

/** Any task, regardless of its types. */
export type AnyTask = Task;

/** Outputs of tasks, by name. */
export type TaskOutputs<T extends readonly (AnyTask | string)[]> = {
  readonly [K in Extract<T[number], AnyTask> as K['name']]: K extends Task<TaskName, infer O> ? O : never;
};

type TaskOptionsWith<A extends readonly (AnyTask | string)[]> = Omit<
  TaskOptions,
  'run' | 'output' | 'after' | keyof ChildOptions
> & {
  readonly after?: A | undefined;
};

/** The type of `task`: `Known` are the inputs that its handlers see, `Given` is the input of the run. */
export interface TaskMaker<Known = Inputs, Given = unknown> {
  <
    const N extends TaskName,
    S extends StandardSchemaV1,
    I = Known,
    In = Given,
    const A extends readonly (AnyTask | string)[] = readonly [],
  >(
    name: N,
    options: TaskOptionsWith<A> & {
      readonly output: S;
      run(
        context: TaskContext<I, TaskOutputs<A>, In, StandardSchemaV1.InferOutput<S>>,
      ): StandardSchemaV1.InferInput<S> | Promise<StandardSchemaV1.InferInput<S>>;
    },
  ): Task<N, StandardSchemaV1.InferOutput<S>, NoInfer<I>>;
  <const N extends TaskName, O, I = Known, In = Given, const A extends readonly (AnyTask | string)[] = readonly []>(
    name: N,
    options: TaskOptionsWith<A> & {
      readonly output?: undefined;
      run(context: TaskContext<I, TaskOutputs<A>, In>): O | Promise<O>;
    },
  ): Task<N, O, NoInfer<I>>;
  <
    const N extends TaskName,
    P extends ChildPipeline,
    I = Known,
    In = Given,
    const A extends readonly (AnyTask | string)[] = readonly [],
  >(
    name: N,
    options: TaskOptionsWith<A> & PipelineWork<P, TaskContext<I, TaskOutputs<A>, In>> & { readonly outcome?: never },
  ): Task<N, ChildOutputs<P>, NoInfer<I>>;
  <
    const N extends TaskName,
    P extends ChildPipeline,
    O,
    I = Known,
    In = Given,
    const A extends readonly (AnyTask | string)[] = readonly [],
  >(
    name: N,
    options: TaskOptionsWith<A> &
      PipelineWork<P, TaskContext<I, TaskOutputs<A>, In>> & {
        /** Makes the output from the end of that run. It may throw, also `needsRework()`. */
        outcome(ended: ChildOutcome<ChildOutputs<P>>, context: TaskContext<I, TaskOutputs<A>, In>): O | Promise<O>;
      },
  ): Task<N, O, NoInfer<I>>;
}

/** Options of a task that runs a pipeline. Its output is those of a completed run. Any other end fails it, unless it has an `outcome`. */
interface PipelineWork<P extends ChildPipeline, C> {
  readonly run?: undefined;
  readonly output?: undefined;
  /**
   * Returns a pipeline. The task starts a run of it, and waits for its end. It must return an equal one for equal inputs, as a restart
   * calls it again.
   */
  pipeline(context: C): P | Promise<P>;
  /** Returns the input of that run, which the pipeline's `input` schema validates. @default none */
  input?(context: C): ChildInput<P> | Promise<ChildInput<P>>;
}
