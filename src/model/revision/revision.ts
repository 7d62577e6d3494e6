/**
 * What the next attempt is told.
 *
 * @module
 */
import type { Issue } from '../decision/issue.ts';
import type { FullGatePolicy } from '../plan/policy.ts';

/** One earlier demand for changes, oldest first in a history. */
export interface Correction {
  /** The attempt that was sent back, 0-based. */
  readonly attempt: number;
  /** Who sent it back: the phase's own name, or the name of a later phase. */
  readonly from: string;
  readonly feedback: string;
  readonly requiredChange?: string | undefined;
  /** The issues that this phase has to correct; the feedback has them in words. */
  readonly issues?: readonly Issue[] | undefined;
}

/** A correction for a later phase that runs again, because an issue is about it. */
export interface Rider {
  readonly phase: string;
  readonly correction: Correction;
}

/** What one attempt of a phase should do differently. */
export interface Revision {
  /** The attempt that is told this, 0-based. */
  readonly attempt: number;
  /** The reviewer's words, verbatim; those of several requests are joined by a blank line. */
  readonly feedback: string;
  /** The change that is needed, as one imperative sentence. */
  readonly requiredChange?: string | undefined;
  /** The issues that this attempt has to correct; the feedback has them in words. */
  readonly issues?: readonly Issue[] | undefined;
  /** Every correction so far, this one included, oldest first. */
  readonly history: readonly Correction[];
}

/** How a gate wants revisions rendered. */
export type RevisionStyle = Pick<FullGatePolicy, 'layout' | 'strategy' | 'maxRevisionChars'>;

/** Joins demands that reach a phase together into one revision. Nothing is lost: every feedback is in it, in order. */
export function mergeCorrections(
  attempt: number,
  fresh: readonly Correction[],
  earlier: readonly Correction[],
): Revision {
  const joined = { attempt, ...joinDemands(fresh), history: [...earlier, ...fresh] };
  const issues = fresh.flatMap((one) => one.issues ?? []);
  return issues.length > 0 ? { ...joined, issues } : joined;
}

/** Demands for changes as one: every feedback and every required change, in order. */
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
