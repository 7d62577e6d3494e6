/**
 * How many random scenarios a property is tried on, and which.
 *
 * `PHASEGATE_SCENARIOS` is their number in place of each property's own. With `PHASEGATE_SEED`, a number or `random`, they are others
 * than at every run: a failure names the seed that finds it again.
 *
 * @module
 */

/** What fast-check is told. @param own The number of scenarios, and the seed, of the property itself. */
export function numberOfRuns(own: { readonly runs: number; readonly seed: number }): {
  numRuns: number;
  seed?: number;
} {
  const numRuns = Number(process.env['PHASEGATE_SCENARIOS'] ?? own.runs);
  const seed = process.env['PHASEGATE_SEED'];
  if (seed === 'random') return { numRuns };
  return { numRuns, seed: seed === undefined ? own.seed : Number(seed) };
}
