/**
 * Reviewers of a pipeline that are people.
 *
 * @module
 */
import { questionOf } from '../handlers/human.ts';
import type { InboxPolicy } from '../plan/inbox-policy.ts';
import type { Work } from './compile.ts';

/** Returns the inbox policy of a reviewer that is a person; `undefined` if it is none, or nothing is known of it. */
export type PersonOf = (phase: string, reviewer: string) => InboxPolicy | undefined;

/** Finds the people among the reviewers of a pipeline. A plan does not tell them from others: they are part of its functions. */
export function peopleIn(work: Work | undefined): PersonOf {
  return (phase, reviewer) => questionOf(work?.phases.get(phase)?.reviewers.get(reviewer)?.runner);
}
