/**
 * The results of actions on runs, in words.
 *
 * @module
 */
import type { RunAction, UiRun, UiStanding } from '../../../../src/server/api.ts';

/**
 * The result of an action, and the status of the run if that is unexpected.
 *
 * @param before The run at the time of the request.
 * @param now The run at the time of the response.
 */
export function doneText(action: Exclude<RunAction, 'fork'>, before: DoneRun, now: DoneRun): string {
  if (action === 'cancel') {
    if (now.standing === 'cancelled') return 'Cancelled.';
    return now.status === 'running'
      ? 'The process that works on it was asked to stop, and has not stopped yet.'
      : `Not cancelled: it ${SINCE[now.standing]} before.`;
  }
  const done = action === 'resume' ? 'Resumed' : 'Retried';
  if (now.seq === before.seq) return `${done}. Nothing has happened since.`;
  const since = SINCE[now.standing];
  return since === '' ? `${done}.` : `${done}. It ${since}.`;
}

/** The used part of a run. */
export type DoneRun = Pick<UiRun, 'standing' | 'status' | 'seq'>;

// --- internal ---

const SINCE: Readonly<Record<UiStanding, string>> = {
  queued: 'is queued again',
  running: '',
  waiting: 'waits for a person already',
  suspended: 'was suspended again',
  completed: 'has completed',
  failed: 'has failed',
  rejected: 'was rejected',
  exhausted: 'has run out of budget',
  cancelled: 'was cancelled',
  damaged: 'was damaged in the store',
};
