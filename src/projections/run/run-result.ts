/**
 * How a run stands, as a fold over its records: while it goes on, and when it has ended.
 *
 * @module
 */
import type { ErrorInfo } from '../../model/errors/phasegate-error.ts';
import type { DecidedBy, EventOf, RunRecord, RunStatus, Verdict } from '../../model/events/event.ts';
import type { Outputs } from '../../model/handlers/task.ts';
import type { LimitName, Limits } from '../../model/plan/policy.ts';
import type { Flat } from '../../model/values/flat.ts';
import type { Defect } from '../quality/defect.ts';
import type { Measures } from '../quality/measures.ts';

/** How a phase stands. */
export type PhaseStatus =
  | 'pending'
  | 'running'
  | 'reviewing'
  | 'retrying'
  | 'rewinding'
  | 'escalated'
  | 'approved'
  | 'rejected'
  | 'failed'
  | 'skipped'
  | 'cancelled';

/** One judgement of one attempt. */
export interface DecisionRecord {
  readonly generation: number;
  readonly attempt: number;
  readonly verdict: Verdict;
  readonly by: DecidedBy;
}

/** How one phase stands, or ended. */
export interface PhaseResult {
  readonly status: PhaseStatus;
  /** Attempts in the whole run. */
  readonly attempts: number;
  /** The current attempt, 0-based. */
  readonly attempt: number;
  readonly generation: number;
  /** Tasks of the current attempt that have ended well, by name. */
  readonly done: readonly string[];
  readonly decisions: readonly DecisionRecord[];
  /** Committed outputs by task; `null` while there are none. */
  readonly outputs: Outputs | null;
  /** Version of the committed outputs, from 1; 0 while there are none. */
  readonly version: number;
  /** Versions of the phases that they were made from, or later ones that say the same as far as they were read. */
  readonly read: Readonly<Record<string, number>>;
  /** Of phases of which not all was read, by name: the tasks whose outputs were; absent where all of each counts as read. */
  readonly readTasks?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Why it was approved. */
  readonly because: EventOf<'phase.approved'>['because'] | null;
  /** Approved because a budget was spent, not because the gate agreed. */
  readonly exhausted: boolean;
  /** Made from an output that has a newer version. */
  readonly stale: boolean;
  /** Times it was sent back, by its own gate or a later phase. */
  readonly corrections: number;
  readonly costUsd: number;
  readonly tokens: number;
  /** Milliseconds since 1970; `null` where it has not started, or not ended. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Why it was rejected, skipped, cancelled, or escalated. */
  readonly reason: string | null;
  readonly error: ErrorInfo | null;
}

/** How a run stands. */
export interface RunSnapshot {
  readonly runId: string;
  readonly pipeline: string;
  readonly status: RunStatus | 'running';
  readonly phases: Readonly<Record<string, PhaseResult>>;
  /** What a person has to decide on: names of phases, and of limits that hold the run. */
  readonly waiting: readonly string[];
  readonly metrics: RunMetrics;
  /** What is left of each limit that was set. */
  readonly limitsLeft: Limits;
  readonly reason: string | null;
  /** The limit that ended the run. */
  readonly limit: LimitName | null;
  readonly error: ErrorInfo | null;
  /** Warnings so far, oldest first. */
  readonly warnings: readonly { readonly phase: string; readonly code: string; readonly message: string }[];
}

/** What a run has used. */
export interface RunMetrics {
  readonly attempts: number;
  /** Times any phase was sent back. */
  readonly corrections: number;
  readonly reviews: number;
  readonly costUsd: number;
  readonly tokens: number;
  /** Milliseconds of work, as `limits.durationMs` counts them. */
  readonly durationMs: number;
  /** Milliseconds since the run began, or since the fork was made, as `limits.deadlineMs` counts them. */
  readonly elapsedMs: number;
}

interface EndedRun<O> extends Omit<RunSnapshot, 'status' | 'phases'> {
  /** How each phase ended, by name. */
  readonly phases: unknown extends O ? RunSnapshot['phases'] : { readonly [K in keyof O]: PhaseResult };
}

/** A run that has completed: every phase was approved. */
export interface CompletedRun<O = Readonly<Record<string, Outputs>>> extends EndedRun<O> {
  readonly status: 'completed';
  /** Committed outputs, by phase, then task. */
  readonly outputs: Flat<O>;
}

/** A run that has ended otherwise. */
export interface UnsuccessfulRun<O = Readonly<Record<string, Outputs>>> extends EndedRun<O> {
  /**
   * `suspended` where this process let go of it, so that it has not ended. `failed` with `STORE_FAILED` or `LEASE_LOST` says that
   * this process could not go on; the run itself has not ended by that, and how it stands is in its store.
   */
  readonly status: Exclude<RunStatus, 'completed'> | 'suspended';
  /** Committed outputs of the phases that were approved, by phase, then task. */
  readonly outputs: Partial<O>;
}

/** How a run ended. It exists for every run. `status === 'completed'` says that the outputs of all phases are there. */
export type RunResult<O = Readonly<Record<string, Outputs>>> = CompletedRun<O> | UnsuccessfulRun<O>;

/**
 * How a run ended, with what its records say of its defects. Both are made from all records when they are first asked for, and
 * are properties that neither JSON nor a spread copies; `defectsOf` and `measuresOf` make them from records that are kept.
 */
export type RunOutcome<O = Readonly<Record<string, Outputs>>> = RunResult<O> & RunQuality;

/** What the records of a run say of its defects. */
export interface RunQuality {
  /** What was found to be wrong, in the order in which it was found, and what became of it. */
  readonly defects: readonly Defect[];
  /** Yields, containment, what corrections took, how far reviewers can be relied on. */
  readonly measures: Measures;
}

/** A fold over the records of one run. */
export interface RunView {
  apply(record: RunRecord): void;
  /** @param now Milliseconds since 1970, of a run that a process works on: times are up to then. @default the time of its latest record */
  snapshot(now?: number): RunSnapshot;
}
