/**
 * The number and the seed of random scenarios for a property.
 *
 * `PHASEGATE_SCENARIOS` replaces the number of each property. `PHASEGATE_SEED`, a number or `random`, replaces its
 * seed. A failure prints the seed that reproduces it.
 *
 * @module
 */

/** Returns options for fast-check. @param own The number of scenarios, and the seed, of the property itself. */
export function numberOfRuns(own: { readonly runs: number; readonly seed: number }): {
  numRuns: number;
  seed?: number;
} {
  const numRuns = Number(process.env['PHASEGATE_SCENARIOS'] ?? own.runs);
  const seed = process.env['PHASEGATE_SEED'];
  if (seed === 'random') return { numRuns };
  return { numRuns, seed: seed === undefined ? own.seed : Number(seed) };
}
