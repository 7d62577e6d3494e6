/**
 * How a run or a phase stands: a mark, a word, and a colour that says nothing by itself.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { PhaseStatus } from '../../../../src/model/result.ts';
import type { UiStanding } from '../../../../src/server/api.ts';

/** Everything that has a standing. */
export type AnyStanding = UiStanding | PhaseStatus;

/** What a standing looks like. */
export interface Look {
  readonly mark: string;
  readonly tone: 'quiet' | 'busy' | 'warn' | 'good' | 'bad';
  readonly word: string;
}

/** The look of each standing. */
export const lookOf: Readonly<Record<AnyStanding, Look>> = {
  pending: { mark: '○', tone: 'quiet', word: 'pending' },
  running: { mark: '▶\uFE0E', tone: 'busy', word: 'running' },
  reviewing: { mark: '◎', tone: 'busy', word: 'in review' },
  retrying: { mark: '↻', tone: 'warn', word: 'retrying' },
  rewinding: { mark: '↶', tone: 'warn', word: 'sent back' },
  escalated: { mark: '‖', tone: 'warn', word: 'waits for a person' },
  waiting: { mark: '‖', tone: 'warn', word: 'waits for a person' },
  suspended: { mark: '◌', tone: 'warn', word: 'suspended' },
  approved: { mark: '✓', tone: 'good', word: 'approved' },
  completed: { mark: '✓', tone: 'good', word: 'completed' },
  rejected: { mark: '✗', tone: 'bad', word: 'rejected' },
  failed: { mark: '✗', tone: 'bad', word: 'failed' },
  exhausted: { mark: '∎', tone: 'bad', word: 'out of budget' },
  skipped: { mark: '⤼', tone: 'quiet', word: 'skipped' },
  cancelled: { mark: '⊘', tone: 'quiet', word: 'cancelled' },
};

/** A standing in words. */
export function StandingBadge({ of }: { readonly of: AnyStanding }): ReactNode {
  const { mark, tone, word } = lookOf[of];
  return (
    <span className={`badge ${tone}`}>
      <span aria-hidden="true">{mark}</span> {word}
    </span>
  );
}
