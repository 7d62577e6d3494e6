/**
 * Types of tasks and of what their handlers are given.
 *
 * @module
 */
import type { Estimate } from '../plan/options.ts';
import type { Backoff, Count } from '../plan/policy.ts';
import type { SharedArtifact, TaskRecollection } from '../revision/revision-extras.ts';
import type { Revision } from '../revision/revision.ts';
import type { StandardSchemaV1 } from '../values/standard-schema.ts';

/** Names of tasks, phases and reviewers are plain strings. */
export type TaskName = string;

/** Outputs of one phase, by task. */
export type Outputs = Readonly<Record<string, unknown>>;

/** Committed outputs of the ancestors of a phase, by phase, then task. */
export type Inputs = Readonly<Record<string, Outputs>>;

/** What a task tells about its work while it works. Numbers add to what was reported before, but for `progress`. */
export interface Report {
  /** Tokens used since the last report; what limits count. @default the sum of `inputTokens` and `outputTokens` */
  readonly tokens?: number | undefined;
  /** Of them, those that a model was given, cached ones included. */
  readonly inputTokens?: number | undefined;
  /** Of them, those that a model answered with. */
  readonly outputTokens?: number | undefined;
  /** The model that used them. */
  readonly model?: string | undefined;
  /** Who serves that model, as OpenTelemetry names it in `gen_ai.provider.name`: `openai`, `anthropic`. */
  readonly provider?: string | undefined;
  /** US dollars spent since the last report. */
  readonly costUsd?: number | undefined;
  /** Whether tokens and dollars are an estimate, as nobody says what was used; records say so. @default false */
  readonly estimated?: boolean | undefined;
  /** How far the task is: a number from 0 to 1, or a line for people. */
  readonly progress?: number | string | undefined;
  /** Something worth keeping beside the output, as JSON. */
  readonly artifact?: { readonly name: string; readonly content: unknown } | undefined;
  /** What it did and what it saw, one step at a time; the strategy `trajectory` tells the next attempt of the first and the last five. */
  readonly observation?: string | undefined;
  /** Something that people should know of, as `phase.warned` tells it: a code in capitals, and a sentence. */
  readonly warning?: { readonly code: string; readonly message: string } | undefined;
}

/**
 * What a handler is given. Everything in it is read-only, and outputs are deep-frozen. The types: `I` of `inputs`, `C` of
 * `context`, `In` of `input`, and `P` of the task's own output before.
 */
export interface TaskContext<I = Inputs, C = Outputs, In = unknown, P = unknown> {
  /** The task's description, as it was defined. */
  readonly description: string;
  /** The description with the revision rendered in front: what to send to a model. */
  readonly prompt: string;
  /** The input of the run, as the pipeline's `input` schema has returned it. */
  readonly input: In;
  /**
   * Committed outputs of all ancestors, by phase, then task. A proxy: spread it before cloning it. In tasks of a phase with
   * an `input` schema: what the schema has returned.
   */
  readonly inputs: I;
  /** Outputs of the tasks of this attempt that this task depends on, by task. */
  readonly context: C;
  /** How often the phase was sent back since it last started afresh: 0 on the first attempt. */
  readonly attempt: number;
  /** How often the phase was sent back by a later one or invalidated. */
  readonly generation: number;
  /** What this attempt should do differently; `undefined` on the first. */
  readonly revision: TaskRevision<P> | undefined;
  /** What the phase subscribes to, in that order; names that nobody has reported are left out. */
  readonly artifacts: readonly SharedArtifact[];
  /** Aborted when the attempt is over for any reason: timeout, cancel, a failed sibling, an invalidated input. */
  readonly signal: AbortSignal;
  /** Reports usage, progress and artifacts; ignored once the task has ended. */
  readonly report: (report: Report) => void;
  /** Waits so many milliseconds on the clock of the run, less where the try ends before. Never rejects. */
  readonly wait: (ms: number) => Promise<void>;
  /** The same for every try of this task in this attempt, also after a restart of the process; of no other task, attempt or run of a check. */
  readonly idempotencyKey: string;
  /** The id of the run. */
  readonly run: string;
  /** The name of the phase. */
  readonly phase: string;
  /** The name of the task. */
  readonly task: string;
}

/** A revision as one task sees it. */
export interface TaskRevision<O = unknown> extends Revision, Omit<TaskRecollection, 'artifacts'> {
  /** What this very task put out in the attempt that is being revised. */
  readonly previousOutput?: O;
}

/**
 * How often a task is tried when it fails, before its phase fails. Tries spend no review retry.
 *
 * An error may say of itself whether another try is worth it: with `retryable: false` none follows, and `retryAfterMs` is how many
 * milliseconds the next one waits at least, up to the `max` of the backoff. Of a reviewer, its gate heeds both as well.
 */
export interface RetryPolicy {
  /** Tries in all, the first included. @default 1 */
  readonly attempts?: Count | undefined;
  /** Waiting time between tries. */
  readonly backoff?: Backoff | undefined;
  /** Whether waits have jitter where `backoff` does not say. It is no part of what a run that is resumed is compared by. @default false, of models true */
  readonly jitter?: boolean | undefined;
  /** Whether this failure is worth another try, whatever it says of itself. @default all but those with `retryable: false` */
  readonly retryable?: ((error: unknown) => boolean) | undefined;
}

/** What `task()` takes. */
export interface TaskOptions {
  /** What is to be done, in words; the base of `prompt`. @default '' */
  readonly description?: string | undefined;
  /** The work. Its result, or the promise's, is the task's output and must be JSON; `undefined` becomes `null`. */
  run(context: TaskContext<never, never, never>): unknown;
  /** Tasks of the same phase whose outputs it needs. */
  readonly after?: readonly (AnyTask | string)[] | undefined;
  /** Validates the output; what the schema returns is the output. */
  readonly output?: StandardSchemaV1 | undefined;
  readonly retry?: RetryPolicy | undefined;
  /** Milliseconds per try; 0 for none. @default 3600000 (one hour) */
  readonly timeout?: number | undefined;
  /**
   * What one try is expected to use at most; `analyze` multiplies it. Where the run has limits on that, a try does not begin unless
   * it fits into what is left.
   */
  readonly estimate?: Estimate | undefined;
  /**
   * Says that the task has changed where its plan does not show that: functions and schemas are no part of the fingerprint. A run is not
   * resumed with another version unless that is allowed. @default none
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

/** Any task, whatever its types. */
export type AnyTask = Task;

/** Outputs of tasks, by name. */
export type TaskOutputs<T extends readonly (AnyTask | string)[]> = {
  readonly [K in Extract<T[number], AnyTask> as K['name']]: K extends Task<TaskName, infer O> ? O : never;
};

type TaskOptionsWith<A extends readonly (AnyTask | string)[]> = Omit<TaskOptions, 'run' | 'output' | 'after'> & {
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
}
