/**
 * Runs a property over random scenarios, and shows the smallest one that breaks it.
 *
 * @module
 */
import fc from 'fast-check';
import type { Scenario } from '../reference/scenario.ts';
import { show } from './show.ts';
import { numberOfRuns } from './number-of-runs.ts';

/**
 * Tries a property on random scenarios.
 *
 * @param broken Returns a description of the problem of a scenario; null if it has none.
 * @throws Error with the smallest failing scenario in readable form, and the seed that reproduces it.
 */
export async function prove(
  arbitrary: fc.Arbitrary<Scenario>,
  own: { readonly seed: number; readonly runs: number },
  broken: (scenario: Scenario) => Promise<string | null>,
): Promise<void> {
  const property = fc.asyncProperty(arbitrary, async (scenario) => {
    const found = await broken(scenario);
    if (found !== null) throw new Error(found);
  });
  const outcome = await fc.check(property, numberOfRuns(own));
  if (!outcome.failed) return;
  const [scenario] = outcome.counterexample ?? [];
  const found = outcome.errorInstance instanceof Error ? outcome.errorInstance.message : String(outcome.errorInstance);
  throw new Error(
    [`seed ${outcome.seed}`, ...(scenario ? [show(scenario)] : []), found, JSON.stringify(scenario)].join('\n\n'),
  );
}
