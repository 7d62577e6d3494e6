/**
 * Decisions of a path.
 *
 * @module
 */
import type { LimitName } from '../../model/plan/policy-schema.ts';

/** The kinds of decisions that paths have. */
export const DECISION_KINDS = [
  'approve',
  'retry',
  'retryPredecessor',
  'reject',
  'escalate',
  'unreadable',
  'unsure',
  'reviewError',
  'failedCheck',
  'failedTask',
  'spentLimit',
  'skip',
  'abort',
  'expire',
] as const;

/**
 * A kind of decision:
 *
 * - `approve`, `retry`, `retryPredecessor`, `reject` of a gate or a person, and `escalate` of a gate. For a limit that holds the run,
 *   `approve` lifts it, and `reject` ends the run;
 * - `unreadable`: a text without a verdict; `unsure`: a demand of a person with too little confidence; `reviewError`: a reviewer or a
 *   check that throws;
 * - `failedCheck`, `failedTask`: a check fails, or the tasks fail for good; `spentLimit`: the tasks use more tokens, dollars or time than a
 *   limit of the run allows;
 * - `skip`, `abort`: a person skips the phase, or ends the run; `expire`: nobody answers a question in time.
 */
export type DecisionKind = (typeof DECISION_KINDS)[number];

/** One decision of a path. */
export interface PathDecision {
  /** The phase; the limit that holds the run, if a person decides about it. */
  readonly about: string;
  /** `gate` for its reviewers and checks, `clock` for a question that expires. */
  readonly by: 'gate' | 'task' | 'person' | 'clock';
  readonly decision: DecisionKind;
  /** The phase that is sent back. Only for `retryPredecessor`. */
  readonly target?: string | undefined;
  /** The check that fails. Only for `failedCheck`. */
  readonly check?: string | undefined;
  /** The limit that is spent. Only for `spentLimit`. */
  readonly limit?: LimitName | undefined;
}

/** A decision of the model: `done` is the end of a phase that no gate reviews. */
export interface Act extends Omit<PathDecision, 'decision'> {
  readonly decision: DecisionKind | 'done';
}

/** True for a decision with which the run goes on as if nothing had happened. */
export function isPlain({ decision }: Act): boolean {
  return decision === 'approve' || decision === 'done';
}

/** True if two decisions are the same. */
export function isSameAct(one: Act, other: Act): boolean {
  return (
    one.about === other.about &&
    one.by === other.by &&
    one.decision === other.decision &&
    one.target === other.target &&
    one.check === other.check &&
    one.limit === other.limit
  );
}
