/**
 * The plan that a run continues with: that of its definition, with the run's own limits.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import { refuseUncounted } from '../../model/definition/uncounted-limits.ts';
import type { EventOf, RunRecord } from '../../model/events/event.ts';
import { guardRedact } from '../../model/events/guard-redact.ts';
import { redactSecrets, type Redact } from '../../model/events/redact.ts';
import { checkLimits, lowered } from '../../model/events/run-limits.ts';
import { planForStoredRun } from '../../model/plan/former-plan.ts';
import { planChanges } from '../../model/plan/plan-diff.ts';
import { fingerprintLike, type Plan } from '../../model/plan/plan.ts';
import type { Limits } from '../../model/plan/policy-schema.ts';
import { checkUnchanged, maskedBy } from './compatible-plan.ts';
import { runChanged } from './not-resumable.ts';

/** The facts about a stored run that its next plan depends on. */
export interface StoredRun {
  readonly runId: string;
  readonly records: readonly RunRecord[];
  readonly first: EventOf<'run.started'>;
  /** Its current definition. */
  readonly known: Pick<EventOf<'run.started'>, 'plan' | 'fingerprint'>;
}

/** Options of {@link nextPlan}. */
export interface NextOptions {
  readonly allowChanged?: boolean | undefined;
  readonly redact?: Redact | undefined;
  /** Each replaces the same limit of the run. */
  readonly limits?: Limits | undefined;
}

/** A plan to continue with. */
export interface NextPlan {
  readonly plan: Plan;
  /** True if it differs from the current plan of the run. */
  readonly isChanged: boolean;
  /** True if only limits of the run differ. */
  readonly isLimited: boolean;
}

/** Computes the next plan. @throws PhasegateError if the run must not continue with it, as `resumeRun` does. */
export function nextPlan(
  { runId, records, first, known }: StoredRun,
  { plan: made, name, work }: Pick<Pipeline, 'plan' | 'name' | 'work'>,
  { allowChanged = false, redact = redactSecrets, limits }: NextOptions,
  how: 'resume' | 'retry',
): NextPlan {
  checkLimits(limits, how);
  const own = planForStoredRun(made, { edition: first.edition ?? 1 });
  const { runLimits } = known.plan;
  const usual = lowered(own, runLimits);
  const isOther = fingerprintLike(usual, known) !== known.fingerprint;
  const mask = maskedBy(guardRedact(redact), first);
  if (isOther && !allowChanged) throw runChanged(runId, name, visibleChanges(mask(known.plan), mask(usual)), how);
  const plan = limits ? lowered(own, { ...runLimits, ...limits }) : usual;
  if (limits) refuseUncounted(plan, work);
  const isChanged = fingerprintLike(plan, known) !== known.fingerprint;
  if (isChanged) checkUnchanged(runId, [known.plan, plan].map(mask), records, how);
  return { plan, isChanged, isLimited: isChanged && !isOther };
}

// --- internal ---

/** Returns the differences between two masked plans that are known to differ. */
function visibleChanges(before: Plan, after: Plan): readonly string[] {
  const changes = planChanges(before, after);
  return changes.length > 0 ? changes : ['a text that `redact` masks'];
}
