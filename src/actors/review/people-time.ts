/**
 * Reviews that wait for people only, so that this time does not count as work.
 *
 * @module
 */
import type { PhaseContext } from '../../machines/phase/phase-context.ts';
import type { GateOutcome } from '../../machines/phase/ports.ts';
import type { PhaseWork } from '../../model/definition/compile.ts';
import { countsAllTime } from '../../model/plan/edition.ts';
import type { Verdict } from '../../model/events/event.ts';
import type { GatePlan, TaskPlan } from '../../model/plan/plan.ts';
import { byName } from '../../model/values/by-name.ts';
import type { WorkScope } from '../work/work-scope.ts';

/** True if a reviewer is a person. */
export function asksPerson({ reviewers }: PhaseWork, { name }: TaskPlan): boolean {
  return reviewers.get(name)?.byPerson === true;
}

/**
 * Reports that only people have not answered yet, unless the records show it already: all reviewers are unanswered people.
 *
 * @param open Reviewers that have not answered.
 * @param answers Answers of this review so far, by reviewer.
 */
export function reportIfForPeople(
  gate: AskedGate,
  open: ReadonlySet<TaskPlan>,
  answers: Readonly<Record<string, Verdict>>,
): void {
  const { plan, work, scope } = gate;
  if (scope.progress?.verdicts) return;
  const { origin, attempt } = scope.input;
  const { phase, generation, edition } = origin;
  if (open.size === 0 || open.size === plan.reviewers.length || scope.isStopped || countsAllTime({ edition })) return;
  for (const one of open) if (!asksPerson(work, one)) return;
  // The answers of people are records of their own.
  const others = plan.reviewers.filter((one) => Object.hasOwn(answers, one.name) && !asksPerson(work, one));
  const verdicts = byName(others.flatMap(({ name }) => (answers[name] ? [[name, answers[name]]] : [])));
  scope.report({ type: 'review.waiting', phase: phase.name, generation, attempt, verdicts });
}

// --- internal ---

interface AskedGate {
  readonly plan: GatePlan;
  readonly work: PhaseWork;
  readonly scope: WorkScope<PhaseContext, GateOutcome>;
}
