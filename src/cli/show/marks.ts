/**
 * One mark for each way a phase can stand; `docs/cli.md` lists them.
 *
 * @module
 */
import type { PhaseResult } from '../../model/result.ts';
import { span, type Span } from './line.ts';

/** The mark of a phase. */
export type Mark = keyof typeof MARKS;

/** Every mark, in the order in which they are counted. */
export const marks = [
  'approved',
  'stale',
  'working',
  'retrying',
  'rewinding',
  'escalated',
  'pending',
  'bad',
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
  switch (status) {
    case 'approved':
      return stale ? 'stale' : 'approved';
    case 'running':
    case 'reviewing':
      return attempt > 0 ? 'retrying' : 'working';
    case 'rejected':
    case 'failed':
      return 'bad';
    case 'pending':
    case 'retrying':
    case 'rewinding':
    case 'escalated':
    case 'skipped':
    case 'cancelled':
      return status;
  }
}

/** What the phases with a mark are, in words, such as `412 approved`; nothing where there are none. */
export function markedText(mark: Mark, count: number): readonly string[] {
  return count === 0 ? [] : [`${count} ${WORDS[mark]}`];
}

/** A mark as it is shown. */
export function glyph(mark: Mark): Span {
  return MARKS[mark];
}

// --- internal ---

const MARKS = {
  approved: span('✓', 'good'),
  stale: span('≈', 'warn'),
  working: span('●', 'busy'),
  retrying: span('↻', 'warn'),
  rewinding: span('⟲', 'warn'),
  escalated: span('⏸', 'warn'),
  pending: span('○', 'dim'),
  bad: span('✗', 'bad'),
  cancelled: span('⊘', 'dim'),
  skipped: span('–', 'dim'),
};

const WORDS = {
  approved: 'approved',
  stale: 'stale',
  working: 'at work',
  retrying: 'corrected',
  rewinding: 'waiting for a correction',
  escalated: 'waiting for a person',
  pending: 'pending',
  bad: 'failed',
  cancelled: 'cancelled',
  skipped: 'skipped',
} as const satisfies Readonly<Record<Mark, string>>;
