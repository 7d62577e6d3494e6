/**
 * How many attempts phases took: how many took one, two, three.
 *
 * @module
 */
import type { RunSnapshot } from '../../../../src/projections/run/run-result.ts';

/** Phases that took the same number of attempts. */
export interface AttemptsBin {
  readonly attempts: number;
  readonly phases: readonly string[];
}

/** Bins that have phases, the fewest attempts first. Phases that have not begun are in none. */
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
