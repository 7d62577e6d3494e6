/**
 * What a phase machine knows. All of it is JSON.
 *
 * @module
 */
import type { ErrorInfo } from '../../model/errors/phasegate-error.ts';
import type { DecidedBy, EventOf, FailedChecks, Verdict } from '../../model/events/event.ts';
import type { Inputs, Outputs } from '../../model/handlers/task.ts';
import type { PhasePlan } from '../../model/plan/plan.ts';
import type { FailedBefore } from '../../model/review/baseline.ts';
import type { Recollection } from '../../model/revision/revision-extras.ts';
import type { Revision } from '../../model/revision/revision.ts';
import { NO_MEMORY, withHistory, type PhaseMemory } from './phase-memory.ts';

/** What starts an attempt from new inputs: at birth, and whenever a predecessor was sent back. */
export interface PhaseStart {
  /** How often the phase was sent back since it started afresh; 0, unless a later phase waits for its answer. */
  readonly attempt: number;
  /** What the attempt should do differently. */
  readonly revision?: Revision | undefined;
  /** Outputs that the revision speaks of, by task. */
  readonly previous?: Outputs | undefined;
  /** Committed outputs of the ancestors, by phase, then task. */
  readonly inputs: Inputs;
  /** Whether the gate is asked. `regate: false` of a later phase turns it off. @default true */
  readonly gated?: boolean | undefined;
  /** Facts about earlier attempts. The memory of the coordinator replaces that of the machine. @default what the machine remembers */
  readonly memory?: PhaseMemory | undefined;
  /** See {@link Background.unchanged}. Read if there is a `memory`. */
  readonly unchanged?: Background['unchanged'];
}

/** Facts beside the memory, which hold as long as the inputs are the same. */
export interface Background {
  /** Checks that failed before the tasks began on these inputs; absent if that is not known. */
  readonly baseline?: readonly FailedBefore[] | undefined;
  /** By phase, of itself and of those that it may send back: latest attempts in a row that put out what was sent back. Absent for none. */
  readonly unchanged?: Readonly<Record<string, number>> | undefined;
  /** What the current attempt is to recall of those before it, and of what others share. */
  readonly recollection?: Recollection | undefined;
}

/** What a phase machine is started with. */
export interface PhaseInput extends PhaseStart {
  /** The id of the run. */
  readonly run: string;
  readonly phase: PhasePlan;
  /** How often the phase was sent back by a later one or invalidated. @default 0 */
  readonly generation?: number | undefined;
  /** The input of the run. */
  readonly input?: unknown;
  /** Whether a person can be reached when a review cannot be had. @default false */
  readonly attended?: boolean | undefined;
  /** The edition of the rules that the run goes by. @default the latest */
  readonly edition?: number | undefined;
  /** See {@link Background.recollection}. */
  readonly recollection?: Recollection | undefined;
}

/** Why a phase is held for a person. */
export type EscalationCause = EventOf<'phase.escalated'>['because'];

/** What does not change as long as the actor of a phase lives. */
export interface PhaseOrigin {
  readonly run: string;
  readonly phase: PhasePlan;
  readonly generation: number;
  readonly input: unknown;
  readonly attended: boolean;
  /** The edition of the rules that the run goes by; absent where that is the latest. */
  readonly edition?: number;
}

/** How the review of the current attempt stands. */
export interface ReviewState {
  /** The verdict that is being judged; `null` before there is one. */
  readonly verdict: Verdict | null;
  /** Who gave it. */
  readonly by: DecidedBy;
  /** Answers of reviewers that need not be asked again. */
  readonly verdicts: Readonly<Record<string, Verdict>>;
  /** Whether the checks have passed. */
  readonly checked: boolean;
  /** The checks that have failed, where the verdict is theirs. */
  readonly failedChecks?: FailedChecks;
  /** Times the review could not be had. */
  readonly errors: number;
  /** Which person has decided, as far as known. */
  readonly who?: string;
  /** Outputs that a person has put in the place of those of the attempt. */
  readonly edited?: Outputs;
  /** Phases that a person may send back, in topological order, where the decision has issues. */
  readonly targets?: readonly string[];
  /** Names of the issues that are open where the gate has approved. */
  readonly accepted?: readonly string[];
}

/**
 * Everything a phase machine knows. JSON: a snapshot survives storage.
 *
 * At most 16 fields: XState copies it field by field, and V8 turns larger copies into slow dictionaries.
 */
export interface PhaseContext extends Omit<PhaseStart, 'unchanged'> {
  readonly origin: PhaseOrigin;
  /** Times it has started afresh since its actor began, from inputs that it had sent back. */
  readonly renewals: number;
  readonly gated: boolean;
  readonly memory: PhaseMemory;
  readonly background: Background;
  /** Retries its own gate has spent since it started afresh. */
  readonly retries: number;
  /** Outputs of the latest attempt, not yet committed; `null` while the tasks run. */
  readonly outputs: Outputs | null;
  readonly review: ReviewState;
  /** The best attempt so far, by score; kept for `onExhausted: 'acceptBest'`. */
  readonly best: { readonly score: number; readonly outputs: Outputs } | null;
  /** Why the tasks failed. */
  readonly error: ErrorInfo | null;
  /** Why the pipeline holds the phase, instead of letting it go on. */
  readonly held: string | null;
}

/** The context of a phase that starts. */
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
  };
}

// --- internal ---

const NONE: Readonly<Record<string, never>> = Object.freeze({});
const NO_BACKGROUND: Background = Object.freeze({});

/** A review before anybody was asked. */
export const UNREVIEWED: ReviewState = Object.freeze({
  verdict: null,
  by: 'gate',
  verdicts: NONE,
  checked: false,
  errors: 0,
});
