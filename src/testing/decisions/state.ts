/**
 * The state of the model of decisions. It has only what later decisions depend on, so that different paths meet in equal states.
 *
 * @module
 */
import type { RunStatus } from '../../model/events/event.ts';
import type { LimitName } from '../../model/plan/policy-schema.ts';
import type { Setting } from './setting.ts';

/** `idle` and `rewinding` wait for a start; `returning` waits for a place to continue, after a retry. */
export type Standing =
  'idle' | 'working' | 'rewinding' | 'escalated' | 'returning' | 'approved' | 'rejected' | 'failed' | 'skipped';

/** Demands of later phases, joined. */
export interface Demands {
  /** True if the phase has to pass its gate again. */
  readonly regate: boolean;
  /** The reach of the commit that answers them; see `GateFacts`. */
  readonly spread: number;
}

/** A phase that sent back another, by index. */
export type Sent = readonly [from: number, to: number];

/** One phase in a state. */
export interface PhaseSpot {
  readonly standing: Standing;
  /** True if the attempt ends with a review. */
  readonly gated: boolean;
  readonly retries: number;
  /** Times that the review of the attempt was asked again. */
  readonly errors: number;
  /** The checks and reviewers that have not answered yet about the attempt. `reviewers` are all of them, and no checks. */
  readonly pending: 'all' | 'reviewers' | 'deciders' | 'mute';
  /** True if the outcomes of the checks of the attempt are known. */
  readonly checked: boolean;
  /** True if the open question has expired. */
  readonly expired: boolean;
  /** Rewinds by its gate, by the index of the target. */
  readonly spent: Readonly<Record<number, number>>;
  /** Demands that no attempt has received, and those that the present one has. */
  readonly untold: Demands | null;
  readonly told: Demands | null;
  /** The reach of its next commit besides that of the demands. */
  readonly spread: number;
  readonly hasCommit: boolean;
  /** True if its checks have passed at a baseline, and have to pass from then on. */
  readonly owed: boolean;
  /** True if it keeps its place while it returns. */
  readonly hasPlace: boolean;
  /** Attempts, if a limit counts them; otherwise 0. */
  readonly attempts: number;
  /** The last rewinds that it made, or that sent it back: now, and as known at its last start. */
  readonly recent: readonly Sent[];
  readonly known: readonly Sent[];
}

/** A state between two decisions. */
export interface PathState {
  readonly phases: readonly PhaseSpot[];
  /** Phases that may start and have no place yet, oldest first. */
  readonly queue: readonly number[];
  /** Corrections, if a limit counts them; otherwise 0. */
  readonly corrections: number;
  /** The limit of attempts: a person decides about it while it is held. */
  readonly attemptsLimit: 'open' | 'held' | 'expired' | 'lifted';
  /** The limit of usage or time that is spent, and the phase that has spent it. A person decides about it while it is held. */
  readonly usage: SpentLimit | null;
  readonly ended: RunStatus | null;
}

/** A limit of usage or time that is spent. */
export interface SpentLimit {
  readonly limit: LimitName;
  /** The index of the phase. */
  readonly by: number;
  readonly hold: 'held' | 'expired' | 'lifted';
}

/** True if a review asks every reviewer. */
export function isWhole(pending: PhaseSpot['pending']): boolean {
  return pending === 'all' || pending === 'reviewers';
}

/** Returns the limit about which a person has to decide before anything else can happen; `undefined` if there is none. */
export function heldUsage({ usage }: Pick<PathState, 'usage'>): SpentLimit | undefined {
  return usage && usage.hold !== 'lifted' ? usage : undefined;
}

/** Returns the state before anything has started. */
export function firstState({ seats }: Setting): PathState {
  const spot: PhaseSpot = {
    standing: 'idle',
    gated: false,
    retries: 0,
    errors: 0,
    pending: 'all',
    checked: false,
    expired: false,
    spent: {},
    untold: null,
    told: null,
    spread: 0,
    hasCommit: false,
    owed: false,
    hasPlace: false,
    attempts: 0,
    recent: [],
    known: [],
  };
  return { phases: seats.map(() => spot), queue: [], corrections: 0, attemptsLimit: 'open', usage: null, ended: null };
}

/** Makes a function that returns a number for each state, which is equal for equal states. */
export function stateKeys(): (state: PathState) => number {
  const spots = new Map<string, number>();
  const states = new Map<string, number>();
  const known = new Map<PhaseSpot, number>();
  const keyOf = (spot: PhaseSpot): number => {
    const old = known.get(spot);
    if (old !== undefined) return old;
    const key = numberOf(spots, JSON.stringify(Object.values(spot)));
    known.set(spot, key);
    return key;
  };
  return ({ phases, queue, corrections, attemptsLimit, usage, ended }) => {
    const rest = [queue.join(','), corrections, attemptsLimit, usage && Object.values(usage).join(' '), ended];
    return numberOf(states, [phases.map(keyOf).join(','), ...rest].join(';'));
  };
}

// --- internal ---

function numberOf(numbers: Map<string, number>, text: string): number {
  const number = numbers.get(text) ?? numbers.size;
  numbers.set(text, number);
  return number;
}
