/**
 * The rest of the limits of a run.
 *
 * @module
 */
import type { LimitName, Limits } from '../../model/plan/policy-schema.ts';
import type { RunMetrics } from './run-result.ts';

/** Returns the rest of each limit that is set. Limits of single phases and pairs are left out, as they have no single rest. */
export function limitsLeft(limits: Limits, metrics: Pick<RunMetrics, (typeof TOTALS)[number][1]>): Limits {
  const set = TOTALS.flatMap(([name, used]) => {
    const max = limits[name];
    return max === undefined ? [] : [[name, Math.max(0, max - metrics[used])] as const];
  });
  return Object.fromEntries(set);
}

// --- internal ---

/** Limits of a whole run, and the metrics that they bound. */
const TOTALS = [
  ['corrections', 'corrections'],
  ['costUsd', 'costUsd'],
  ['tokens', 'tokens'],
  ['durationMs', 'durationMs'],
  ['deadlineMs', 'elapsedMs'],
] as const satisfies readonly (readonly [LimitName, keyof RunMetrics])[];
