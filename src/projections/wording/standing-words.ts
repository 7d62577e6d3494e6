/**
 * Statuses and times of phases in words, for every user interface.
 *
 * @module
 */
import type { WorkTimes } from '../timeline/work-times.ts';
import type { AnyStanding } from './status-marks.ts';

/** The word for each status. */
export const standingWords: Readonly<Record<AnyStanding, string>> = {
  pending: 'pending',
  queued: 'queued',
  running: 'running',
  reviewing: 'in review',
  retrying: 'retrying',
  rewinding: 'waits for rework',
  escalated: 'waits for you',
  waiting: 'waits for you',
  suspended: 'suspended',
  damaged: 'damaged',
  approved: 'approved',
  stale: 'stale',
  completed: 'completed',
  rejected: 'rejected',
  failed: 'failed',
  exhausted: 'out of budget',
  skipped: 'skipped',
  cancelled: 'cancelled',
};

/** The names of both times of a phase, for the heads of columns. */
export const timeNames = { work: 'Worked', wait: 'Waited' } as const;

/** Times in words, for example `12 s, waited 3 h 10 min`; the wait only if it is at least a second. @param text Formats milliseconds. */
export function workTimesText({ workMs, waitMs }: WorkTimes, text: (ms: number) => string): string {
  return waitMs < 1000 ? text(workMs) : `${text(workMs)}, waited ${text(waitMs)}`;
}
