/**
 * How a run stands, for pictures of it: a mark, a word and a few notes for each phase.
 *
 * @module
 */
import type { PhasePlan, Plan } from '../../src/model/plan/plan.ts';
import { countOf } from '../../src/model/plan/policy.ts';
import type { PhaseResult, PhaseStatus, RunSnapshot } from '../../src/projections/run/run-result.ts';
import { statusMarks, type LookTone } from '../../src/projections/wording/status-marks.ts';
import type { RewindPair } from '../layout/ways-back.ts';

/** How a phase is told to stand. `stale` is approved, but made from an output that has a newer version. */
export type StandingState = PhaseStatus | 'stale';

/** What a state is like, which decides its colour. */
export type StandingTone = LookTone;

/** How a phase stands. */
export interface PhaseStanding {
  readonly state: StandingState;
  readonly mark: string;
  readonly tone: StandingTone;
  /** Such as `attempt 2 of 3` and `generation 2`. */
  readonly notes: readonly string[];
}

/** How a run stands. */
export interface RunStanding {
  readonly runId: string;
  readonly status: RunSnapshot['status'];
  /** By name. */
  readonly phases: ReadonlyMap<string, PhaseStanding>;
  /** Which phases have sent back which, one for each time. */
  readonly rewinds: readonly RewindPair[];
}

/**
 * How a run stands.
 *
 * @param rewinds Which phases have sent back which, one for each time: the arrows of its timeline.
 */
export function runStandingOf(plan: Plan, snapshot: RunSnapshot, rewinds: readonly RewindPair[]): RunStanding {
  const { runId, status } = snapshot;
  const phases = plan.phases.flatMap((phase): readonly (readonly [string, PhaseStanding])[] => {
    const result = snapshot.phases[phase.name];
    return result ? [[phase.name, standingOf(phase, result)]] : [];
  });
  return { runId, status, phases: new Map(phases), rewinds };
}

/** A mark with its word, and notes, if there are some, in a second line. */
export function standingLines({ state, mark, notes }: PhaseStanding): readonly string[] {
  return [`${mark} ${state}`, ...(notes.length === 0 ? [] : [notes.join(', ')])];
}

// --- internal ---

function standingOf({ gate }: PhasePlan, result: PhaseResult): PhaseStanding {
  const { status, stale, attempt, attempts, generation, exhausted } = result;
  const state = status === 'approved' && stale ? 'stale' : status;
  // Who was sent back by others has a fresh allowance.
  const most = gate && generation === 0 ? countOf(gate.maxRetries) + 1 : 1;
  const number = attempt + 1;
  const notes = [
    ...(attempts > 0 && (number > 1 || most > 1)
      ? [number <= most && most < Infinity ? `attempt ${number} of ${most}` : `attempt ${number}`]
      : []),
    ...(attempts > number ? [`${attempts} attempts in all`] : []),
    ...(generation > 0 ? [`generation ${generation + 1}`] : []),
    ...(exhausted ? ['budget spent'] : []),
  ];
  return { state, ...statusMarks[state], notes };
}
