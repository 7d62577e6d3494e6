/**
 * Loops of a gate in words.
 *
 * @module
 */
import { issueId } from '../../model/decision/issue.ts';
import type { EventOf } from '../../model/events/event.ts';
import { decisionIn } from '../../model/review/verdict.ts';

/** Descriptions of issues, by id. */
export type IssueWords = ReadonlyMap<string, string>;

/** Collects the descriptions of the issues of a judgement. The judgement before a loop has every issue of the loop. */
export function issueWords({ verdict, verdicts }: Pick<EventOf<'review.decided'>, 'verdict' | 'verdicts'>): IssueWords {
  const issues = [...Object.values(verdicts), verdict].flatMap((one) => decisionIn(one)?.issues ?? []);
  return new Map(issues.map((issue) => [issueId(issue), issue.description]));
}

/**
 * Describes a loop, such as `"There are no tests." is open again, and nothing was corrected`.
 *
 * @param words Known descriptions; an issue without one is named by its id.
 */
export function loopText({ kind, issues, rewinds, times = 1 }: LoopParts, words: IssueWords = new Map()): string {
  if (kind === 'rewind') return rewinds.map(({ from, to }) => `${from} sends back ${to}`).join(', ');
  if (kind === 'feedback') return `the same was demanded in the same words ${times + 1} times in a row`;
  if (kind === 'unchanged') return `${unchangedText(times)}, and they are sent back again`;
  const names = issues.map((id) => {
    const text = words.get(id);
    return text === undefined ? id : `"${startOf(text)}"`;
  });
  return `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} open again, and nothing was corrected`;
}

/** Describes attempts with the outputs that were sent back. @param times In a row. */
export function unchangedText(times: number): string {
  return times === 1
    ? 'its outputs are those that were sent back'
    : `${times} attempts in a row had the outputs that were sent back`;
}

// --- internal ---

type LoopParts = Pick<EventOf<'loop.detected'>, 'kind' | 'issues' | 'rewinds' | 'times'>;

/** Longest description of an issue, in characters: it only serves as a reminder. */
const LONGEST = 120;

function startOf(text: string): string {
  const characters = Array.from(text.slice(0, 2 * LONGEST));
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST).join('')}…` : text;
}
