/**
 * Loops of a gate in words.
 *
 * @module
 */
import { issueId } from '../../model/decision/issue.ts';
import type { EventOf } from '../../model/events/event.ts';
import { decisionIn } from '../../model/review/verdict.ts';

/** What issues say, by their ids. */
export type IssueWords = ReadonlyMap<string, string>;

/** What the issues of a judgement say. The one before a loop has every issue that goes round in it. */
export function issueWords({ verdict, verdicts }: Pick<EventOf<'review.decided'>, 'verdict' | 'verdicts'>): IssueWords {
  const issues = [...Object.values(verdicts), verdict].flatMap((one) => decisionIn(one)?.issues ?? []);
  return new Map(issues.map((issue) => [issueId(issue), issue.description]));
}

/**
 * What goes round, such as `"There are no tests." is open again, and nothing was corrected`.
 *
 * @param words Those that are known; an issue without words is told by its id.
 */
export function loopText({ kind, issues, rewinds, times = 1 }: LoopParts, words: IssueWords = new Map()): string {
  if (kind === 'rewind') return rewinds.map(({ from, to }) => `${from} sends back ${to}`).join(', ');
  if (kind === 'feedback') return `the same was demanded in the same words ${times + 1} times in a row`;
  if (kind === 'unchanged') return `${unchangedText(times)}, and the demand goes on`;
  const told = issues.map((id) => {
    const text = words.get(id);
    return text === undefined ? id : `"${startOf(text)}"`;
  });
  return `${told.join(', ')} ${told.length === 1 ? 'is' : 'are'} open again, and nothing was corrected`;
}

/** What is said of attempts that put out what was sent back. @param times In a row. */
export function unchangedText(times: number): string {
  return times === 1 ? 'it puts out what was sent back' : `${times} attempts in a row put out what was sent back`;
}

// --- internal ---

type LoopParts = Pick<EventOf<'loop.detected'>, 'kind' | 'issues' | 'rewinds' | 'times'>;

/** Characters of what an issue says: its ids tell it apart, its words only have to remind of it. */
const LONGEST = 120;

function startOf(text: string): string {
  const characters = Array.from(text.slice(0, 2 * LONGEST));
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST).join('')}…` : text;
}
