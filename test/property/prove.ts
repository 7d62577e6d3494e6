/**
 * Runs a property over random scenarios, and shows the smallest one that breaks it.
 *
 * @module
 */
import fc from 'fast-check';
import type { Scenario } from '../reference/scenario.ts';
import { show } from './show.ts';

/** How many scenarios a property is tried on beside those that continuous integration always tries. */
const MORE = Number(process.env['PHASEGATE_SCENARIOS'] ?? 0);

/**
 * Tries a property on scenarios of a fixed seed, or on as many of a random one as `PHASEGATE_SCENARIOS` says.
 *
 * @param broken What is wrong with a scenario, in words; `null` where nothing is.
 * @throws Error with the smallest failing scenario drawn for people, and the seed that finds it again.
 */
export async function prove(
  arbitrary: fc.Arbitrary<Scenario>,
  { seed, runs }: { readonly seed: number; readonly runs: number },
  broken: (scenario: Scenario) => Promise<string | null>,
): Promise<void> {
  const options = MORE > 0 ? { numRuns: MORE } : { numRuns: runs, seed };
  const property = fc.asyncProperty(arbitrary, async (scenario) => {
    const found = await broken(scenario);
    if (found !== null) throw new Error(found);
  });
  const outcome = await fc.check(property, options);
  if (!outcome.failed) return;
  const [scenario] = outcome.counterexample ?? [];
  const found = outcome.errorInstance instanceof Error ? outcome.errorInstance.message : String(outcome.errorInstance);
  throw new Error(
    [`seed ${outcome.seed}`, ...(scenario ? [show(scenario)] : []), found, JSON.stringify(scenario)].join('\n\n'),
  );
}
