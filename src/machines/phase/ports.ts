/**
 * Ports for the work of machines. Machines own these ports, `actors/` implements them, and `runtime` connects them.
 *
 * @module
 */
import type { ErrorInfo } from '../../model/errors/phasegate-error.ts';
import type { EventOf, FailedChecks, PhaseReport, Verdict } from '../../model/events/event.ts';
import type { FailedBefore } from '../../model/review/baseline.ts';
import type { Clock } from './clock.ts';
import type { PhaseContext } from './phase-context.ts';
import type { Quota } from './quota-port.ts';
import type { RepeatBounds } from './repetition.ts';
import type { Stragglers } from './stragglers.ts';

/** The outcome of one attempt. */
export type AttemptOutcome =
  | { readonly type: 'done'; readonly outputs: Readonly<Record<string, unknown>>; readonly baseline?: Baseline }
  | { readonly type: 'failed'; readonly error: ErrorInfo }
  /** A task, or the phase's input schema, cannot work with the outputs of an earlier phase. */
  | { readonly type: 'rework'; readonly phase: string; readonly feedback: string; readonly baseline?: Baseline };

/** Checks that failed before the tasks began, if the attempt has run them. */
export type Baseline = readonly FailedBefore[];

/** Reflections of an attempt on the one before, and on earlier runs. */
export type Reflected = Pick<EventOf<'phase.reflected'>, 'reflection' | 'recalled'>;

/** The outcome of one review: the verdict of the gate, and of each reviewer, so that only missing ones are asked again. */
export interface GateOutcome {
  readonly verdict: Verdict;
  readonly verdicts: Readonly<Record<string, Verdict>>;
  /** True if the checks have passed, so that they need not run again for this attempt. @default false */
  readonly checked?: boolean | undefined;
  /** The failed checks, if the verdict is theirs. */
  readonly failedChecks?: FailedChecks | undefined;
  /** With an approval by a person: outputs that replace those of the attempt, by task. */
  readonly edited?: Readonly<Record<string, unknown>> | undefined;
  /** Number of equal demands before this one, as far as the records of a restored phase tell. Masks can make different words equal. */
  readonly repeats?: RepeatBounds | undefined;
}

/** Progress of work when its process ended. */
export interface Progress {
  /** Milliseconds since the attempt, or the review, began. */
  readonly elapsedMs: number;
  /** Outputs of completed tasks, by task. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** The latest try of each other task, from 1. */
  readonly tries: Readonly<Record<string, number>>;
  /** Milliseconds until the next try of each task that waits for one. */
  readonly waitMs: Readonly<Record<string, number>>;
  /** Milliseconds since the latest try of each task began. */
  readonly ranMs: Readonly<Record<string, number>>;
  /** The outcome of the attempt if a task has failed for good. */
  readonly failure: AttemptOutcome | undefined;
  /** Checks that failed before its tasks, if that is known. */
  readonly baseline: Baseline | undefined;
  /** Reflections on the attempt before, if there are any. */
  readonly reflected: Reflected | undefined;
  /** Answers of all reviewers that are not people, if the review waits for people only. */
  readonly verdicts?: Readonly<Record<string, Verdict>> | undefined;
}

/** The owner of work: it takes reports and the outcome. */
export interface WorkOwner<O> {
  readonly clock: Clock;
  /** The quota that tries ask; absent if no limit bounds them. */
  readonly quota: Quota | undefined;
  /** Stopped work of the run; absent without a pipeline. */
  readonly stragglers: Stragglers | undefined;
  report(fact: PhaseReport): void;
  done(output: O): void;
  failed(error: unknown): void;
}

/** The logic of work: of the attempts of a phase, or of its reviews. */
export interface WorkLogic<O> {
  /**
   * Begins work, one turn later. It does not call the owner before, nor after it was stopped.
   *
   * @param progress Progress in an earlier process.
   */
  begin(input: PhaseContext, owner: WorkOwner<O>, progress?: Progress): { stop(): void };
}

/** The end of work, as an event of its phase. */
export type WorkEvent =
  | { readonly type: 'attempt.done'; readonly output: AttemptOutcome }
  | { readonly type: 'review.done'; readonly output: GateOutcome }
  | { readonly type: 'attempt.failed' | 'review.failed'; readonly error: unknown };

/** The work of a phase. Both are given its whole context. */
export interface PhasePorts {
  /** Runs the tasks of one attempt. Failing counts as `failed`. */
  readonly attempt: WorkLogic<AttemptOutcome>;
  /** Runs checks and reviewers on the outputs of one attempt. Failing counts as a review error. */
  readonly review: WorkLogic<GateOutcome>;
}
