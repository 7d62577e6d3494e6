/**
 * Decisions, limits and ends that can occur in a run of a plan.
 *
 * Decisions of people have no budgets. They are left out of all counts here.
 *
 * @module
 */
import { analyze } from '../../model/analysis/analyze.ts';
import type { PersonOf } from '../../model/definition/people.ts';
import { limit } from '../../model/events/event-schemas.ts';
import type { RunStatus } from '../../model/events/event.ts';
import type { InboxPolicy } from '../../model/plan/inbox-policy.ts';
import type { GatePlan, PhasePlan, Plan } from '../../model/plan/plan.ts';
import type { LimitName } from '../../model/plan/policy-schema.ts';
import { countOf } from '../../model/plan/policy.ts';

/** Possible outcomes of one gate. */
export interface PossibleOutcomes {
  readonly retryGranted: boolean;
  readonly retryRefused: boolean;
  /** Of each phase that the gate may send back. */
  readonly rewindGranted: boolean;
  readonly rewindRefused: boolean;
  readonly againGranted: boolean;
  /** True if reviewers can reject, escalate, or send back a phase. Checks cannot. */
  readonly hasReviewers: boolean;
  /** True if a reviewer can answer without a verdict. A person cannot. */
  readonly unreadable: boolean;
  /** True if a reviewer or a check can throw. A person cannot. */
  readonly reviewError: boolean;
  readonly againRefused: boolean;
  readonly questionAnswered: boolean;
  readonly questionExpired: boolean;
}

/**
 * Returns the possible outcomes of the gate of a phase.
 *
 * @param personOf The people among the reviewers, as far as they are known. Others may fail.
 */
export function possibleOutcomes(
  plan: Plan,
  { name, gate }: GatedPhase,
  personOf: PersonOf = nobody,
): PossibleOutcomes {
  const { corrections = Infinity, perPair = Infinity } = plan.limits;
  const attempts = hardAttempts(plan);
  const [retries, rewinds] = [countOf(gate.maxRetries), countOf(gate.maxPredecessorRetries)];
  const hasReviewers = gate.reviewers.length > 0;
  const people = gate.reviewers.flatMap((one) => personOf(name, one.name) ?? []);
  const hasMachines = people.length < gate.reviewers.length;
  // Too little confidence is never asked for, so a gate of people alone is not asked to review again.
  const mayFail = hasMachines || gate.checks.length > 0;
  // An issue makes a loop one demand before the same words do. Checks find no issues.
  const loop = countOf(gate.loopAfter) - (hasReviewers ? 1 : 0);
  // A refused demand comes after as many granted ones as the budget has, or as make a loop.
  const [beforeRetry, beforeRewind] = [Math.min(retries, loop), Math.min(rewinds, loop)];
  const retryRefused = beforeRetry <= Math.min(corrections, attempts - 1) && beforeRetry < Infinity;
  const rewindRefused = beforeRewind <= Math.min(corrections, perPair, attempts - 1) && beforeRewind < Infinity;
  const asksPerson = hasReviewers || (gate.onExhausted === 'escalate' && retryRefused) || mayAskOtherwise(plan, gate);
  return {
    retryGranted: Math.min(retries, corrections, attempts - 1) > 0,
    retryRefused,
    rewindGranted: hasReviewers && Math.min(rewinds, corrections, perPair) > 0,
    rewindRefused: hasReviewers && rewindRefused,
    againGranted: mayFail && countOf(gate.maxReviewErrors) > 0,
    againRefused: mayFail,
    hasReviewers,
    unreadable: hasMachines,
    reviewError: mayFail,
    questionAnswered: asksPerson,
    questionExpired: people.some(mayExpire) || (asksPerson && mayExpire(gate.inbox)),
  };
}

/** A phase with a gate. */
export interface GatedPhase {
  readonly name: string;
  readonly gate: GatePlan;
}

/** True for a phase with a gate. */
export function isGated<P extends PhasePlan>(phase: P): phase is P & GatedPhase {
  return phase.gate !== null;
}

/** True if a run can reach a limit of its plan without people. Usage and time are always possible. */
export function mayReach(plan: Plan, name: LimitName): boolean {
  const { [name]: max = Infinity } = plan.limits;
  const free: Plan = { ...plan, limits: { ...plan.limits, [name]: undefined } };
  switch (name) {
    case 'corrections':
      return max < mostCorrections(free);
    case 'perPair':
      return (
        max <= (plan.limits.corrections ?? Infinity) &&
        plan.phases.some(({ gate }) => mayRewind(gate) && countOf(gate?.maxPredecessorRetries ?? 0) > max)
      );
    case 'attemptsPerPhase':
      return analyze(free).bounds.some(({ attempts }) => attempts > max);
    case 'costUsd':
    case 'tokens':
    case 'durationMs':
    case 'deadlineMs':
      return true;
  }
}

/** Lists the statuses with which a run can end. A task can always fail, and a caller can always cancel. */
export function possibleEnds(plan: Plan): readonly RunStatus[] {
  const limits = limitNames(plan).filter((name) => mayReach(plan, name) && endsRun(plan, name));
  const rejects = plan.phases.some((phase) => isGated(phase) && mayReject(plan, phase));
  return ['completed', ...(rejects ? REJECTED : []), 'failed', 'cancelled', ...(limits.length > 0 ? EXHAUSTED : [])];
}

/** Lists the limits of a plan. */
export function limitNames({ limits }: Plan): readonly LimitName[] {
  return limit.options.filter((name) => limits[name] !== undefined);
}

// --- internal ---

const REJECTED: readonly RunStatus[] = ['rejected'];
const EXHAUSTED: readonly RunStatus[] = ['exhausted'];

function nobody(): undefined {}

function mayExpire({ expireAfterMs }: InboxPolicy): boolean {
  return expireAfterMs !== undefined;
}

/** Limits that hold only the phase that makes a demand, if a person is asked. */
const OF_ONE_PHASE: ReadonlySet<LimitName> = new Set<LimitName>(['corrections', 'perPair']);

function mayRewind(gate: PhasePlan['gate']): boolean {
  return (
    gate !== null && gate.reviewers.length > 0 && gate.targets.length > 0 && countOf(gate.maxPredecessorRetries) > 0
  );
}

/** Most attempts of a phase. A person can lift the limit if it holds the run, which needs a phase that another starts again. */
function hardAttempts({ limits, onLimit, phases }: Plan): number {
  const isLifted = onLimit === 'escalate' && phases.some(({ gate }) => mayRewind(gate));
  return isLifted ? Infinity : (limits.attemptsPerPhase ?? Infinity);
}

/** True if a person can be asked for another reason than a decision of the gate. */
function mayAskOtherwise(plan: Plan, { onReviewUnavailable, inbox }: GatePlan): boolean {
  const isHeld = plan.onLimit === 'escalate' && OF_PHASES.some((name) => plan.limits[name] !== undefined);
  return isHeld || onReviewUnavailable === 'escalate' || inbox.queue !== undefined;
}

const OF_PHASES = ['corrections', 'perPair', 'attemptsPerPhase'] as const;

function mayReject(plan: Plan, phase: GatedPhase): boolean {
  const { hasReviewers, questionAnswered, retryRefused } = possibleOutcomes(plan, phase);
  return hasReviewers || questionAnswered || (retryRefused && phase.gate.onExhausted === 'reject');
}

/** True if a limit that is reached can end the run: at once, or as a person refuses to lift it. */
function endsRun(plan: Plan, name: LimitName): boolean {
  if (plan.onLimit === 'stop') return true;
  return name === 'attemptsPerPhase' ? hardAttempts(plan) === Infinity : !OF_ONE_PHASE.has(name);
}

/** Most corrections that gates can demand, the first that another limit refuses included. It may be more than a run can demand, and is never less. */
function mostCorrections(plan: Plan): number {
  const { perPair = Infinity, attemptsPerPhase = Infinity } = plan.limits;
  const { bounds } = analyze({ ...plan, limits: { perPair } });
  // This limit is asked before the others, so it is reached also by a demand that both refuse.
  let refused = 0;
  const granted = plan.phases.reduce((sum, { gate }, at) => {
    const { attempts = 0, starts = 0 } = bounds[at] ?? {};
    if (gate === null) return sum;
    const retries = countOf(gate.maxRetries) === 0 ? 0 : attempts === Infinity ? Infinity : attempts - starts;
    const rewinds = mayRewind(gate) ? countOf(gate.maxPredecessorRetries) : 0;
    if (retries > attemptsPerPhase - 1 || rewinds > perPair) refused = 1;
    return sum + Math.min(retries, attemptsPerPhase - 1) + Math.min(rewinds, perPair) * gate.targets.length;
  }, 0);
  return granted + refused;
}
