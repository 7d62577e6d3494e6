/**
 * How phases stand, as the tree has it: a mark for each, and words for how many there are; `docs/cli.md` lists them.
 *
 * @module
 */
import type { PhaseResult, PhaseStatus } from '../../projections/run/run-result.ts';
import { statusMarks, type AnyStanding } from '../../projections/wording/status-marks.ts';
import { span, type Span } from './line.ts';

/** How a phase stands. `stale` is approved, and `failed` has rejected ones as well; `retrying` works again, or is about to. */
export type Mark = Exclude<PhaseStatus, 'rejected'> | 'stale';

/** Every mark, in the order in which they are counted. */
export const marks = [
  'approved',
  'stale',
  'running',
  'reviewing',
  'retrying',
  'rewinding',
  'escalated',
  'pending',
  'failed',
  'cancelled',
  'skipped',
] as const satisfies readonly Mark[];

/**
 * How a phase is marked: by its status, and whether it works for the first time or again.
 *
 * @param waits Whether a person is asked for what it works on.
 */
export function markOf(
  { status, stale, attempt }: Pick<PhaseResult, 'status' | 'stale' | 'attempt'>,
  waits: boolean,
): Mark {
  if (waits) return 'escalated';
  if (status === 'approved' && stale) return 'stale';
  if (status === 'running' && attempt > 0) return 'retrying';
  return status === 'rejected' ? 'failed' : status;
}

/** What the phases with a mark are, in words, such as `412 approved`; nothing where there are none. */
export function markedText(mark: Mark, count: number): readonly string[] {
  return count === 0 ? [] : [`${count} ${WORDS[mark]}`];
}

/** The mark of a standing as it is shown, with words behind it where there are some. */
export function glyph(standing: AnyStanding, words = ''): Span {
  const { mark, tone } = statusMarks[standing];
  return span(words === '' ? mark : `${mark} ${words}`, tone);
}

// --- internal ---

const WORDS = {
  approved: 'approved',
  stale: 'stale',
  running: 'at work',
  reviewing: 'in review',
  retrying: 'corrected',
  rewinding: 'waiting for a correction',
  escalated: 'waiting for a person',
  pending: 'pending',
  failed: 'failed',
  cancelled: 'cancelled',
  skipped: 'skipped',
} as const satisfies Readonly<Record<Mark, string>>;
