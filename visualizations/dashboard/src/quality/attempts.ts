/**
 * Phases by their numbers of attempts.
 *
 * @module
 */
import type { RunSnapshot } from '../../../../src/projections/run/run-result.ts';

/** Phases with the same number of attempts. */
export interface AttemptsBin {
  readonly attempts: number;
  readonly phases: readonly string[];
}

/** Groups phases by their attempts, the fewest first. It leaves out phases that have not started. */
export function attemptsOf({ phases }: Pick<RunSnapshot, 'phases'>): readonly AttemptsBin[] {
  const bins = new Map<number, string[]>();
  for (const [name, { attempts }] of Object.entries(phases)) {
    if (attempts === 0) continue;
    const bin = bins.get(attempts) ?? [];
    bin.push(name);
    bins.set(attempts, bin);
  }
  return [...bins]
    .map(([attempts, names]) => ({ attempts, phases: names }))
    .toSorted((a, b) => a.attempts - b.attempts);
}
