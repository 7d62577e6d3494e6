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
import type { ReviewFinding } from '../../model/review/open-issues.ts';
import type { Recollection } from '../../model/revision/revision-extras.ts';
import type { Correction, Revision } from '../../model/revision/revision.ts';
import type { RepeatedDemand } from './repeats.ts';

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
  /** What has changed for the whole phase since its actor began. */
  readonly news?: News | undefined;
}

/** What a phase that waited is told of the run. */
export interface News {
  /** How often this phase has sent back each predecessor so far. */
  readonly rewinds: Readonly<Record<string, number>>;
  /** The latest rewinds of the run. */
  readonly recentRewinds: readonly Rewind[];
  /** Checks that this phase has to leave passing. */
  readonly mustPassChecks: readonly string[];
  /** See {@link Past.unchanged}. */
  readonly unchanged?: Past['unchanged'];
}

/** A phase that has sent back another. */
export type Rewind = EventOf<'loop.detected'>['rewinds'][number];

/** What a phase remembers beyond its attempts, over all generations. */
export interface Past {
  /** What its reviewers have found and is not known to be corrected. */
  readonly findings: readonly ReviewFinding[];
  /** The latest rewinds of the run that it knows of, oldest first. */
  readonly recentRewinds: readonly Rewind[];
  /** Checks that it has to leave passing: they did when it set to work, and it has not been approved since. */
  readonly mustPassChecks: readonly string[];
  /** Checks that failed before it set to work from the inputs that it has; absent where that is not known. */
  readonly baseline?: readonly FailedBefore[];
  /** The latest demand of its gate, where that has no issues and nothing was decided since. */
  readonly lastDemand?: RepeatedDemand | undefined;
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
  /** How often this phase has sent back each predecessor so far, over all generations. @default {} */
  readonly rewinds?: Readonly<Record<string, number>> | undefined;
  /** Every correction of this phase so far, oldest first. @default [] */
  readonly history?: readonly Correction[] | undefined;
  /** @default nothing */
  readonly past?: Past | undefined;
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
export interface PhaseContext extends Omit<PhaseStart, 'news'> {
  readonly origin: PhaseOrigin;
  /** Times it has started afresh since its actor began, from inputs that it had sent back. */
  readonly renewals: number;
  readonly gated: boolean;
  /** Times this phase has sent back each predecessor, over all generations. */
  readonly rewinds: Readonly<Record<string, number>>;
  /** Every correction of this phase so far, oldest first. */
  readonly history: readonly Correction[];
  readonly past: Past;
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
  const { run, phase, generation = 0, attended = false, rewinds = NONE, history = [], past = NO_PAST } = input;
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
    rewinds,
    history: revision?.history ?? history,
    past,
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
const NO_PAST: Past = Object.freeze({
  findings: Object.freeze([]),
  recentRewinds: Object.freeze([]),
  mustPassChecks: Object.freeze([]),
});

/** A review before anybody was asked. */
export const UNREVIEWED: ReviewState = Object.freeze({
  verdict: null,
  by: 'gate',
  verdicts: NONE,
  checked: false,
  errors: 0,
});
