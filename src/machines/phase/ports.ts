/**
 * The work that machines need done. Machines own these ports; `actors/` fills them, and only `runtime` plugs them in.
 *
 * @module
 */
import type { PromiseActorLogic } from 'xstate';
import type { ErrorInfo } from '../../model/errors/phasegate-error.ts';
import type { EventOf, FailedChecks, PhaseReport, Verdict } from '../../model/events/event.ts';
import type { FailedBefore } from '../../model/review/baseline.ts';
import type { Clock } from './clock.ts';
import type { PhaseContext } from './phase-context.ts';
import type { Quota } from './quota-port.ts';
import type { Stragglers } from './stragglers.ts';

/** How one attempt of a phase's tasks ended. */
export type AttemptOutcome =
  | { readonly type: 'done'; readonly outputs: Readonly<Record<string, unknown>>; readonly baseline?: Baseline }
  | { readonly type: 'failed'; readonly error: ErrorInfo }
  /** A task, or the phase's input schema, cannot work with what an earlier phase put out. */
  | { readonly type: 'rework'; readonly phase: string; readonly feedback: string; readonly baseline?: Baseline };

/** Checks that failed before the tasks set to work, where the attempt has had a look. */
export type Baseline = readonly FailedBefore[];

/** What an attempt has learned from the one before, and from earlier runs. */
export type Reflected = Pick<EventOf<'phase.reflected'>, 'reflection' | 'recalled'>;

/** How one review ended: the gate's verdict, and each reviewer's own, kept so that only missing ones are asked again. */
export interface GateOutcome {
  readonly verdict: Verdict;
  readonly verdicts: Readonly<Record<string, Verdict>>;
  /** Whether the checks have passed, so that they need not run again for this attempt. @default false */
  readonly checked?: boolean | undefined;
  /** The checks that have failed, where the verdict is theirs. */
  readonly failedChecks?: FailedChecks | undefined;
  /** With an approval by a person: outputs that take the place of those of the attempt, by task. */
  readonly edited?: Readonly<Record<string, unknown>> | undefined;
}

/** How far work had come when the process that did it ended. */
export interface Progress {
  /** Milliseconds since the attempt, or the review, began. */
  readonly elapsedMs: number;
  /** Outputs of tasks that have ended well, by task. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** The latest try of each task that has not, from 1. */
  readonly tries: Readonly<Record<string, number>>;
  /** Milliseconds until a task is to be tried again, where it waits for that. */
  readonly waitMs: Readonly<Record<string, number>>;
  /** How the attempt is to end, where a task has failed for good. */
  readonly failure: AttemptOutcome | undefined;
  /** Checks that failed before its tasks, where that was found out. */
  readonly baseline: Baseline | undefined;
  /** What was learned from the attempt before, where that was asked. */
  readonly reflected: Reflected | undefined;
}

/** Who has work done: it takes what the work reports, and its end. */
export interface WorkOwner<O> {
  readonly clock: Clock;
  /** Where tries ask for what they may use; nowhere where no limit bounds that. */
  readonly quota: Quota | undefined;
  /** Where work is that was stopped and is not at rest; nowhere where no pipeline counts. */
  readonly stragglers: Stragglers | undefined;
  report(fact: PhaseReport): void;
  done(output: O): void;
  failed(error: unknown): void;
}

/** Work that needs no actor: it is begun by a call, and tells its owner by calls how it goes. */
export interface InlineWork<O, I> {
  /**
   * Begins, a turn later. The owner hears nothing before, and nothing once the work was stopped.
   *
   * @param progress How far it had come when an earlier process was left.
   */
  begin(input: I, owner: WorkOwner<O>, progress?: Progress): { stop(): void };
}

/** The ports of the phase machine. Both are given the phase's whole context and may send it task reports. */
export type PhaseActors = {
  /** Runs the tasks of one attempt. Rejecting counts as `failed`. */
  attempt: PromiseActorLogic<AttemptOutcome, PhaseContext>;
  /** Runs checks and reviewers on the outputs of one attempt. Rejecting counts as a review error. */
  review: PromiseActorLogic<GateOutcome, PhaseContext>;
};
