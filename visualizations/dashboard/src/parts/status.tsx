/**
 * The status of a run or a phase: a mark, a word and a colour. The colour alone carries no information.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { standingWords } from '../../../../src/projections/wording/standing-words.ts';
import { type AnyStanding, type StatusMark, statusMarks } from '../../../../src/projections/wording/status-marks.ts';

export { standingWords };

interface LookBadgeProps {
  readonly look: StatusMark;
  readonly children: ReactNode;
}

/** A badge with a mark and a tone. */
export function LookBadge({ look: { mark, tone }, children }: LookBadgeProps): ReactNode {
  return (
    <span className={`badge ${tone}`}>
      <span aria-hidden="true">{mark}</span> <span className="badge-word">{children}</span>
    </span>
  );
}

/** The badge of a status. */
export function StandingBadge({ of }: { readonly of: AnyStanding }): ReactNode {
  return <LookBadge look={statusMarks[of]}>{standingWords[of]}</LookBadge>;
}
