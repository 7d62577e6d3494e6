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
import { findingsAfter, type Judgement } from '../../model/review/open-issues.ts';
import type { Recollection } from '../../model/revision/revision-extras.ts';
import { mergeCorrections, type Revision } from '../../model/revision/revision.ts';
import { byName } from '../../model/values/by-name.ts';
import { UNREVIEWED, type Past, type PhaseContext, type PhaseStart } from './phase-context.ts';
import type { AttemptOutcome, Baseline, GateOutcome } from './ports.ts';
import { demandAfter, isUnchanged } from './repeats.ts';

/** What a fresh start changes: the inputs and all that belongs to the attempts before. Totals are kept. */
export function restartFields(
  { attempt, revision, previous, inputs, gated = true, news }: PhaseStart,
  { history, renewals, rewinds, past, outputs }: PhaseContext,
  recollection: Recollection | undefined,
) {
  const fields = {
    inputs,
    gated,
    renewals: renewals + 1,
    retries: 0,
    best: null,
    history: revision?.history ?? history,
    rewinds: news?.rewinds ?? rewinds,
    past: {
      findings: past.findings,
      recentRewinds: news?.recentRewinds ?? past.recentRewinds,
      mustPassChecks: news?.mustPassChecks ?? past.mustPassChecks,
      lastDemand: past.lastDemand,
      unchanged: news ? news.unchanged : past.unchanged,
      recollection,
    },
  };
  // Where a rewind brings issues of the requester itself, they speak of the attempt that found them.
  const judged = revision ? (previous ?? outputs ?? undefined) : undefined;
  return Object.assign(fields, attemptFields(attempt, revision, judged));
}

/** What the next attempt on the same inputs changes: it is told what was demanded of the one before. */
export function nextFields(
  { attempt, history, outputs, previous, past }: PhaseContext,
  recollection: Recollection | undefined,
) {
  const revision = mergeCorrections(attempt + 1, history.slice(-1), history.slice(0, -1));
  const fields = attemptFields(attempt + 1, revision, outputs ?? previous);
  return recollection || past.recollection
    ? Object.assign(fields, { past: Object.assign({}, past, { recollection }) })
    : fields;
}

/** What the machine keeps of an attempt. */
export function outcomeFields(
  context: PhaseContext,
  outcome: AttemptOutcome,
): Partial<Pick<PhaseContext, 'outputs' | 'review' | 'error' | 'past'>> {
  const past = withUnchanged(context, outcome);
  switch (outcome.type) {
    case 'done': {
      const { outputs, baseline } = outcome;
      if (baseline) return { outputs, past: withBaseline(past, baseline) };
      return past === context.past ? { outputs } : { outputs, past };
    }
    case 'failed':
      return { error: outcome.error };
    case 'rework': {
      const { phase, feedback, baseline } = outcome;
      const verdict = { type: 'retryPredecessor', phase, feedback } as const;
      const review = { verdict, by: 'worker', verdicts: {}, checked: false, errors: 0 } as const;
      if (baseline) return { review, past: withBaseline(past, baseline) };
      return past === context.past ? { review } : { review, past };
    }
  }
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
export function decisionFields({ review, outputs, past }: PhaseContext, ruling: PersonDecision) {
  const { decision, who, outputs: edited, targets } = ruling;
  const { targets: _, ...rest } = review;
  const signed = {
    ...rest,
    verdict: decision,
    by: 'person' as const,
    ...(who !== undefined && { who }),
    ...(targets && { targets }),
  };
  // Whatever a person decides, it is another chance.
  const { unchanged: __, ...before } = past;
  const fields = { held: null, past: judgedPast(past.unchanged ? before : past, signed).past };
  if (!edited) return { ...fields, review: signed };
  return { ...fields, review: { ...signed, edited }, outputs: byName(Object.entries({ ...outputs, ...edited })) };
}

/** What the machine keeps of a review. */
export function reviewFields(
  context: PhaseContext,
  { verdict, verdicts, checked = false, edited, failedChecks }: GateOutcome,
): Partial<Pick<PhaseContext, 'review' | 'best' | 'outputs' | 'past'>> {
  const judged = { verdict, by: 'gate' as const, verdicts, checked, errors: context.review.errors };
  const { past, closed } = judgedPast(context.past, judged);
  const accepted = closed.flatMap(({ finding, as }) => (as === 'accepted' ? finding.id : []));
  const told = failedChecks ? { ...judged, failedChecks } : judged;
  const review = accepted.length > 0 ? { ...told, accepted } : told;
  if (!edited) return { review, best: bestOf(context, verdict), past };
  const outputs = byName(Object.entries({ ...context.outputs, ...edited }));
  return { review: { ...review, edited }, outputs, best: bestOf({ ...context, outputs }, verdict), past };
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

/** What the phase has spent on each target, this rewind included; a person's is for free. */
export function countedRewinds({ rewinds, review: { verdict, by } }: PhaseContext): PhaseContext['rewinds'] {
  if (verdict?.type !== 'retryPredecessor' || by === 'person') return rewinds;
  return byName([...Object.entries(rewinds), [verdict.phase, (rewinds[verdict.phase] ?? 0) + 1]]);
}

/** Why a phase is held, and whether the correction it waits on was made already. */
export interface PauseOrder {
  readonly reason: string;
  readonly made?: boolean | undefined;
}

/** A correction that the pipeline does not allow is taken back: it was not made, so nothing is spent on it. */
export function heldFields({ review, retries, rewinds, history }: PhaseContext, held: string) {
  const { verdict, by } = review;
  if (by === 'person') return { held };
  if (verdict?.type === 'retry') return { held, retries: retries - 1, history: history.slice(0, -1) };
  if (verdict?.type !== 'retryPredecessor') return { held };
  return { held, rewinds: byName([...Object.entries(rewinds), [verdict.phase, (rewinds[verdict.phase] ?? 1) - 1]]) };
}

// --- internal ---

function withBaseline(past: Past, baseline: Baseline): Past {
  return Object.assign({}, past, { baseline });
}

/** What the phase remembers after a judgement. Most gates approve, and nothing is made anew then. */
function judgedPast(past: Past, judgement: Judgement) {
  const { open: findings, closed } = findingsAfter(past.findings, judgement);
  const lastDemand = demandAfter(past.lastDemand, judgement);
  const isSame = findings === past.findings && lastDemand === past.lastDemand;
  return { past: isSame ? past : Object.assign({}, past, { findings, lastDemand }), closed };
}

/** Counts an attempt that has put out what was sent back; any other ends the row. */
function withUnchanged({ origin, past, revision, previous }: PhaseContext, outcome: AttemptOutcome): Past {
  const { name } = origin.phase;
  const before = past.unchanged?.[name] ?? 0;
  const isAgain = revision !== undefined && outcome.type === 'done' && isUnchanged(outcome.outputs, previous);
  if (isBefore(origin, 3) || (!isAgain && before === 0)) return past;
  const unchanged = byName([...Object.entries(past.unchanged ?? {}), [name, isAgain ? before + 1 : 0]]);
  return Object.assign({}, past, { unchanged });
}

/** A new attempt, of which nothing is known yet. */
function attemptFields(attempt: number, revision: Revision | undefined, previous: Outputs | undefined) {
  return { attempt, revision, previous, outputs: null, review: UNREVIEWED, error: null, held: null };
}
