/**
 * What standings look like, wherever they are shown: one mark and one tone for each. `docs/cli.md` and `docs/pictures.md` list them.
 *
 * The marks are characters that are text in every font, as wide as a letter: others that look like them are drawn as emoji by browsers.
 *
 * @module
 */
import type { PhaseStatus, RunResult } from '../run/run-result.ts';

/** What a standing is like, which decides its colour. Nothing is told by that alone. */
export type LookTone = 'good' | 'busy' | 'warn' | 'bad' | 'dim';

/** What something looks like. */
export interface StatusMark {
  readonly mark: string;
  readonly tone: LookTone;
}

/**
 * How a phase or a run stands. `stale` is approved, but made from an output that has a newer version; a run that is `waiting` waits
 * for a person.
 */
export type AnyStanding = PhaseStatus | 'stale' | RunResult['status'] | 'waiting';

/** The look of each standing. */
export const statusMarks = {
  pending: { mark: '○', tone: 'dim' },
  running: { mark: '●', tone: 'busy' },
  reviewing: { mark: '◎', tone: 'busy' },
  retrying: { mark: '↻', tone: 'warn' },
  rewinding: { mark: '↶', tone: 'warn' },
  escalated: { mark: '‖', tone: 'warn' },
  waiting: { mark: '‖', tone: 'warn' },
  suspended: { mark: '◌', tone: 'warn' },
  approved: { mark: '✓', tone: 'good' },
  stale: { mark: '≈', tone: 'warn' },
  completed: { mark: '✓', tone: 'good' },
  rejected: { mark: '✗', tone: 'bad' },
  failed: { mark: '✗', tone: 'bad' },
  exhausted: { mark: '∎', tone: 'bad' },
  skipped: { mark: '–', tone: 'dim' },
  cancelled: { mark: '⊘', tone: 'dim' },
} as const satisfies Readonly<Record<AnyStanding, StatusMark>>;
