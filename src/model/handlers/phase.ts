/**
 * Types of phases and gates.
 *
 * @module
 */
import type { Mode } from '../plan/options.ts';
import type { GatePolicy } from '../plan/policy.ts';
import type { CheckResult } from '../review/check.ts';
import type { ReviewFinding } from '../review/open-issues.ts';
import type { Flat } from '../values/flat.ts';
import type { StandardSchemaV1 } from '../values/standard-schema.ts';
import type { Reflector } from './reflector.ts';
import type { Answer, Inferred, Judged } from './reviewer-answer.ts';
import type { AnyTask, Inputs, Outputs, Task, TaskContext, TaskMaker, TaskName, TaskOutputs } from './task.ts';

/** What a reviewer or a check is given: what a task is given, and the attempt it judges. */
export interface ReviewContext<O = Outputs, I = Inputs, In = unknown> extends TaskContext<I, O, In> {
  /** Outputs of the attempt under review, by task. The same as `context`. */
  readonly outputs: O;
  /** Tasks whose output differs from the previous attempt, with both outputs. Empty on the first. */
  readonly difference: Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>;
  /** Attempts in a row, up to this one, whose outputs equal those that were sent back; 0 where this one has put out something else. */
  readonly unchanged: number;
  /** What this reviewer has found in earlier reviews and is not known to be corrected, by `id`; `priorFindings` of a decision answers it. */
  readonly findings: readonly ReviewFinding[];
  /** How often the gate may still send its own phase back, `Infinity` where unlimited. */
  readonly retriesLeft: number;
  /** How often the gate may still send back each phase it may send back at all. */
  readonly rewindsLeft: Readonly<Record<string, number>>;
}

/** A reviewer: a function, or a task whose output is read as a decision. */
export type Reviewer<O = Outputs, I = Inputs, In = unknown, Target extends string = string> =
  ReviewFunction<O, I, In, Target> | AnyTask | Person;

/** What `human()` returns, whatever it asks for: of a reviewer, a person's answer is a decision. */
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

/** How a check is run, and what its failure means. */
export interface CheckOptions {
  /**
   * Runs it also before the tasks of the phase first work, each time they start from fresh inputs. What failed then and fails
   * afterwards is no fault of the attempt: it warns (`CHECK_PREEXISTING`) and asks for no change. @default false
   */
  readonly baseline?: boolean | undefined;
  /**
   * How often it is run again when it fails. Where it passes then, it has passed, with a warning (`CHECK_FLAKY`). From 0,
   * for never, to 100. @default 0
   */
  readonly retries?: number | undefined;
  /** Milliseconds per run; 0 for none. Longer is a review error, not a failed check. @default 3600000 (one hour) */
  readonly timeout?: number | undefined;
}

/** A deterministic check; it runs before the reviewers and costs no model call. */
export interface Check<O = Outputs, I = Inputs, In = unknown> extends CheckOptions {
  readonly name: string;
  /** Throwing is a review error, not a failed check: it is asked again. */
  run(context: ReviewContext<O, I, In>): CheckResult | Promise<CheckResult>;
}

/** What `review` takes in its long form. At least one check or one reviewer is needed. */
export interface ReviewOptions<O = Outputs, I = Inputs, In = unknown, Target extends string = string> extends Omit<
  GatePolicy,
  'rewindTo'
> {
  /** The reviewers; they are asked at the same time, after the checks have passed. */
  readonly by?: Reviewer<O, I, In, Target> | readonly Reviewer<O, I, In, Target>[] | undefined;
  /** How many reviewers must approve. @default 'all' */
  readonly quorum?: 'all' | number | undefined;
  readonly checks?: readonly Check<O, I, In>[] | undefined;
  /**
   * Writes what is to be learned from an attempt that was sent back, before the next one works; for the strategies `reflexion` and
   * `lastAttemptAndReflexion`. Where it fails the attempt works without, and a warning says so.
   */
  readonly reflect?: Reflector<O, I, In> | undefined;
  /** Which phases may be sent back: the direct predecessors, any ancestor, or just these. @default 'predecessors' */
  readonly rewindTo?: 'predecessors' | 'ancestors' | readonly (AnyPhase | string)[] | undefined;
}

/** What a `review` may be in any of its forms, without its types. */
export type AnyReview = ReviewOptions<never, never, never>;

/** What `phase()` takes. The types: `S` of its schema, `In` of the input of the run, `V` and `W` of what it has for reviewers. */
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
  /** How the tasks run. @default 'dependencies' */
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
   * Validates the committed outputs this phase needs, by phase, then task, before any task runs. What it returns is what
   * the tasks get as `inputs`; reviewers and checks get what was committed.
   */
  readonly input?: S;
  /**
   * Artifacts that its handlers see, as `'<phase>/<artifact>'`: of phases upstream those of the approved attempt, its own of the attempt
   * before. Names that nobody reports are left out. The strategy `sharedPool` writes them into prompts, in this order.
   */
  readonly subscribe?: readonly string[] | undefined;
  /**
   * Says that the phase, its checks and its reviewers included, has changed where its plan does not show that: functions and schemas are no part of the fingerprint. A run is not
   * resumed with another version unless that is allowed. @default none
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

/** Phase options as they are kept, without their types. */
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

/** Any phase, whatever its types. */
export type AnyPhase = Phase<TaskName, unknown, unknown>;

type Merge<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer All) => void ? All : never;

/** What phases after these see of them and of their ancestors, by phase, then task; open where only names were given. */
export type UpstreamOf<A extends readonly (AnyPhase | string)[]> = Flat<
  (Extract<A[number], AnyPhase> extends never ? unknown : Merge<Seen<Extract<A[number], AnyPhase>>>) &
    (Extract<A[number], string> extends never ? unknown : Inputs)
>;

type Seen<P> = P extends Phase<infer N, infer O, infer U> ? Readonly<Record<N, O>> & U : never;

/** What `rewindTo` may be. */
export type RewindTo = NonNullable<ReviewOptions['rewindTo']>;

/** Refuses phases in a list that are known to be none of these. */
type Listed<R, Name extends string> = {
  readonly [K in keyof R]: NameOf<R[K]> extends Name ? R[K] : string extends NameOf<R[K]> ? R[K] : Name;
};

/** The names of the phases that a gate may send back, as far as they are known; otherwise any. */
export type TargetsOf<A extends readonly (AnyPhase | string)[], R> = R extends readonly (infer One)[]
  ? NameOf<One>
  : R extends 'predecessors'
    ? NameOf<A[number]>
    : AncestorOf<A>;

type NameOf<P> = P extends { readonly name: infer N } ? Extract<N, string> : Extract<P, string>;

type AncestorOf<A extends readonly (AnyPhase | string)[]> = Extract<keyof UpstreamOf<A>, string>;

/** What the tasks of a phase get as `inputs`: what its schema makes of them, where it has one that says. */
type Accepted<A extends readonly (AnyPhase | string)[], S> = S extends StandardSchemaV1
  ? unknown extends StandardSchemaV1.InferOutput<S>
    ? UpstreamOf<A>
    : StandardSchemaV1.InferOutput<S>
  : UpstreamOf<A>;

/** Refuses tasks whose handlers were written for inputs that the phase does not have. */
type TasksFor<T extends readonly AnyTask[], I> = T & {
  readonly [K in keyof T]: T[K] extends Task<TaskName, unknown, infer Wanted>
    ? Inputs extends Wanted
      ? T[K]
      : I extends Wanted
        ? T[K]
        : Task<TaskName, unknown, I>
    : T[K];
};
