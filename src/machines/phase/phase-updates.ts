/**
 * Updates of the context of the phase machine.
 *
 * @module
 */
import type { Decision } from '../../model/decision/decision.ts';
import { errorInfo } from '../../model/errors/phasegate-error.ts';
import type { Verdict } from '../../model/events/event.ts';
import type { Outputs } from '../../model/handlers/task.ts';
import { isBefore } from '../../model/plan/edition.ts';
import { findingsAfter } from '../../model/review/open-issues.ts';
import type { Recollection } from '../../model/revision/revision-extras.ts';
import { mergeCorrections, type Revision } from '../../model/revision/revision.ts';
import { byName } from '../../model/values/by-name.ts';
import { UNREVIEWED, type Background, type PhaseContext, type PhaseStart } from './phase-context.ts';
import { correctionOf } from './phase-guards.ts';
import { remember, withHistory, type PhaseMemory } from './phase-memory.ts';
import type { AttemptOutcome, GateOutcome } from './ports.ts';
import { isUnchanged } from './repetition.ts';

/** Returns the fields of a start from new inputs: those of earlier attempts are reset. Totals are kept. */
export function restartFields(
  { attempt, revision, previous, inputs, gated = true, memory, unchanged }: PhaseStart,
  context: PhaseContext,
  recollection: Recollection | undefined,
): Partial<PhaseContext> {
  // If a rewind brings issues of the requester itself, they are about the attempt that found them.
  const judged = revision ? (previous ?? context.outputs ?? undefined) : undefined;
  return {
    ...attemptFields(attempt, revision, judged),
    inputs,
    gated,
    renewals: context.renewals + 1,
    retries: 0,
    best: null,
    memory: withHistory(memory ?? context.memory, revision),
    background: { unchanged: memory ? unchanged : context.background.unchanged, recollection },
  };
}

/** Returns the fields of the next attempt on the same inputs, with the latest demand as its revision. */
export function nextFields(
  { attempt, memory: { history }, outputs, previous, background }: PhaseContext,
  recollection: Recollection | undefined,
): Partial<PhaseContext> {
  const revision = mergeCorrections(attempt + 1, history.slice(-1), history.slice(0, -1));
  const fields = attemptFields(attempt + 1, revision, outputs ?? previous);
  if (!recollection && !background.recollection) return fields;
  return { ...fields, background: { ...background, recollection } };
}

/** Returns the fields of an attempt that has ended. */
export function outcomeFields(
  context: PhaseContext,
  outcome: AttemptOutcome,
): Partial<Pick<PhaseContext, 'outputs' | 'review' | 'error' | 'background'>> {
  if (outcome.type === 'failed') return { error: outcome.error };
  const background = backgroundAfter(context, outcome);
  if (outcome.type === 'done')
    return background === context.background ? { outputs: outcome.outputs } : { outputs: outcome.outputs, background };
  const { phase, feedback } = outcome;
  const verdict = { type: 'retryPredecessor', phase, feedback } as const;
  return { review: { verdict, by: 'worker', verdicts: {}, checked: false, errors: 0 }, background };
}

/** Input of the next attempt of a phase. */
export interface Restart {
  /** New inputs; absent if the attempt has the same. */
  readonly start?: PhaseStart | undefined;
  /** Traces of earlier attempts; absent if there are none. */
  readonly recollection?: Recollection | undefined;
}

/** A person's decision. */
export interface PersonDecision {
  readonly decision: Decision;
  /** The person who decided, if known. */
  readonly who?: string | undefined;
  /** With an approval: outputs that replace those of the attempt, by task. */
  readonly outputs?: Outputs | undefined;
  /** Phases that may be sent back, in topological order, if the decision has issues. */
  readonly targets?: readonly string[] | undefined;
}

/** Returns the fields of a person's decision. */
export function decisionFields(
  { review, outputs, memory, background }: PhaseContext,
  { decision, who, outputs: edited, targets }: PersonDecision,
): Partial<PhaseContext> {
  const { targets: _, ...rest } = review;
  const signed = {
    ...rest,
    verdict: decision,
    by: 'person' as const,
    ...(who !== undefined && { who }),
    ...(targets && { targets }),
  };
  const fields = {
    held: null,
    memory: remember(memory, { type: 'review.decided', ...signed }),
    // Any decision of a person is another chance.
    background: background.unchanged ? { ...background, unchanged: undefined } : background,
  };
  if (!edited) return { ...fields, review: signed };
  return { ...fields, review: { ...signed, edited }, outputs: byName(Object.entries({ ...outputs, ...edited })) };
}

/** Returns the fields of a review. */
export function reviewFields(
  context: PhaseContext,
  { verdict, verdicts, checked = false, edited, failedChecks, repeats }: GateOutcome,
): Partial<Pick<PhaseContext, 'review' | 'best' | 'outputs' | 'memory'>> {
  const judged = { verdict, by: 'gate' as const, verdicts, checked, errors: context.review.errors };
  const memory = remember(context.memory, { type: 'review.decided', verdict, verdicts, by: 'gate', repeats });
  const { closed } = findingsAfter(context.memory.findings, judged);
  const accepted = closed.flatMap(({ finding, as }) => (as === 'accepted' ? finding.id : []));
  const checkedReview = failedChecks ? { ...judged, failedChecks } : judged;
  const review = accepted.length > 0 ? { ...checkedReview, accepted } : checkedReview;
  if (!edited) return { review, best: bestOf(context, verdict), memory };
  const outputs = byName(Object.entries({ ...context.outputs, ...edited }));
  return { review: { ...review, edited }, outputs, best: bestOf({ ...context, outputs }, verdict), memory };
}

/** Converts the error of a review into an unavailable verdict. */
export function crashed(thrown: unknown): GateOutcome {
  return { verdict: { type: 'unavailable', error: errorInfo(thrown) }, verdicts: {} };
}

/** Returns the best attempt so far: this one if it has the best score. */
export function bestOf({ best, outputs }: PhaseContext, verdict: Verdict): PhaseContext['best'] {
  const score = bestScore(best, verdict);
  return score === undefined || outputs === null ? best : { score, outputs };
}

/** Returns the score of a verdict if it is the best so far, or equal to it; else `undefined`. */
export function bestScore(best: { readonly score: number } | null | undefined, verdict: Verdict): number | undefined {
  const score = 'score' in verdict ? verdict.score : undefined;
  return score === undefined || (best && best.score > score) ? undefined : score;
}

/** Returns the fields of a phase that asks for a retry. A person's retry costs nothing. */
export function retryFields(context: PhaseContext): Partial<PhaseContext> {
  return {
    retries: context.retries + (context.review.by === 'person' ? 0 : 1),
    memory: remember(context.memory, { type: 'phase.retrying', correction: correctionOf(context) }),
  };
}

/** Returns the fields of a phase that asks for a rewind. A person's rewind costs nothing. */
export function rewindFields({ memory, review: { verdict, by } }: PhaseContext): Partial<PhaseContext> {
  if (verdict?.type !== 'retryPredecessor' || by === 'person') return {};
  return {
    memory: remember(memory, {
      type: 'phase.rewinding',
      target: verdict.phase,
      spent: spentOn(memory, verdict.phase) + 1,
    }),
  };
}

/** The order to wait for a person. */
export interface PauseOrder {
  readonly reason: string;
  readonly made?: boolean | undefined;
}

/** Takes back a correction that the coordinator does not allow: it was not made, so it costs nothing. */
export function heldFields({ review, retries, memory }: PhaseContext, held: string): Partial<PhaseContext> {
  const { verdict, by } = review;
  if (by === 'person') return { held };
  if (verdict?.type === 'retry')
    return { held, retries: retries - 1, memory: { ...memory, history: memory.history.slice(0, -1) } };
  if (verdict?.type !== 'retryPredecessor') return { held };
  const spent = spentOn(memory, verdict.phase) - 1;
  return { held, memory: remember(memory, { type: 'phase.rewinding', target: verdict.phase, spent }) };
}

// --- internal ---

function spentOn({ rewinds }: PhaseMemory, target: string): number {
  return rewinds[target] ?? 0;
}

/** Adds the baseline of an attempt, and counts unchanged outputs. Other outputs end the row. */
function backgroundAfter(
  { origin, background, revision, previous }: PhaseContext,
  outcome: Exclude<AttemptOutcome, { readonly type: 'failed' }>,
): Background {
  const known = outcome.baseline ? { ...background, baseline: outcome.baseline } : background;
  const { name } = origin.phase;
  const before = background.unchanged?.[name] ?? 0;
  const isAgain = revision !== undefined && outcome.type === 'done' && isUnchanged(outcome.outputs, previous);
  if (isBefore(origin, 3) || (!isAgain && before === 0)) return known;
  return {
    ...known,
    unchanged: byName([...Object.entries(background.unchanged ?? {}), [name, isAgain ? before + 1 : 0]]),
  };
}

/** Returns the fields of a new attempt. */
function attemptFields(attempt: number, revision: Revision | undefined, previous: Outputs | undefined) {
  return { attempt, revision, previous, outputs: null, review: UNREVIEWED, error: null, held: null };
}
