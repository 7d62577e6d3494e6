/**
 * The worst case of a compiled plan, as text for the person who approves it.
 *
 * @module
 */
import { analyze } from '../model/analysis/analyze.ts';
import type { Pipeline } from '../model/definition/define.ts';
import { OWN_TASKS } from '../model/plan/level.ts';
import { countOf } from '../model/plan/policy.ts';
import type { ArrangedPlan } from './arrange-plan.ts';
import { MERGES } from './level-outputs.ts';
import { delayText } from './start-notes.ts';

/** Describes the levels of a plan, and the most that a run of it takes. One line each. */
export function boundLines(
  { levels, delays }: ArrangedPlan,
  pipeline: Pick<Pipeline, 'plan' | 'work'>,
): readonly string[] {
  const { bounds, worst } = analyze(pipeline);
  const own = new Set<string>(Object.values(OWN_TASKS));
  const runs = pipeline.plan.phases.map(({ name, tasks, gate }) => {
    const attempts = bounds.find(({ phase }) => phase === name)?.attempts ?? 0;
    const tries = tasks.filter((task) => !own.has(task.name)).reduce((sum, task) => sum + countOf(task.attempts), 0);
    return gate ? attempts * tries : 0;
  });
  const reviews = bounds.flatMap((bound) => Object.entries(bound.reviews));
  const asked = reviews.reduce((sum, [name, times]) => sum + (name === MERGES ? 0 : times), 0);
  return [
    ...levels.map((level, index) => `Phase ${index + 1}: ${level.map(({ id, title }) => `${id} ${title}`).join('; ')}`),
    ...delays.map(delayText),
    `At worst: ${runs.reduce((sum, one) => sum + one, 0)} turns of agents, with their tries, and ${asked} reviews`,
    costLine(worst.costUsd, worst.tokens),
  ];
}

// --- internal ---

function costLine(costUsd: number | null, tokens: number | null): string {
  if (costUsd === null && tokens === null)
    return 'Cost: unknown, as there is no estimate; a limit of the run would bound it';
  const parts = [
    ...(costUsd === null ? [] : [`$${costUsd.toFixed(2)}`]),
    ...(tokens === null ? [] : [`${tokens} tokens`]),
  ];
  return `Cost: at most ${parts.join(', ')} by the estimates`;
}
