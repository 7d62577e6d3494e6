/**
 * The status and result of a run: types of a fold over its records.
 *
 * @module
 */
import type { ErrorInfo } from '../../model/errors/phasegate-error.ts';
import type { DecidedBy, EventOf, RunRecord, RunStatus, Verdict } from '../../model/events/event.ts';
import type { Outputs } from '../../model/handlers/task.ts';
import type { LimitName, Limits } from '../../model/plan/policy-schema.ts';
import type { Flat } from '../../model/values/flat.ts';
import type { Defect } from '../quality/defect.ts';
import type { Measures } from '../quality/measures.ts';

/** The status of a phase. */
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

/** The status of one phase, or its result. */
export interface PhaseResult {
  readonly status: PhaseStatus;
  /** Attempts in the whole run. */
  readonly attempts: number;
  /** The current attempt, 0-based. */
  readonly attempt: number;
  readonly generation: number;
  /** Tasks of the current attempt that have completed, by name. */
  readonly done: readonly string[];
  readonly decisions: readonly DecisionRecord[];
  /** Committed outputs by task; `null` while there are none. */
  readonly outputs: Outputs | null;
  /** Version of the committed outputs, from 1; 0 while there are none. */
  readonly version: number;
  /** Versions of the phases that they were made from, or later versions with the same content in the part that was read. */
  readonly read: Readonly<Record<string, number>>;
  /** Tasks whose outputs were read, for phases that were read in part; absent if all count as read as a whole. */
  readonly readTasks?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The reason of its approval. */
  readonly because: EventOf<'phase.approved'>['because'] | null;
  /** True if it was approved or rejected because a budget was spent, or because of a loop: its gate had asked for changes. */
  readonly exhausted: boolean;
  /** True if made from an output that has a newer version. */
  readonly stale: boolean;
  /** Times it was sent back, by its own gate or a later phase. */
  readonly corrections: number;
  readonly costUsd: number;
  readonly tokens: number;
  /** Milliseconds since 1970; `null` if it has not started, or not ended. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** The reason why it was rejected, skipped, cancelled, or escalated. */
  readonly reason: string | null;
  readonly error: ErrorInfo | null;
}

/** The status of a run. */
export interface RunSnapshot {
  readonly runId: string;
  readonly pipeline: string;
  readonly status: RunStatus | 'running';
  readonly phases: Readonly<Record<string, PhaseResult>>;
  /** Names of phases, and of limits that hold the run, which wait for a person's decision. */
  readonly waiting: readonly string[];
  readonly metrics: RunMetrics;
  /** The rest of each limit that is set. */
  readonly limitsLeft: Limits;
  readonly reason: string | null;
  /** The limit that ended the run. */
  readonly limit: LimitName | null;
  readonly error: ErrorInfo | null;
  /** Warnings so far, oldest first. */
  readonly warnings: readonly { readonly phase: string; readonly code: string; readonly message: string }[];
}

/** Usage of a run. */
export interface RunMetrics {
  readonly attempts: number;
  /** Times any phase was sent back. */
  readonly corrections: number;
  readonly reviews: number;
  readonly costUsd: number;
  readonly tokens: number;
  /** Milliseconds of work, as `limits.durationMs` counts them. */
  readonly durationMs: number;
  /** Milliseconds since the run began, or since it was forked, as `limits.deadlineMs` counts them. */
  readonly elapsedMs: number;
}

interface EndedRun<O> extends Omit<RunSnapshot, 'status' | 'phases'> {
  /** The result of each phase, by name. */
  readonly phases: unknown extends O ? RunSnapshot['phases'] : { readonly [K in keyof O]: PhaseResult };
}

/** A run that has completed: every phase was approved. */
export interface CompletedRun<O = Readonly<Record<string, Outputs>>> extends EndedRun<O> {
  readonly status: 'completed';
  /** Committed outputs, by phase, then task. */
  readonly outputs: Flat<O>;
}

/** A run that has ended with another status. */
export interface UnsuccessfulRun<O = Readonly<Record<string, Outputs>>> extends EndedRun<O> {
  /**
   * `suspended` if this process released the run, which has not ended. `failed` with `STORE_FAILED` or `LEASE_LOST` means that this
   * process could not continue; the run itself has not ended, and its status is in its store.
   */
  readonly status: Exclude<RunStatus, 'completed'> | 'suspended';
  /** Committed outputs of the phases that were approved, by phase, then task. */
  readonly outputs: Partial<O>;
}

/** The result of a run. Every run has one. With `status === 'completed'` it has the outputs of all phases. */
export type RunResult<O = Readonly<Record<string, Outputs>>> = CompletedRun<O> | UnsuccessfulRun<O>;

/**
 * The result of a run, with its defects and measures. Both are computed from all records on first access. They are properties that
 * neither JSON nor a spread copies; `defectsOf` and `measuresOf` compute them from stored records.
 */
export type RunOutcome<O = Readonly<Record<string, Outputs>>> = RunResult<O> & RunQuality;

/** The defects and measures of a run. */
export interface RunQuality {
  /** Defects, in the order of detection, with their outcome. */
  readonly defects: readonly Defect[];
  /** Yields, containment, the cost of corrections, and the reliability of reviewers. */
  readonly measures: Measures;
}

/** A fold over the records of one run. */
export interface RunView {
  apply(record: RunRecord): void;
  /** @param now Milliseconds since 1970, if a process works on the run: times count until then. @default the time of its latest record */
  snapshot(now?: number): RunSnapshot;
}
