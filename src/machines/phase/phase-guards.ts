/**
 * Guards of the phase machine: its budgets, and the demands of its verdict.
 *
 * @module
 */
import type { EventOf } from '../../model/events/event.ts';
import { isBefore, isFirstEdition } from '../../model/plan/edition.ts';
import type { GatePlan } from '../../model/plan/plan.ts';
import { countOf } from '../../model/plan/policy.ts';
import { routeCorrections } from '../../model/review/change-request.ts';
import { stalled } from '../../model/review/open-issues.ts';
import {
  remainingFeedbackOf,
  NO_REMAINING_FEEDBACK,
  type RemainingFeedback,
} from '../../model/review/remaining-feedback.ts';
import { isDemand, isMissing, isPermanent, type Demand } from '../../model/review/verdict.ts';
import type { Correction, Rider } from '../../model/revision/revision.ts';
import type { PhaseContext } from './phase-context.ts';
import type { Rewind } from './phase-memory.ts';

/** Returns the gate of the phase. */
export function gateOf({ origin }: PhaseContext): GatePlan | null {
  return origin.phase.gate;
}

/** Returns the retries that the gate may still ask for. It does not bind a person. */
export function retriesLeft(context: PhaseContext): number {
  const gate = gateOf(context);
  return gate ? countOf(gate.maxRetries) - context.retries : 0;
}

/** Returns the times that the phase may still send back another; 0 if that is not allowed at all. */
export function rewindsLeft(context: PhaseContext, target: string): number {
  const gate = gateOf(context);
  if (!gate?.targets.includes(target)) return 0;
  return countOf(gate.maxPredecessorRetries) - (context.memory.rewinds[target] ?? 0);
}

/** True if the verdict is no decision: the review has to be asked again. */
export function isUnanswered(context: PhaseContext): boolean {
  const { verdict, by } = context.review;
  if (verdict === null) return false;
  const gate = gateOf(context);
  const isAstray = by === 'gate' && gate?.onInvalidTarget === 'ask' && hasInvalidTarget(context);
  return isAstray || isMissing(verdict, gate?.onUnrecognised ?? 'ask');
}

/** True if the verdict sends back a phase that may not be sent back. A person's choice was checked when it was made. */
export function hasInvalidTarget(context: PhaseContext): boolean {
  const { verdict, by } = context.review;
  if (by === 'person' || verdict?.type !== 'retryPredecessor') return false;
  return !(gateOf(context)?.targets.includes(verdict.phase) ?? false);
}

/** Returns the correction for the history of the phase that is sent back. */
export function correctionOf(context: PhaseContext): Correction {
  const { origin, attempt, review } = context;
  const { verdict } = review;
  if (!verdict || !isDemand(verdict)) return { attempt, from: origin.phase.name, feedback: '' };
  return routeCorrections(verdict, origin.phase.name, attempt, targetsOf(context), remainingFeedbackIn(context))
    .correction;
}

/** Returns the corrections of the verdict for other phases than the one that is sent back. */
export function ridersOf(context: PhaseContext): readonly Rider[] {
  const { origin, attempt, review } = context;
  const { verdict } = review;
  if (verdict?.type !== 'retryPredecessor') return [];
  return routeCorrections(verdict, origin.phase.name, attempt, targetsOf(context), remainingFeedbackIn(context)).riders;
}

/** Returns the demands of reviewers that are not in the verdict. */
export function remainingFeedbackIn({ origin, review }: PhaseContext): RemainingFeedback {
  const { verdict, verdicts, by } = review;
  const { name, gate } = origin.phase;
  if (!gate || !verdict || !isDemand(verdict) || isFirstEdition(origin)) return NO_REMAINING_FEEDBACK;
  return remainingFeedbackOf({ verdict, verdicts, by }, name, gate);
}

/** A loop that a gate repeats. */
export type Loop = Pick<EventOf<'loop.detected'>, 'kind' | 'issues' | 'rewinds' | 'times'>;

/**
 * Returns the loop that a demand would continue: issues that stay open, demands in the same words, attempts with the same outputs, or
 * rewinds that alternate.
 */
export function loopOf(context: PhaseContext): Loop | undefined {
  const { origin, memory, review } = context;
  const { verdict, by } = review;
  if (by === 'person' || !verdict || !isDemand(verdict)) return undefined;
  const most = countOf(gateOf(context)?.loopAfter ?? 'unlimited');
  if (most === Infinity) return undefined;
  const open = by === 'gate' && verdict.issues ? stalled(memory.findings, verdict.issues, most) : [];
  if (open.length > 0) return { kind: 'issue', issues: open.map((one) => one.id), rewinds: [] };
  const repeated = by === 'gate' && !isBefore(origin, 3) ? repetition(context, verdict, most) : undefined;
  if (repeated || verdict.type !== 'retryPredecessor') return repeated;
  const rewinds = [...memory.recentRewinds.slice(-3), { from: origin.phase.name, to: verdict.phase }];
  return alternates(rewinds) ? { kind: 'rewind', issues: [], rewinds } : undefined;
}

/** True if an attempt is accepted although its budget is spent. */
export function acceptsExhausted(context: PhaseContext): boolean {
  const onExhausted = gateOf(context)?.onExhausted;
  return onExhausted === 'accept' || onExhausted === 'acceptBest';
}

/** True if the review is unavailable, and may be asked again. */
export function mayAskAgain(context: PhaseContext): boolean {
  const { verdict, errors } = context.review;
  const isOpen = verdict !== null && isUnanswered(context) && !isPermanent(verdict);
  return isOpen && errors < countOf(gateOf(context)?.maxReviewErrors ?? 0);
}

/** True if the verdict retries the phase, and its budget allows that. */
export function mayRetry(context: PhaseContext): boolean {
  const { verdict, by } = context.review;
  return verdict?.type === 'retry' && (by === 'person' || (retriesLeft(context) > 0 && !loopOf(context)));
}

/** True if the verdict sends back an earlier phase, and the budget allows that. */
export function mayRewind(context: PhaseContext): boolean {
  const { verdict, by } = context.review;
  if (verdict?.type !== 'retryPredecessor') return false;
  return by === 'person' || (rewindsLeft(context, verdict.phase) > 0 && !loopOf(context));
}

// --- internal ---

/** Finds demands in the same words, or attempts with the same outputs, so often in a row. Checks see more than outputs: theirs need both. */
function repetition(
  { origin, memory, background, review }: PhaseContext,
  demand: Demand,
  most: number,
): Loop | undefined {
  const repeats = memory.lastDemand?.repeats ?? 0;
  const same = background.unchanged?.[demand.type === 'retry' ? origin.phase.name : demand.phase] ?? 0;
  const [saysSame, doesSame] = [repeats >= most, same >= most];
  if (review.failedChecks && !(saysSame && doesSame)) return undefined;
  if (doesSame) return { kind: 'unchanged', issues: [], rewinds: [], times: same };
  return saysSame ? { kind: 'feedback', issues: [], rewinds: [], times: repeats } : undefined;
}

function targetsOf(context: PhaseContext): readonly string[] {
  return context.review.targets ?? gateOf(context)?.targets ?? [];
}

/** True if the last two of four rewinds repeat the first two, which differ. */
function alternates([first, second, third, fourth]: readonly Rewind[]): boolean {
  if (!first || !second || !third || !fourth) return false;
  return isSameRewind(first, third) && isSameRewind(second, fourth) && !isSameRewind(first, second);
}

function isSameRewind(one: Rewind, other: Rewind): boolean {
  return one.from === other.from && one.to === other.to;
}
