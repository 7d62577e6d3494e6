/**
 * Limits of one run that would count nothing.
 *
 * @module
 */
import { PhasegateError } from '../errors/phasegate-error.ts';
import type { Plan, TaskPlan } from '../plan/plan.ts';
import { cutList } from '../values/counts.ts';
import type { TaskWork, Work } from './compile.ts';
import { estimateHint, uncounted } from './estimates.ts';

/**
 * Refuses limits of one run that count an amount which some task neither reports nor estimates.
 *
 * @throws PhasegateError `INPUT_INVALID` that names each of them.
 */
export function refuseUncounted({ phases, limits }: Plan, work: Work): void {
  const found = phases.flatMap(({ name, tasks, gate }) => {
    const own = work.phases.get(name);
    const pairs: readonly (readonly [TaskPlan, TaskWork | undefined])[] = [
      ...tasks.map((task) => [task, own?.tasks.get(task.name)] as const),
      ...(gate?.reviewers ?? []).map((one) => [one, own?.reviewers.get(one.name)] as const),
      ...(gate?.reflect ? [[gate.reflect, own?.reflect] as const] : []),
    ];
    return pairs.flatMap(([task, { unreported } = {}]) =>
      uncounted(limits, unreported, task.estimate).map((amount) => ({ amount, place: `"${task.name}" of "${name}"` })),
    );
  });
  const [first] = found;
  if (!first) return;
  const list = cutList(found, MOST_NAMED, ({ amount, place }) => `\`${amount}\` of ${place}`);
  throw new PhasegateError(
    'INPUT_INVALID',
    `Cannot limit a run by what nothing reports or estimates: ${list.join(', ')}`,
    { hint: estimateHint(first.amount) },
  );
}

// --- internal ---

/** Most places that a message names. */
const MOST_NAMED = 10;
