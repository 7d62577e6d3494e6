/**
 * Many random runs with faults.
 *
 * `PHASEGATE_SIMULATED_RUNS` is the number of runs of all sweeps together. `PHASEGATE_SEED`, a number or `random`, replaces the seeds.
 *
 * @module
 */
import fc from 'fast-check';
import { numberOfRuns } from '../property/number-of-runs.ts';
import { calmRun, disturbedRun } from './compare.ts';
import { faults, type Fault } from './faults.ts';
import { scenarios, type Scope } from './scenario.ts';

/** Counts of a sweep. */
export interface Swept {
  readonly runs: number;
  /** The number of faults that happened, by type. */
  readonly faults: ReadonlyMap<Fault['type'], number>;
  readonly processes: number;
  /** The number of runs that were simulated twice. */
  readonly repeated: number;
}

/** Milliseconds that a test with a sweep may take. */
export const SWEEP_MS = 1_200_000;

/**
 * Simulates runs.
 *
 * @param share The part of all runs that is due here.
 * @throws Error with the smallest run that it found to be wrong: its problems, what happened, and a case for `cases.test.ts`.
 */
export async function sweep(
  scope: Scope,
  { share, seed }: { readonly share: number; readonly seed: number },
): Promise<Swept> {
  const all = Number(process.env['PHASEGATE_SIMULATED_RUNS'] ?? DEFAULT_RUNS);
  const numRuns = Math.ceil((all * share) / PLANS);
  const counts = { runs: 0, faults: new Map<Fault['type'], number>(), processes: 0, repeated: 0 };
  let wrong: number | undefined;
  const property = fc.asyncProperty(
    scenarios(scope),
    fc.array(faults(MOST_FAULTS), { minLength: PLANS, maxLength: PLANS }),
    async (scenario, plans) => {
      const calm = await calmRun(scenario);
      for (const [nth, plan] of plans.entries()) {
        // Once a run was wrong, a smaller one is looked for in its place alone.
        if (wrong !== undefined && wrong !== nth) continue;
        const isTwice = nth === 0 && JSON.stringify(scenario).length % 4 === 0;
        const { problem, happened, processes } = await disturbedRun(calm, plan, isTwice);
        counts.runs += 1;
        counts.processes += processes;
        counts.repeated += isTwice ? 1 : 0;
        for (const type of happened) counts.faults.set(type, (counts.faults.get(type) ?? 0) + 1);
        if (problem === undefined) continue;
        wrong = nth;
        throw new Error(problem);
      }
    },
  );
  const { seed: used = seed } = numberOfRuns({ runs: numRuns, seed });
  const outcome = await fc.check(property, { numRuns, seed: used });
  if (!outcome.failed) return counts;
  const { errorInstance: error } = outcome;
  throw new Error(`seed ${outcome.seed}\n\n${error instanceof Error ? error.message : String(error)}`);
}

// --- internal ---

const DEFAULT_RUNS = 240;
/** Disturbed runs of each scenario. They are compared with the same calm run. */
const PLANS = 4;
const MOST_FAULTS = 5;
