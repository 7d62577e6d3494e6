/**
 * Bars of a timeline in words.
 *
 * @module
 */
import type { TimelineKind } from '../timeline/timeline.ts';

/** Every kind of bar, in the order in which they are listed. */
export const timelineKinds: readonly TimelineKind[] = ['work', 'review', 'person', 'backoff', 'waiting'];

/** The label of each kind. */
export const timelineWords: Readonly<Record<TimelineKind, string>> = {
  work: 'work',
  review: 'review',
  person: 'waits for a person',
  backoff: 'waits for the next try',
  waiting: 'waits to start again',
};
