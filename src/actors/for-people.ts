/**
 * Reviews that wait for people alone, so that their time is no time of work.
 *
 * @module
 */
import type { PhaseContext } from '../machines/phase-context.ts';
import type { GateOutcome } from '../machines/ports.ts';
import type { PhaseWork } from '../model/compile.ts';
import { countsAllTime } from '../model/edition.ts';
import type { GatePlan, TaskPlan } from '../model/plan.ts';
import type { WorkScope } from './scope.ts';

/** If a reviewer is a person. */
export function asksPerson({ reviewers }: PhaseWork, { name }: TaskPlan): boolean {
  return reviewers.get(name)?.byPerson === true;
}

/**
 * Says that just people have not answered yet, if the records do not tell: some reviewers are no people, or have answered before.
 *
 * @param open How many reviewers have not answered, and how many of them are people.
 */
export function tellIfForPeople(
  { plan, scope }: { readonly plan: GatePlan; readonly scope: WorkScope<PhaseContext, GateOutcome> },
  { people, waitsFor }: { readonly people: number; readonly waitsFor: number },
): void {
  if (people === 0 || people < waitsFor || people === plan.reviewers.length || scope.isStopped) return;
  const { origin, attempt } = scope.input;
  const { phase, generation, edition } = origin;
  if (!countsAllTime({ edition })) scope.report({ type: 'review.waiting', phase: phase.name, generation, attempt });
}
