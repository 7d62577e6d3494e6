/**
 * What a phase machine keeps of what happens: the new values of its context.
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
import { isUnchanged } from './repeats.ts';

/** What a fresh start changes: the inputs and all that belongs to the attempts before. Totals are kept. */
export function restartFields(
  { attempt, revision, previous, inputs, gated = true, memory, unchanged }: PhaseStart,
  context: PhaseContext,
  recollection: Recollection | undefined,
): Partial<PhaseContext> {
  // Where a rewind brings issues of the requester itself, they speak of the attempt that found them.
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

/** What the next attempt on the same inputs changes: it is told what was demanded of the one before. */
export function nextFields(
  { attempt, memory: { history }, outputs, previous, background }: PhaseContext,
  recollection: Recollection | undefined,
): Partial<PhaseContext> {
  const revision = mergeCorrections(attempt + 1, history.slice(-1), history.slice(0, -1));
  const fields = attemptFields(attempt + 1, revision, outputs ?? previous);
  if (!recollection && !background.recollection) return fields;
  return { ...fields, background: { ...background, recollection } };
}

/** What the machine keeps of an attempt. */
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

/** What a phase is told that begins its next attempt. */
export interface Restart {
  /** New inputs; absent where it keeps those that it has. */
  readonly start?: PhaseStart | undefined;
  /** What the attempt is to recall; absent where that is nothing. */
  readonly recollection?: Recollection | undefined;
}

/** A person's decision. */
export interface PersonDecision {
  readonly decision: Decision;
  /** Who decided, as far as known. */
  readonly who?: string | undefined;
  /** With an approval: outputs that take the place of those of the attempt, by task. */
  readonly outputs?: Outputs | undefined;
  /** Phases that may be sent back, in topological order, where the decision has issues. */
  readonly targets?: readonly string[] | undefined;
}

/** What the machine keeps of a person's decision. */
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
    // Whatever a person decides, it is another chance.
    background: background.unchanged ? { ...background, unchanged: undefined } : background,
  };
  if (!edited) return { ...fields, review: signed };
  return { ...fields, review: { ...signed, edited }, outputs: byName(Object.entries({ ...outputs, ...edited })) };
}

/** What the machine keeps of a review. */
export function reviewFields(
  context: PhaseContext,
  { verdict, verdicts, checked = false, edited, failedChecks }: GateOutcome,
): Partial<Pick<PhaseContext, 'review' | 'best' | 'outputs' | 'memory'>> {
  const judged = { verdict, by: 'gate' as const, verdicts, checked, errors: context.review.errors };
  const memory = remember(context.memory, { type: 'review.decided', verdict, verdicts, by: 'gate' });
  const { closed } = findingsAfter(context.memory.findings, judged);
  const accepted = closed.flatMap(({ finding, as }) => (as === 'accepted' ? finding.id : []));
  const told = failedChecks ? { ...judged, failedChecks } : judged;
  const review = accepted.length > 0 ? { ...told, accepted } : told;
  if (!edited) return { review, best: bestOf(context, verdict), memory };
  const outputs = byName(Object.entries({ ...context.outputs, ...edited }));
  return { review: { ...review, edited }, outputs, best: bestOf({ ...context, outputs }, verdict), memory };
}

/** A review that broke is one that could not be had. */
export function crashed(thrown: unknown): GateOutcome {
  return { verdict: { type: 'unavailable', error: errorInfo(thrown) }, verdicts: {} };
}

/** Keeps this attempt where it has the best score so far. */
export function bestOf({ best, outputs }: PhaseContext, verdict: Verdict): PhaseContext['best'] {
  const score = bestScore(best, verdict);
  return score === undefined || outputs === null ? best : { score, outputs };
}

/** The score of a verdict where that is the best by now: of equals the later one. */
export function bestScore(best: { readonly score: number } | null | undefined, verdict: Verdict): number | undefined {
  const score = 'score' in verdict ? verdict.score : undefined;
  return score === undefined || (best && best.score > score) ? undefined : score;
}

/** What the phase remembers of the retry that it is about to ask for; a person's costs nothing. */
export function retryFields(context: PhaseContext): Partial<PhaseContext> {
  return {
    retries: context.retries + (context.review.by === 'person' ? 0 : 1),
    memory: remember(context.memory, { type: 'phase.retrying', correction: correctionOf(context) }),
  };
}

/** What the phase remembers of the rewind that it is about to ask for; a person's costs nothing. */
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

/** Why a phase is held, and whether the correction it waits on was made already. */
export interface PauseOrder {
  readonly reason: string;
  readonly made?: boolean | undefined;
}

/** A correction that the pipeline does not allow is taken back: it was not made, so nothing is spent on it. */
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

/** Adds what the attempt has found out of its checks, and counts one that has put out what was sent back; any other ends the row. */
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

/** A new attempt, of which nothing is known yet. */
function attemptFields(attempt: number, revision: Revision | undefined, previous: Outputs | undefined) {
  return { attempt, revision, previous, outputs: null, review: UNREVIEWED, error: null, held: null };
}
