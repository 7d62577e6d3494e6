/**
 * One step of the model while it is made: a copy of the state, and the facts that the step shows.
 *
 * @module
 */
import type { RunStatus } from '../../model/events/event.ts';
import {
  checkName,
  endName,
  limitName,
  phaseName,
  rewindName,
  rowName,
  type CoveredDecision,
  type CoveredOutcome,
  type CoveredStatus,
} from '../../projections/coverage/coverage-entry.ts';
import type { LimitName } from '../../model/plan/policy-schema.ts';
import type { Seat, Setting } from './setting.ts';
import type { PathState, PhaseSpot } from './state.ts';

/** Work or a question that has begun, and that a later decision ends. */
export interface Begun {
  /** The phase, or the limit. */
  readonly about: string;
  readonly type: 'attempt' | 'review' | 'question';
}

/** The result of a decision. */
export interface Step {
  readonly state: PathState;
  /** Names of the entries of the coverage that it shows, each as often as it does. */
  readonly shown: readonly string[];
  readonly begun: readonly Begun[];
}

/** A step that is being made. */
export interface Draft {
  readonly setting: Setting;
  readonly phases: PhaseSpot[];
  queue: readonly number[];
  corrections: number;
  attemptsLimit: PathState['attemptsLimit'];
  usage: PathState['usage'];
  ended: RunStatus | null;
  readonly shown: string[];
  readonly begun: Begun[];
}

/** Begins a step. */
export function draftOf(setting: Setting, state: PathState): Draft {
  return { ...state, setting, phases: [...state.phases], shown: [], begun: [] };
}

/** Ends a step. */
export function stepOf({ phases, queue, corrections, attemptsLimit, usage, ended, shown, begun }: Draft): Step {
  return { state: { phases, queue, corrections, attemptsLimit, usage, ended }, shown, begun };
}

/** Returns a phase in a step. */
export function spotAt({ phases }: Draft, index: number): PhaseSpot {
  const spot = phases[index];
  if (!spot) throw new RangeError(`No phase has index ${index}`);
  return spot;
}

/** Changes a phase. */
export function change(draft: Draft, index: number, fields: Partial<PhaseSpot>): void {
  draft.phases[index] = { ...spotAt(draft, index), ...fields };
}

/** Notes work or a question that begins. */
export function open({ begun }: Draft, about: string, type: Begun['type']): void {
  begun.push({ about, type });
}

/** Shows an outcome of a phase. */
export function showPhase(draft: Draft, { name: phase }: Seat, status: CoveredStatus): void {
  show(draft, phaseName({ phase, status }));
}

/** Shows a row of a gate. */
export function showRow(
  draft: Draft,
  { name: phase }: Seat,
  decision: CoveredDecision,
  outcome: CoveredOutcome | null = null,
  target: string | null = null,
): void {
  show(draft, rowName({ phase, decision, target, outcome }));
}

/** Shows an outcome of a check. */
export function showCheck(draft: Draft, { name: phase }: Seat, check: string, outcome: 'passed' | 'failed'): void {
  show(draft, checkName({ phase, check, outcome }));
}

/** Shows a rewind. */
export function showRewind(draft: Draft, from: Seat, to: Seat): void {
  show(draft, rewindName({ from: from.name, to: to.name }));
}

/** Shows a limit that is reached. */
export function showLimit(draft: Draft, limit: LimitName): void {
  show(draft, limitName({ limit }));
}

/** Shows the end of the run. */
export function showEnd(draft: Draft, status: RunStatus): void {
  show(draft, endName({ status }));
}

/** True for a phase with an attempt that is not decided, also if it waits for a person. */
export function isAtWork({ standing }: PhaseSpot): boolean {
  return standing === 'working' || standing === 'escalated' || standing === 'returning';
}

// --- internal ---

/** Nothing is shown after the end. */
function show({ shown, ended }: Draft, name: string): void {
  if (ended === null) shown.push(name);
}
