/**
 * The results of attempts, in words.
 *
 * @module
 */
import { inOneLine } from '../../parts/untrusted-text.ts';
import { isDemand } from '../../../../../src/model/review/verdict.ts';
import { editsText } from '../../../../../src/projections/inbox/edit-words.ts';
import type { AnyStanding } from '../../../../../src/projections/wording/status-marks.ts';
import type { AttemptHistory } from './phase-history.ts';

/** The status or the end of an attempt. */
export interface AttemptEnd {
  readonly look: AnyStanding;
  readonly words: string;
}

/** The end of an attempt, with the status that it looks like. */
export function endOf({ end, tasks, decisions, loops }: AttemptHistory): AttemptEnd {
  if (!end) return standingOf(tasks, decisions.length > 0);
  const { event } = end;
  const edited = decisions.at(-1)?.edited;
  switch (event.type) {
    case 'phase.approved':
      return { look: 'approved', words: edited ? inOneLine(editsText(edited)) : APPROVED[event.because] };
    case 'phase.retrying':
      return { look: 'retrying', words: 'sent back for rework' };
    case 'phase.rewinding':
      return { look: 'rewinding', words: `sent back ${inOneLine(event.target)}` };
    case 'phase.escalated':
      return { look: 'escalated', words: 'waits for a person' };
    case 'phase.rejected': {
      const verdict = decisions.at(-1)?.verdict;
      const isSpent = verdict !== undefined && isDemand(verdict) && loops.length === 0;
      return { look: 'rejected', words: isSpent ? 'rejected, as the budget is spent' : 'rejected' };
    }
    case 'phase.failed':
      return { look: 'failed', words: 'failed' };
    case 'phase.cancelled':
      return { look: 'cancelled', words: 'cancelled' };
    case 'phase.skipped':
      return { look: 'skipped', words: 'skipped' };
    case 'phase.invalidated':
      return { look: 'cancelled', words: `abandoned because of ${inOneLine(event.because)}` };
    case 'phase.started':
      return { look: 'cancelled', words: 'abandoned for a new start' };
  }
}

/** The name of the phase that requested the correction. */
export function askedBy({ revision }: AttemptHistory, phase: string): string {
  const from = revision?.history.at(-1)?.from;
  return from === undefined || from === phase ? 'its own gate' : inOneLine(from);
}

// --- internal ---

const APPROVED = {
  approved: 'approved',
  unreviewed: 'approved without review',
  exhausted: 'approved, as the budget is spent',
  unrecognised: 'approved, as the answer had no verdict',
  invalidTarget: 'approved, as it may not send back the named phase',
} as const;

function standingOf(tasks: AttemptHistory['tasks'], isDecided: boolean): AttemptEnd {
  if (tasks.some(({ state }) => state === 'asks a person')) return { look: 'escalated', words: 'asks a person' };
  const isReviewed = isDecided || tasks.some(({ isReviewer }) => isReviewer);
  return isReviewed ? { look: 'reviewing', words: 'in review' } : { look: 'running', words: 'running' };
}
