/**
 * The marks of phases in the tree, and the words for counts of phases; `docs/cli.md` lists them.
 *
 * @module
 */
import type { PhaseResult, PhaseStatus } from '../../projections/run/run-result.ts';
import { statusMarks, type AnyStanding } from '../../projections/wording/status-marks.ts';
import { span, type Span } from './line.ts';

/** The mark of a phase. `stale` phases are approved, `failed` includes rejected phases, `retrying` phases run again or are about to. */
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
 * Returns the mark of a phase, which depends on its status and on its number of attempts.
 *
 * @param waits True if the phase waits for a person.
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

/** Counts phases with a mark in words, such as `412 approved`; empty if there are none. */
export function markedText(mark: Mark, count: number): readonly string[] {
  return count === 0 ? [] : [`${count} ${WORDS[mark]}`];
}

/** Returns the symbol of a status, followed by optional words. */
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
