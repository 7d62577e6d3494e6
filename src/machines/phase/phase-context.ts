/**
 * Context and input of the phase machine. All of it is JSON.
 *
 * @module
 */
import type { ErrorInfo } from '../../model/errors/phasegate-error.ts';
import type { DecidedBy, EventOf, FailedChecks, PhaseReport, Verdict } from '../../model/events/event.ts';
import type { Inputs, Outputs } from '../../model/handlers/task.ts';
import type { PhasePlan } from '../../model/plan/plan.ts';
import type { FailedBefore } from '../../model/review/baseline.ts';
import type { Recollection } from '../../model/revision/revision-extras.ts';
import type { Revision } from '../../model/revision/revision.ts';
import { NO_MEMORY, withHistory, type PhaseMemory } from './phase-memory.ts';

/** A start from new inputs: of a new actor, and of a phase that has sent back a predecessor. */
export interface PhaseStart {
  /** Times the phase was sent back since it started afresh; 0, unless a later phase waits for its answer. */
  readonly attempt: number;
  /** The changes that the attempt should make. */
  readonly revision?: Revision | undefined;
  /** The outputs that the revision is about, by task. */
  readonly previous?: Outputs | undefined;
  /** Committed outputs of the ancestors, by phase, then task. */
  readonly inputs: Inputs;
  /** True if the gate is asked. `regate: false` of a later phase turns it off. @default true */
  readonly gated?: boolean | undefined;
  /** Facts about earlier attempts. The memory of the coordinator replaces that of the machine. @default what the machine remembers */
  readonly memory?: PhaseMemory | undefined;
  /** See {@link Background.unchanged}. Read if there is a `memory`. */
  readonly unchanged?: Background['unchanged'];
}

/** Facts that hold as long as the inputs are the same; all others are in the memory. */
export interface Background {
  /** Checks that failed before the tasks began on these inputs; absent if that is not known. */
  readonly baseline?: readonly FailedBefore[] | undefined;
  /** Latest attempts in a row with the outputs that were sent back: of this phase and its targets, by name. Absent for none. */
  readonly unchanged?: Readonly<Record<string, number>> | undefined;
  /** Traces of earlier attempts, and artifacts that others share, for the current attempt. */
  readonly recollection?: Recollection | undefined;
}

/** Input of the phase machine. */
export interface PhaseInput extends PhaseStart {
  /** The id of the run. */
  readonly run: string;
  readonly phase: PhasePlan;
  /** Times the phase was sent back by a later one or invalidated. @default 0 */
  readonly generation?: number | undefined;
  /** The input of the run. */
  readonly input?: unknown;
  /** True if a person can be asked when a review is unavailable. @default false */
  readonly attended?: boolean | undefined;
  /** The edition of the rules of the run. @default the latest */
  readonly edition?: number | undefined;
  /** See {@link Background.recollection}. */
  readonly recollection?: Recollection | undefined;
}

/** The cause of an escalation to a person. */
export type EscalationCause = EventOf<'phase.escalated'>['because'];

/** Facts that stay the same as long as the actor of a phase lives. */
export interface PhaseOrigin {
  readonly run: string;
  readonly phase: PhasePlan;
  readonly generation: number;
  readonly input: unknown;
  readonly attended: boolean;
  /** The edition of the rules of the run; absent for the latest. */
  readonly edition?: number;
}

/** The review of the current attempt. */
export interface ReviewState {
  /** The current verdict; `null` before there is one. */
  readonly verdict: Verdict | null;
  /** The source of the verdict. */
  readonly by: DecidedBy;
  /** Verdicts of reviewers that need not be asked again. */
  readonly verdicts: Readonly<Record<string, Verdict>>;
  /** True if the checks have passed. */
  readonly checked: boolean;
  /** The failed checks, if the verdict is theirs. */
  readonly failedChecks?: FailedChecks;
  /** Times the review was unavailable. */
  readonly errors: number;
  /** The person who has decided, if known. */
  readonly who?: string;
  /** Outputs with which a person has replaced those of the attempt. */
  readonly edited?: Outputs;
  /** Phases that a person may send back, in topological order, if the decision has issues. */
  readonly targets?: readonly string[];
  /** Names of the issues that were open when the gate approved. */
  readonly accepted?: readonly string[];
}

/**
 * Context of the phase machine. JSON: a snapshot survives storage.
 *
 * At most 16 fields: XState copies it field by field, and V8 turns larger copies into slow dictionaries.
 */
export interface PhaseContext extends Omit<PhaseStart, 'unchanged'> {
  readonly origin: PhaseOrigin;
  /** Times its actor has started again, from inputs that it had sent back. */
  readonly renewals: number;
  readonly gated: boolean;
  readonly memory: PhaseMemory;
  readonly background: Background;
  /** Retries that its gate has spent since it started afresh. */
  readonly retries: number;
  /** Outputs of the latest attempt, not yet committed; `null` while the tasks run. */
  readonly outputs: Outputs | null;
  readonly review: ReviewState;
  /** The best attempt so far, by score; kept for `onExhausted: 'acceptBest'`. */
  readonly best: { readonly score: number; readonly outputs: Outputs } | null;
  /** The error of the tasks. */
  readonly error: ErrorInfo | null;
  /** The reason for which the coordinator holds the phase. */
  readonly held: string | null;
  /** Reports of the latest decision. Each decision has an array of its own. */
  readonly judgement: readonly PhaseReport[];
}

/** Creates the context of a phase that starts. */
export function openContext(input: PhaseInput): PhaseContext {
  const { run, phase, generation = 0, attended = false, memory = NO_MEMORY, unchanged, recollection } = input;
  const { attempt, revision, previous, inputs, edition } = input;
  const origin = { run, phase, generation, input: input.input ?? null, attended };
  return {
    origin: edition === undefined ? origin : { ...origin, edition },
    renewals: 0,
    gated: input.gated ?? true,
    inputs,
    attempt,
    revision,
    previous,
    memory: withHistory(memory, revision),
    background: unchanged || recollection ? { unchanged, recollection } : NO_BACKGROUND,
    retries: 0,
    outputs: null,
    review: UNREVIEWED,
    best: null,
    error: null,
    held: null,
    judgement: NO_REPORTS,
  };
}

// --- internal ---

const NONE: Readonly<Record<string, never>> = Object.freeze({});
const NO_REPORTS: readonly PhaseReport[] = Object.freeze([]);
const NO_BACKGROUND: Background = Object.freeze({});

/** A review before any reviewer was asked. */
export const UNREVIEWED: ReviewState = Object.freeze({
  verdict: null,
  by: 'gate',
  verdicts: NONE,
  checked: false,
  errors: 0,
});
