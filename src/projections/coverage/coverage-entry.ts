/**
 * Entries of a coverage: facts that a run of a pipeline can show, each with its count.
 *
 * @module
 */
import type { RunStatus } from '../../model/events/event.ts';
import type { LimitName } from '../../model/plan/policy-schema.ts';

/** One fact that a run can show. */
export interface CoverageEntry {
  /** Unique in its coverage; the same for the same plan. Such as `gate draft: retry refused`. */
  readonly name: string;
  /** Times that the runs have shown it. */
  readonly times: number;
  /** True if the plan says that a run can show it, and the coverage is not complete without it. */
  readonly asked: boolean;
}

/** The outcome of a phase. `ran` counts attempts. */
export type CoveredStatus = 'ran' | 'approved' | 'rejected' | 'failed' | 'skipped' | 'cancelled';

/** An outcome of a phase. `ran` and `approved` are asked for. */
export interface PhaseCoverage extends CoverageEntry {
  readonly phase: string;
  readonly status: CoveredStatus;
}

/**
 * An answer of a gate, or a consequence of it:
 *
 * - the decisions of the gate, which have the names of decisions. A demand of a task (`needsRework`) counts as one of its gate;
 * - `unreadable`: a text without a verdict;
 * - `inconclusive`: a verdict with too little confidence;
 * - `invalidTarget`: a demand on a phase that the gate may not send back;
 * - `brokenAnswer`: code has returned no decision;
 * - `reviewError`: a reviewer or a check threw or timed out, or an approval contradicts itself;
 * - `reviewAgain`: the review of the same attempt is asked again, or `maxReviewErrors` refuses that;
 * - `question`: a person was asked about the phase, or as its reviewer.
 */
export type CoveredDecision =
  | 'approve'
  | 'retry'
  | 'retryPredecessor'
  | 'reject'
  | 'escalate'
  | 'unreadable'
  | 'inconclusive'
  | 'invalidTarget'
  | 'brokenAnswer'
  | 'reviewError'
  | 'reviewAgain'
  | 'question';

/** `granted` or `refused` by the budgets of the gate, also for a loop; for a question, `answered` by a person or `expired`. */
export type CoveredOutcome = 'granted' | 'refused' | 'answered' | 'expired';

/** A decision of a gate with its outcome. */
export interface CoverageRow extends CoverageEntry {
  readonly phase: string;
  readonly decision: CoveredDecision;
  /** The phase that is sent back; `null` for any other decision than `retryPredecessor`. */
  readonly target: string | null;
  /** `null` for a decision that no budget binds. */
  readonly outcome: CoveredOutcome | null;
}

/** A limit of the run that was reached. */
export interface LimitCoverage extends CoverageEntry {
  readonly limit: LimitName;
  /** The limit in the plan; `null` if only a run had it. */
  readonly max: number | null;
}

/** An outcome of a check. Runs of its baseline count as well. */
export interface CheckCoverage extends CoverageEntry {
  readonly phase: string;
  readonly check: string;
  readonly outcome: 'passed' | 'failed';
}

/** A phase that was sent back by another, by its gate, a task or a person. Never asked for: the rows of the gate are. */
export interface RewindCoverage extends CoverageEntry {
  readonly from: string;
  readonly to: string;
}

/** A status with which a run has ended. */
export interface EndCoverage extends CoverageEntry {
  readonly status: RunStatus;
}

/** The fields of an entry that its place in the plan decides. */
export type Fields<T extends CoverageEntry> = Omit<T, keyof CoverageEntry>;

/** Returns the name of an outcome of a phase. */
export function phaseName({ phase, status }: Fields<PhaseCoverage>): string {
  return `phase ${phase}: ${status}`;
}

/** Returns the name of a row. */
export function rowName({ phase, decision, target, outcome }: Fields<CoverageRow>): string {
  const words = [WORDS[decision] ?? decision, target, outcome].filter((word) => word !== null);
  return `gate ${phase}: ${words.join(' ')}`;
}

/** Returns the name of a limit. */
export function limitName({ limit }: Pick<LimitCoverage, 'limit'>): string {
  return `limit ${limit}: reached`;
}

/** Returns the name of an outcome of a check. */
export function checkName({ phase, check, outcome }: Fields<CheckCoverage>): string {
  return `check ${check} of ${phase}: ${outcome}`;
}

/** Returns the name of a rewind. */
export function rewindName({ from, to }: Fields<RewindCoverage>): string {
  return `rewind ${from} → ${to}`;
}

/** Returns the name of an end. */
export function endName({ status }: Fields<EndCoverage>): string {
  return `end: ${status}`;
}

// --- internal ---

const WORDS: Partial<Record<CoveredDecision, string>> = {
  unreadable: 'unreadable verdict',
  inconclusive: 'inconclusive verdict',
  invalidTarget: 'target not allowed',
  brokenAnswer: 'broken answer',
  reviewError: 'review error',
  reviewAgain: 'review again',
};
