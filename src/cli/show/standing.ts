/**
 * How a run stands, in colour.
 *
 * @module
 */
import type { Standing } from '../../store/standing.ts';
import type { Tone } from './line.ts';

/** The colour of each standing. */
export const toneOf: Readonly<Record<Standing, Tone>> = {
  running: 'busy',
  waiting: 'warn',
  suspended: 'warn',
  completed: 'good',
  rejected: 'bad',
  failed: 'bad',
  cancelled: 'dim',
  exhausted: 'bad',
};
