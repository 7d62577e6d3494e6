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

/** How a phase is marked: by its status, and whether it works for the first time or again. */
export function markOf({ status, stale, attempt }: Pick<PhaseResult, 'status' | 'stale' | 'attempt'>): Mark {
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
