/**
 * History of the reviews of one gate.
 *
 * @module
 */
import { issueId, requiredChanges } from '../../model/decision/issue.ts';
import type { EventOf } from '../../model/events/event.ts';
import { isMissing, type Demand } from '../../model/review/verdict.ts';
import { contentHash } from '../../model/values/content-hash.ts';
import type { Counted } from './gate-history.ts';
import { count, type Evidence } from './occurrences.ts';

/** The latest demand of a gate in one run. */
export interface Reviewed {
  /** A hash of its words; empty if it has none. */
  readonly words: string;
  /** A hash of its required change; empty if it has none, or if it has issues. */
  readonly change: string;
  readonly issues: ReadonlySet<string>;
}

/** Counts a review. @returns The state for the next one. */
export function countReview(
  counted: Counted,
  before: Reviewed = NOTHING,
  { verdict, by }: EventOf<'review.decided'>,
  at: Evidence,
): Reviewed {
  if (by !== 'gate') return before;
  if (isMissing(verdict, counted.gate.onUnrecognised)) {
    count(counted.errors, at);
    return before;
  }
  counted.reviews += 1;
  switch (verdict.type) {
    case 'retry':
    case 'retryPredecessor':
      return countDemand(counted, before, verdict, at);
    case 'approve':
    case 'unrecognised':
      counted.approvals += 1;
      return before;
    case 'reject':
    case 'escalate':
    case 'unavailable':
    case 'inconclusive':
      return before;
  }
}

// --- internal ---

const NOTHING: Reviewed = { words: '', change: '', issues: new Set() };

function countDemand(counted: Counted, before: Reviewed, demand: Demand, at: Evidence): Reviewed {
  const { feedback, requiredChange = '', issues = [] } = demand;
  const words = wordsOf([feedback, ...issues.map(({ description }) => description)].join(' '));
  const ids = new Set(issues.map(issueId));
  counted.demands += 1;
  if (!isOneLine(requiredChange) && !isOneLine(requiredChanges(issues))) count(counted.vague, at);
  // Issues have ids, which identify a repetition better than the required change does.
  const change = issues.length === 0 ? wordsOf(requiredChange) : '';
  if (words !== '' && words === before.words) count(counted.repeated, at);
  else if ([...ids].some((id) => before.issues.has(id))) count(counted.reopened, at);
  else if (change !== '' && change === before.change) count(counted.rephrased, at);
  return { words, change, issues: ids };
}

function isOneLine(change: string): boolean {
  return change.trim() !== '' && !change.trim().includes('\n');
}

/** Hashes a text, ignoring spaces and case. */
function wordsOf(text: string): string {
  const words = text.replaceAll(/\s+/gu, ' ').trim().toLowerCase();
  return words === '' ? '' : contentHash(words);
}
