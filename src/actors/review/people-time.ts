/**
 * Reviews that wait for people alone, so that their time is no time of work.
 *
 * @module
 */
import type { PhaseContext } from '../../machines/phase/phase-context.ts';
import type { GateOutcome } from '../../machines/phase/ports.ts';
import type { PhaseWork } from '../../model/definition/compile.ts';
import { countsAllTime } from '../../model/plan/edition.ts';
import type { GatePlan, TaskPlan } from '../../model/plan/plan.ts';
import type { WorkScope } from '../work/work-scope.ts';

/** If a reviewer is a person. */
export function asksPerson({ reviewers }: PhaseWork, { name }: TaskPlan): boolean {
  return reviewers.get(name)?.byPerson === true;
}

/**
 * Says that just people have not answered yet, if the records do not tell: some reviewers are no people, or have answered before.
 *
 * @param open Reviewers that have not answered.
 */
export function tellIfForPeople(gate: AskedGate, open: ReadonlySet<TaskPlan>): void {
  const { plan, work, scope } = gate;
  const { origin, attempt } = scope.input;
  const { phase, generation, edition } = origin;
  if (open.size === 0 || open.size === plan.reviewers.length || scope.isStopped || countsAllTime({ edition })) return;
  for (const one of open) if (!asksPerson(work, one)) return;
  scope.report({ type: 'review.waiting', phase: phase.name, generation, attempt });
}

// --- internal ---

interface AskedGate {
  readonly plan: GatePlan;
  readonly work: PhaseWork;
  readonly scope: WorkScope<PhaseContext, GateOutcome>;
}
