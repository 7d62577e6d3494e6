/**
 * Types of phases and gates.
 *
 * @module
 */
import type { Mode } from '../plan/options.ts';
import type { GatePolicy } from '../plan/policy-schema.ts';
import type { CheckResult } from '../review/check.ts';
import type { ReviewFinding } from '../review/open-issues.ts';
import type { Flat } from '../values/flat.ts';
import type { StandardSchemaV1 } from '../values/standard-schema.ts';
import type { Reflector } from './reflector.ts';
import type { Answer, Inferred, Judged } from './reviewer-answer.ts';
import type { AnyTask, Inputs, Outputs, Task, TaskContext, TaskMaker, TaskName, TaskOutputs } from './task.ts';

/** The context of a reviewer or a check: that of a task, and the attempt under review. */
export interface ReviewContext<O = Outputs, I = Inputs, In = unknown> extends TaskContext<I, O, In> {
  /** Outputs of the attempt under review, by task. The same as `context`. */
  readonly outputs: O;
  /** Tasks whose output differs from the previous attempt, with both outputs. Empty on the first. */
  readonly difference: Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>;
  /** Attempts in a row, up to this one, whose outputs equal those that were sent back; 0 if this attempt's outputs are new. */
  readonly unchanged: number;
  /**
   * Findings of this reviewer in earlier reviews that are not known to be corrected, by `id`. `priorFindings` of a decision answers them.
   */
  readonly findings: readonly ReviewFinding[];
  /** Times that the gate may still send its own phase back; `Infinity` if unlimited. */
  readonly retriesLeft: number;
  /** Times that the gate may still send back each phase that it may send back at all. */
  readonly rewindsLeft: Readonly<Record<string, number>>;
}

/** A reviewer: a function, or a task whose output is read as a decision. */
export type Reviewer<O = Outputs, I = Inputs, In = unknown, Target extends string = string> =
  ReviewFunction<O, I, In, Target> | AnyTask | Person;

/** The value that `human()` returns, for any type of answer: as a reviewer, a person answers with a decision. */
interface Person {
  readonly kind: 'human';
}

interface ReviewFunctions<O, I, In, Target extends string> {
  review(context: ReviewContext<O, I, In>): Answer<Target> | Promise<Answer<Target>>;
}

/** A review function. It returns a decision or its text, or a promise of either. */
export type ReviewFunction<O = Outputs, I = Inputs, In = unknown, Target extends string = string> = ReviewFunctions<
  O,
  I,
  In,
  Target
>['review'];

/** Options of a check. */
export interface CheckOptions {
  /**
   * If true, the check also runs before the tasks of the phase first work, each time they start from fresh inputs. If the same
   * then fails afterwards, it is not the attempt's fault: it warns (`CHECK_PREEXISTING`) and requires no change. @default false
   */
  readonly baseline?: boolean | undefined;
  /**
   * Times that a failed check runs again. If it passes then, it has passed, with a warning (`CHECK_FLAKY`). From 0 (never) to
   * 100. @default 0
   */
  readonly retries?: number | undefined;
  /** Milliseconds per run; 0 for no limit. A timeout is a review error, not a failed check. @default 3600000 (one hour) */
  readonly timeout?: number | undefined;
}

/** A deterministic check; it runs before the reviewers and costs no model call. */
export interface Check<O = Outputs, I = Inputs, In = unknown> extends CheckOptions {
  readonly name: string;
  /** Runs the check. A thrown error is a review error, not a failed check: the review is asked again. */
  run(context: ReviewContext<O, I, In>): CheckResult | Promise<CheckResult>;
}

/** The long form of `review`. At least one check or one reviewer is needed. */
export interface ReviewOptions<O = Outputs, I = Inputs, In = unknown, Target extends string = string> extends Omit<
  GatePolicy,
  'rewindTo'
> {
  /** The reviewers. They run at the same time, after the checks have passed. */
  readonly by?: Reviewer<O, I, In, Target> | readonly Reviewer<O, I, In, Target>[] | undefined;
  /** Number of reviewers that must approve. @default 'all' */
  readonly quorum?: 'all' | number | undefined;
  readonly checks?: readonly Check<O, I, In>[] | undefined;
  /**
   * Reflects on an attempt that was sent back, before the next one works; for the strategies `reflexion` and
   * `lastAttemptAndReflexion`. If it fails, the next attempt works without a reflection, with a warning.
   */
  readonly reflect?: Reflector<O, I, In> | undefined;
  /** Phases that may be sent back: the direct predecessors, any ancestor, or just these. @default 'predecessors' */
  readonly rewindTo?: 'predecessors' | 'ancestors' | readonly (AnyPhase | string)[] | undefined;
}

/** The long form of `review` without its types. */
export type AnyReview = ReviewOptions<never, never, never>;

/** Options of `phase()`. Types: `S` of its schema, `In` of the input of the run, `V` and `W` of its reviewers. */
export interface PhaseOptions<
  A extends readonly (AnyPhase | string)[],
  T extends readonly AnyTask[],
  S extends StandardSchemaV1 | undefined = StandardSchemaV1 | undefined,
  In = unknown,
  R = unknown,
  V = unknown,
  W = unknown,
> {
  /** The tasks, or a function that makes them with a `task` that knows the outputs of `after`. */
  readonly tasks: TasksFor<T, Accepted<A, S>> | ((task: TaskMaker<Accepted<A, S>, In>) => T);
  /** Phases that must be approved first. */
  readonly after?: A | undefined;
  /** The order in which the tasks run. @default 'dependencies' */
  readonly mode?: Mode | undefined;
  /** The gate. Without one the phase approves itself. */
  readonly review?:
    | (Reviewer<TaskOutputs<T>, UpstreamOf<A>, In, TargetsOf<A, R>> & Inferred<V> & Judged<V, TargetsOf<A, R>>)
    | (ReviewOptions<TaskOutputs<T>, UpstreamOf<A>, In, TargetsOf<A, R>> & {
        readonly by?: (Inferred<W> & Judged<W, TargetsOf<A, R>>) | undefined;
        readonly rewindTo?: (R & Listed<R, AncestorOf<A>>) | undefined;
      })
    | undefined;
  /**
   * Validates the committed outputs that this phase needs, by phase, then task, before any task runs. Its result is `inputs` of
   * the tasks; reviewers and checks get the committed outputs.
   */
  readonly input?: S;
  /**
   * Artifacts that its handlers see, as `'<phase>/<artifact>'`: from phases upstream those of the approved attempt, its own from the
   * previous attempt. Names that no task reports are left out. The strategy `sharedPool` writes them into prompts, in this order.
   */
  readonly subscribe?: readonly string[] | undefined;
  /**
   * The version of the functions and schemas of the phase, its checks and reviewers, which are not part of the fingerprint. Change it
   * with them. Resuming a run with another version must be allowed explicitly. @default none
   */
  readonly version?: string | undefined;
}

/** The type of `phase`: `In` is the input of the run. */
export interface PhaseMaker<In = unknown> {
  <
    const N extends TaskName,
    const T extends readonly AnyTask[],
    const A extends readonly (AnyPhase | string)[] = readonly [],
    S extends StandardSchemaV1 | undefined = undefined,
    const R extends RewindTo = 'predecessors',
    V = unknown,
    W = unknown,
  >(
    name: N,
    options: PhaseOptions<A, T, S, In, R, V, W>,
  ): Phase<N, Flat<TaskOutputs<T>>, UpstreamOf<A>>;
}

/** Phase options as stored, without their types. */
export interface PhaseSettings {
  readonly tasks: readonly AnyTask[];
  readonly after?: readonly (AnyPhase | string)[] | undefined;
  readonly mode?: Mode | undefined;
  readonly review?: Reviewer<never, never, never> | AnyReview | undefined;
  readonly input?: StandardSchemaV1 | undefined;
  readonly subscribe?: readonly string[] | undefined;
  readonly version?: string | undefined;
}

/** A phase as `phase()` returns it. */
export interface Phase<N extends TaskName = TaskName, O = Outputs, U = Inputs> {
  readonly kind: 'phase';
  readonly name: N;
  readonly options: PhaseSettings;
  /** Never set: carries the types of its outputs and of those of its ancestors. */
  readonly types?: { readonly outputs: O; readonly upstream: U };
}

/** Any phase, regardless of its types. */
export type AnyPhase = Phase<TaskName, unknown, unknown>;

type Merge<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer All) => void ? All : never;

/** Outputs of these phases and their ancestors as later phases see them, by phase, then task; open if only names were given. */
export type UpstreamOf<A extends readonly (AnyPhase | string)[]> = Flat<
  (Extract<A[number], AnyPhase> extends never ? unknown : Merge<Seen<Extract<A[number], AnyPhase>>>) &
    (Extract<A[number], string> extends never ? unknown : Inputs)
>;

type Seen<P> = P extends Phase<infer N, infer O, infer U> ? Readonly<Record<N, O>> & U : never;

/** Values of `rewindTo`. */
export type RewindTo = NonNullable<ReviewOptions['rewindTo']>;

/** Refuses phases in a list that are known not to be upstream. */
type Listed<R, Name extends string> = {
  readonly [K in keyof R]: NameOf<R[K]> extends Name ? R[K] : string extends NameOf<R[K]> ? R[K] : Name;
};

/** The names of the phases that a gate may send back, if they are known; otherwise any name. */
export type TargetsOf<A extends readonly (AnyPhase | string)[], R> = R extends readonly (infer One)[]
  ? NameOf<One>
  : R extends 'predecessors'
    ? NameOf<A[number]>
    : AncestorOf<A>;

type NameOf<P> = P extends { readonly name: infer N } ? Extract<N, string> : Extract<P, string>;

type AncestorOf<A extends readonly (AnyPhase | string)[]> = Extract<keyof UpstreamOf<A>, string>;

/** The type of `inputs` of the tasks: the output of the phase's schema if it has a typed one, otherwise the outputs upstream. */
type Accepted<A extends readonly (AnyPhase | string)[], S> = S extends StandardSchemaV1
  ? unknown extends StandardSchemaV1.InferOutput<S>
    ? UpstreamOf<A>
    : StandardSchemaV1.InferOutput<S>
  : UpstreamOf<A>;

/** Refuses tasks whose handlers expect inputs that the phase does not have. */
type TasksFor<T extends readonly AnyTask[], I> = T & {
  readonly [K in keyof T]: T[K] extends Task<TaskName, unknown, infer Wanted>
    ? Inputs extends Wanted
      ? T[K]
      : I extends Wanted
        ? T[K]
        : Task<TaskName, unknown, I>
    : T[K];
};
