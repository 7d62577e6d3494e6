/**
 * Batches of facts that a session of work tells, and its end.
 *
 * @module
 */
import type { WorkFact, WorkOutcome } from './outstanding-work.ts';
import type { KeptAnswers } from './session-work.ts';

/** Work that only waits. JSON. */
export interface ParkedWork {
  readonly type: 'parked';
  /** End of a pause, in milliseconds since 1970; `null` if only an answer continues the work. */
  readonly until: number | null;
  /** Number of the last record that the session knew. */
  readonly seen: number;
  /** Answers of reviewers, for the next session. */
  readonly kept: KeptAnswers;
  /** Tasks that wait for room in the limits of the run. @default none */
  readonly rooms?: readonly string[] | undefined;
  /** Ids of runs that tasks wait for. @default none */
  readonly children?: readonly string[] | undefined;
}

/** Facts since the batch before, and the end of the session if that is the last one. JSON. */
export interface WorkBatch {
  readonly facts: readonly WorkFact[];
  readonly end?: WorkOutcome | ParkedWork | undefined;
}

/** A session of work. */
export interface WorkSession {
  /** Resolves with a batch once there is something to tell, with the same one until the next is requested. @param index 0 at first, then in order. */
  batch(index: number): Promise<WorkBatch>;
  /** Takes an answer of the run: the tasks that have room. @param step Number of the answer; a repeated one changes nothing. */
  grant(step: number, tasks: readonly string[]): void;
  /** True if a try waits for room in the limits of the run. */
  isWaiting(): boolean;
  /** Aborts the work. No batch follows. */
  stop(): void;
  /**
   * Aborts the work, and waits for handlers that end soon. Resolves with the facts that no batch has told, such as their usage.
   *
   * @param told Number of batches that were told.
   */
  rest(told: number): Promise<readonly WorkFact[]>;
}
