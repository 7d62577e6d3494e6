/**
 * What a phase machine knows, and the rules that are read from it. All of it is JSON.
 *
 * @module
 */
import type { ErrorInfo } from '../model/errors.ts';
import type { DecidedBy, EventOf, Verdict } from '../model/event.ts';
import type { PhasePlan } from '../model/plan.ts';
import { countOf } from '../model/policy.ts';
import { mergeCorrections, type Correction, type Revision } from '../model/revision.ts';
import type { Inputs, Outputs } from '../model/task-types.ts';
import { isMissing } from '../model/verdict.ts';

/** What starts an attempt from new inputs: at birth, and whenever a predecessor was sent back. */
export interface Start {
  /** How often the phase was sent back since it started afresh; 0, unless a later phase waits for its answer. */
  readonly attempt: number;
  /** What the attempt should do differently. */
  readonly revision?: Revision | undefined;
  /** Outputs that the revision speaks of, by task. */
  readonly previous?: Outputs | undefined;
  /** Committed outputs of the ancestors, by phase, then task. */
  readonly inputs: Inputs;
}

/** What a phase machine is started with. */
export interface PhaseInput extends Start {
  /** The id of the run. */
  readonly run: string;
  readonly phase: PhasePlan;
  /** How often the phase was sent back by a later one or invalidated. @default 0 */
  readonly generation?: number | undefined;
  /** The input of the run. */
  readonly input?: unknown;
  /** Whether its gate is asked. `regate: false` of a later phase turns it off. @default true */
  readonly gated?: boolean | undefined;
  /** Whether a person can be reached when a review cannot be had. @default false */
  readonly attended?: boolean | undefined;
  /** How often this phase has sent back each predecessor so far, over all generations. @default {} */
  readonly rewinds?: Readonly<Record<string, number>> | undefined;
  /** Every correction of this phase so far, oldest first. @default [] */
  readonly history?: readonly Correction[] | undefined;
}

/** Why a phase is held for a person. */
export type EscalationCause = EventOf<'phase.escalated'>['because'];

/** Everything a phase machine knows. JSON: any snapshot survives storage. */
export interface PhaseContext extends Start {
  readonly run: string;
  readonly phase: PhasePlan;
  readonly generation: number;
  readonly input: unknown;
  readonly gated: boolean;
  readonly attended: boolean;
  readonly rewinds: Readonly<Record<string, number>>;
  readonly history: readonly Correction[];
  /** Retries its own gate has spent since it started afresh. */
  readonly retries: number;
  /** Times the review of this attempt could not be had. */
  readonly reviewErrors: number;
  /** Outputs of the latest attempt, not yet committed; `null` while the tasks run. */
  readonly outputs: Outputs | null;
  /** Answers of this attempt's reviewers that need not be asked again. */
  readonly verdicts: Readonly<Record<string, Verdict>>;
  /** The verdict that is being judged, and who gave it. */
  readonly verdict: Verdict | null;
  readonly by: DecidedBy;
  /** The best attempt so far, by score; kept for `onExhausted: 'acceptBest'`. */
  readonly best: { readonly score: number; readonly outputs: Outputs } | null;
  /** Why the tasks failed. */
  readonly error: ErrorInfo | null;
  /** Why the pipeline holds the phase, instead of letting it go on. */
  readonly held: string | null;
}

/** The context of a phase that starts. */
export function openContext(input: PhaseInput): PhaseContext {
  return {
    run: input.run,
    phase: input.phase,
    generation: input.generation ?? 0,
    input: input.input ?? null,
    gated: input.gated ?? true,
    attended: input.attended ?? false,
    rewinds: input.rewinds ?? {},
    history: input.revision?.history ?? input.history ?? [],
    inputs: input.inputs,
    retries: 0,
    best: null,
    attempt: input.attempt,
    revision: input.revision,
    previous: input.previous,
    outputs: null,
    verdicts: {},
    verdict: null,
    by: 'gate',
    reviewErrors: 0,
    error: null,
    held: null,
  };
}

/** What a fresh start changes: the inputs and all that belongs to the attempts before. Totals are kept. */
export function restartFields({ attempt, revision, previous, inputs }: Start, history: PhaseContext['history']) {
  const fields = { inputs, retries: 0, best: null, history: revision?.history ?? history };
  return Object.assign(fields, attemptFields(attempt, revision, previous));
}

/** What the next attempt on the same inputs changes: it is told what was demanded of the one before. */
export function nextFields({ attempt, history, outputs, previous }: PhaseContext) {
  const revision = mergeCorrections(attempt + 1, history.slice(-1), history.slice(0, -1));
  return attemptFields(attempt + 1, revision, outputs ?? previous);
}

/** Retries the gate may still ask for. A person's decision is not bound by it. */
export function retriesLeft({ phase, retries }: PhaseContext): number {
  return phase.gate ? countOf(phase.gate.maxRetries) - retries : 0;
}

/** Times the phase may still send back another; 0 where that is not allowed at all. */
export function rewindsLeft({ phase, rewinds }: PhaseContext, target: string): number {
  if (!phase.gate?.targets.includes(target)) return 0;
  return countOf(phase.gate.maxPredecessorRetries) - (rewinds[target] ?? 0);
}

/** Whether the verdict is none: the review has to be asked again. */
export function isUnanswered({ phase, verdict }: PhaseContext): boolean {
  return verdict !== null && isMissing(verdict, { onUnrecognised: phase.gate?.onUnrecognised ?? 'approve' });
}

/** Whether the verdict sends back a phase that may not be sent back. A person's choice was checked when it was made. */
export function aimsAstray({ phase, verdict, by }: PhaseContext): boolean {
  return (
    by !== 'person' && verdict?.type === 'retryPredecessor' && !(phase.gate?.targets.includes(verdict.phase) ?? false)
  );
}

/** The demand of the verdict, as the history of whoever is sent back will have it. */
export function correctionOf({ phase, attempt, verdict }: PhaseContext): Correction {
  const demand =
    verdict?.type === 'retry' || verdict?.type === 'retryPredecessor'
      ? verdict
      : { feedback: '', requiredChange: undefined };
  return {
    attempt,
    from: phase.name,
    feedback: demand.feedback,
    ...(demand.requiredChange !== undefined && { requiredChange: demand.requiredChange }),
  };
}

// --- internal ---

/** A new attempt, of which nothing is known yet. */
function attemptFields(attempt: number, revision: Revision | undefined, previous: Outputs | undefined) {
  const by: DecidedBy = 'gate';
  return {
    attempt,
    revision,
    previous,
    outputs: null,
    verdicts: {},
    verdict: null,
    by,
    reviewErrors: 0,
    error: null,
    held: null,
  };
}
