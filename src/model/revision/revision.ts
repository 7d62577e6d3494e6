/**
 * The instructions for the next attempt.
 *
 * @module
 */
import type { Issue } from '../decision/issue-schema.ts';
import type { FullGatePolicy } from '../plan/policy.ts';

/** One demand for changes. */
export interface Correction {
  /** The attempt that was sent back, 0-based. */
  readonly attempt: number;
  /** The phase that sent it back: the phase itself, or a later one. */
  readonly from: string;
  readonly feedback: string;
  readonly requiredChange?: string | undefined;
  /** The issues that this phase has to correct; the feedback has them as text. */
  readonly issues?: readonly Issue[] | undefined;
}

/** A correction for a later phase that runs again, because an issue is about it. */
export interface Rider {
  readonly phase: string;
  readonly correction: Correction;
}

/** The changes that one attempt of a phase should make. */
export interface Revision {
  /** The attempt that gets this, 0-based. */
  readonly attempt: number;
  /** The reviewer's feedback, verbatim; several are joined by a blank line. */
  readonly feedback: string;
  /** The required change, as one imperative sentence. */
  readonly requiredChange?: string | undefined;
  /** The issues that this attempt has to correct; the feedback has them as text. */
  readonly issues?: readonly Issue[] | undefined;
  /** Every correction so far, this one included, oldest first. */
  readonly history: readonly Correction[];
}

/** Options of a gate for rendering revisions. */
export type RevisionStyle = Pick<FullGatePolicy, 'layout' | 'strategy' | 'maxRevisionChars'>;

/** Joins demands that reach a phase together into one revision. It has every feedback, in order. */
export function mergeCorrections(
  attempt: number,
  fresh: readonly Correction[],
  earlier: readonly Correction[],
): Revision {
  const joined = { attempt, ...joinDemands(fresh), history: [...earlier, ...fresh] };
  const issues = fresh.flatMap((one) => one.issues ?? []);
  return issues.length > 0 ? { ...joined, issues } : joined;
}

/** Joins demands into one: every feedback and every required change, in order. */
export function joinDemands(
  demands: readonly Pick<Correction, 'feedback' | 'requiredChange'>[],
): Pick<Correction, 'feedback' | 'requiredChange'> {
  const changes = demands.flatMap((one) => one.requiredChange ?? []);
  return {
    feedback: demands
      .map((one) => one.feedback)
      .filter((feedback) => feedback !== '')
      .join('\n\n'),
    ...(changes.length > 0 && { requiredChange: changes.join(' ') }),
  };
}
