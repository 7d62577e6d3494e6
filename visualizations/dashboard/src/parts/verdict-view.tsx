/**
 * The verdict of a review.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { Verdict } from '../../../../src/model/events/event.ts';
import { type StatusMark, statusMarks } from '../../../../src/projections/wording/status-marks.ts';
import { decisionIn } from '../../../../src/model/review/verdict.ts';
import { verdictWords } from '../../../../src/projections/wording/verdict-words.ts';
import { inOneLine } from './untrusted-text.ts';
import { LongText } from './long-text.tsx';
import { LookBadge } from './status.tsx';

interface VerdictViewProps {
  readonly verdict: Verdict;
  /** The author of the verdict. */
  readonly by: string;
}

/** The verdict as a badge, with its text below. */
export function VerdictView({ verdict, by }: VerdictViewProps): ReactNode {
  const { text } = verdictWords(verdict);
  return (
    <div className="verdict">
      <VerdictBadge verdict={verdict} />
      {text === '' ? null : <LongText text={text} name={`what ${by} says`} />}
    </div>
  );
}

/** The verdict as a badge, with its confidence. */
export function VerdictBadge({ verdict }: Pick<VerdictViewProps, 'verdict'>): ReactNode {
  const { confidence } = decisionIn(verdict.type === 'inconclusive' ? verdict.decision : verdict) ?? {};
  return (
    <>
      <LookBadge look={LOOKS[verdict.type]}>{inOneLine(verdictWords(verdict).what)}</LookBadge>
      {confidence === undefined ? null : <span className="quiet"> confidence {confidence.toFixed(2)}</span>}
    </>
  );
}

// --- internal ---

const UNSURE = { mark: '?', tone: 'warn' } as const;

/** Each verdict looks like the phase status that it leads to. */
const LOOKS: Readonly<Record<Verdict['type'], StatusMark>> = {
  approve: statusMarks.approved,
  retry: statusMarks.retrying,
  retryPredecessor: statusMarks.rewinding,
  reject: statusMarks.rejected,
  escalate: statusMarks.escalated,
  unrecognised: UNSURE,
  inconclusive: UNSURE,
  unavailable: { mark: '–', tone: 'dim' },
};
