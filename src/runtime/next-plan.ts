/**
 * The plan that a run goes on by: that of its definition, with the limits that it was given itself.
 *
 * @module
 */
import type { Pipeline } from '../model/definition/define.ts';
import type { EventOf, RunRecord } from '../model/events/event.ts';
import { guardRedact, redactSecrets, type Redact } from '../model/events/redact.ts';
import { checkLimits, lowered } from '../model/events/run-limits.ts';
import { likeKept } from '../model/plan/former-plan.ts';
import { planChanges } from '../model/plan/plan-diff.ts';
import { fingerprintLike, type Plan } from '../model/plan/plan.ts';
import type { Limits } from '../model/plan/policy.ts';
import { checkUnchanged, maskedBy } from './compatible-plan.ts';
import { runChanged } from './not-resumable.ts';

/** A run, as far as its next plan follows from it. */
export interface Kept {
  readonly runId: string;
  readonly records: readonly RunRecord[];
  readonly first: EventOf<'run.started'>;
  /** What it goes by up to now. */
  readonly known: Pick<EventOf<'run.started'>, 'plan' | 'fingerprint'>;
}

/** What a run is to go on with. */
export interface NextOptions {
  readonly allowChanged?: boolean | undefined;
  readonly redact?: Redact | undefined;
  /** Each takes the place of the same limit that the run was given before. */
  readonly limits?: Limits | undefined;
}

/** A plan to go on by. */
export interface NextPlan {
  readonly plan: Plan;
  /** Whether it is another than the run goes by up to now. */
  readonly isChanged: boolean;
  /** Whether all that is other are limits of the run. */
  readonly isLimited: boolean;
}

/** The next plan. @throws PhasegateError where the run may not go on by it, as `resumeRun` does. */
export function nextPlan(
  { runId, records, first, known }: Kept,
  { plan: made, name }: Pick<Pipeline, 'plan' | 'name'>,
  { allowChanged = false, redact = redactSecrets, limits }: NextOptions,
  how: 'resume' | 'retry',
): NextPlan {
  checkLimits(limits);
  const own = likeKept(made, { edition: first.edition ?? 1 });
  const { runLimits } = known.plan;
  const usual = lowered(own, runLimits);
  const isOther = fingerprintLike(usual, known) !== known.fingerprint;
  if (isOther && !allowChanged) throw runChanged(runId, name, planChanges(known.plan, usual), how);
  const plan = limits ? lowered(own, { ...runLimits, ...limits }) : usual;
  const isChanged = fingerprintLike(plan, known) !== known.fingerprint;
  if (isChanged) checkUnchanged(runId, [known.plan, plan].map(maskedBy(guardRedact(redact), first)), records, how);
  return { plan, isChanged, isLimited: isChanged && !isOther };
}
