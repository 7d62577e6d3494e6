/**
 * Comparison of a disturbed run with the run that nothing happened to.
 *
 * @module
 */
import type { Fault } from './faults.ts';
import type { Scenario } from './scenario.ts';
import { simulate, type Simulated } from './simulation.ts';
import { storyDifference, storyOf } from './story.ts';

/** The run that nothing happens to. */
export interface CalmRun {
  readonly scenario: Scenario;
  readonly story: readonly string[];
}

/** A disturbed run, with its problems. */
export interface Disturbed extends Simulated {
  /** Broken rules, and differences from the calm run, as text; `undefined` if there are none. */
  readonly problem: string | undefined;
}

/** Simulates a scenario without faults. @throws Error if it breaks a rule, or needs more than one process. */
export async function calmRun(scenario: Scenario): Promise<CalmRun> {
  const { records, problems, processes } = await simulate({ ...scenario, whileWaiting: 'hold' });
  if (problems.length > 0) throw new Error(`A run that nothing happens to: ${problems.join('\n')}`);
  if (processes !== 1) throw new Error(`A run that nothing happens to needs ${processes} processes`);
  return { scenario, story: storyOf(records) };
}

/** Simulates the scenario of a calm run with faults. @param isTwice True to simulate it twice, which must lead to the same. */
export async function disturbedRun(
  { scenario, story }: CalmRun,
  faults: readonly Fault[],
  isTwice = false,
): Promise<Disturbed> {
  const run = await simulate(scenario, faults);
  const problems = [...run.problems];
  const difference = storyDifference(story, storyOf(run.records));
  if (difference !== undefined) problems.push(`It differs from the run that nothing happened to:\n${difference}`);
  if (isTwice && textOf(await simulate(scenario, faults)) !== textOf(run))
    problems.push('The same again is not the same');
  if (problems.length === 0) return { ...run, problem: undefined };
  const told = { scenario, faults };
  return { ...run, problem: [...problems, '', ...run.log, '', JSON.stringify(told)].join('\n') };
}

// --- internal ---

function textOf({ records, log }: Simulated): string {
  return JSON.stringify([[...records], log]);
}
