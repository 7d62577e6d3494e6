/**
 * Marks and tones of statuses, for every user interface. `docs/cli.md` and `docs/pictures.md` list them.
 *
 * Each mark is a text character in every font, as wide as a letter. Browsers draw similar characters as emoji.
 *
 * @module
 */
import type { PhaseStatus, RunResult } from '../run/run-result.ts';

/** The tone of a status, which decides its colour. The mark always shows the status without colour, too. */
export type LookTone = 'good' | 'busy' | 'warn' | 'bad' | 'dim';

/** The mark and tone of a status. */
export interface StatusMark {
  readonly mark: string;
  readonly tone: LookTone;
}

/**
 * The status of a phase or a run. `stale` is approved, but made from an output that has a newer version; a `waiting` run waits for a
 * person, a `queued` one for a first process; the row of a `damaged` run was changed in its store.
 */
export type AnyStanding = PhaseStatus | 'stale' | RunResult['status'] | 'waiting' | 'queued' | 'damaged';

/** The mark of each status. */
export const statusMarks = {
  pending: { mark: '○', tone: 'dim' },
  queued: { mark: '◊', tone: 'dim' },
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
  damaged: { mark: '✗', tone: 'bad' },
  skipped: { mark: '–', tone: 'dim' },
  cancelled: { mark: '⊘', tone: 'dim' },
} as const satisfies Readonly<Record<AnyStanding, StatusMark>>;
