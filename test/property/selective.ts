/**
 * Scenarios whose tasks read some outputs of earlier phases, and not others.
 *
 * @module
 */
import type { PhaseSpec, Scenario, TaskSpec } from '../reference/scenario.ts';

/**
 * Returns the scenario with tasks that read one task of most phases, and with gates that rerun readers of changed
 * outputs.
 */
export function selective(scenario: Scenario): Scenario {
  const sizes = new Map(scenario.phases.map(({ name, tasks }) => [name, tasks.length]));
  return {
    ...scenario,
    phases: scenario.phases.map((phase) => ({ ...phase, ...partsOf(phase, sizes, scenario.seed) })),
  };
}

// --- internal ---

function partsOf({ after, tasks, gate }: PhaseSpec, sizes: ReadonlyMap<string, number>, seed: number) {
  const reading = tasks.map((task, at): TaskSpec => {
    if (task.asked) return task;
    const sources = [...after, ...task.asks].filter((_, index) => (seed + at + index) % 4 !== 0);
    const parts = sources.map((name, index) => [name, [`t${(seed + at + index) % (sizes.get(name) ?? 1)}`]] as const);
    return { ...task, parts: Object.fromEntries(parts) };
  });
  return { tasks: reading, gate: gate && { ...gate, invalidate: 'changed' as const } };
}
