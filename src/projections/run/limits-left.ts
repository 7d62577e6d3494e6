/**
 * The rest of the limits of a run.
 *
 * @module
 */
import type { LimitName, Limits } from '../../model/plan/policy.ts';
import type { RunMetrics } from './run-result.ts';

/** The rest of each limit that was set. Limits of single phases and pairs are left out: they have no one rest. */
export function limitsLeft(limits: Limits, metrics: Pick<RunMetrics, (typeof TOTALS)[number][1]>): Limits {
  const set = TOTALS.flatMap(([name, used]) => {
    const max = limits[name];
    return max === undefined ? [] : [[name, Math.max(0, max - metrics[used])] as const];
  });
  return Object.fromEntries(set);
}

// --- internal ---

/** Limits of a whole run, and what they bound. */
const TOTALS = [
  ['corrections', 'corrections'],
  ['costUsd', 'costUsd'],
  ['tokens', 'tokens'],
  ['durationMs', 'durationMs'],
  ['deadlineMs', 'elapsedMs'],
] as const satisfies readonly (readonly [LimitName, keyof RunMetrics])[];
