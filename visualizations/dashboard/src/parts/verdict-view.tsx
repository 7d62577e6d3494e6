/**
 * What somebody has judged.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { Verdict } from '../../../../src/model/event.ts';
import { LongText } from './long-text.tsx';
import { verdictWords } from './verdict-words.ts';

interface VerdictViewProps {
  readonly verdict: Verdict;
  /** Who has judged. */
  readonly by: string;
}

/** The verdict in a word, and below it what it says. */
export function VerdictView({ verdict, by }: VerdictViewProps): ReactNode {
  const { text } = verdictWords(verdict);
  return (
    <div className="verdict">
      <VerdictBadge verdict={verdict} />
      {text === '' ? null : <LongText text={text} name={`what ${by} says`} />}
    </div>
  );
}

/** The verdict in a word, with how sure whoever gave it was. */
export function VerdictBadge({ verdict }: Pick<VerdictViewProps, 'verdict'>): ReactNode {
  const { mark, tone, word, confidence } = verdictWords(verdict);
  return (
    <>
      <span className={`badge ${tone}`}>
        <span aria-hidden="true">{mark}</span> {word}
      </span>
      {confidence === undefined ? null : <span className="quiet"> confidence {confidence.toFixed(2)}</span>}
    </>
  );
}
