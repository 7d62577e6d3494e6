/**
 * The status of a run, for pictures of it: a mark, a word and a few notes for each phase.
 *
 * @module
 */
import type { PhasePlan, Plan } from '../../src/model/plan/plan.ts';
import { countOf } from '../../src/model/plan/policy.ts';
import type { PhaseResult, PhaseStatus, RunSnapshot } from '../../src/projections/run/run-result.ts';
import { statusMarks, type LookTone } from '../../src/projections/wording/status-marks.ts';
import type { RewindPair } from '../layout/ways-back.ts';

/**
 * The status of a phase. `stale` is approved, but one of its inputs has a newer version; of a `waiting` phase, a task or a reviewer waits for
 * a person.
 */
export type StandingState = PhaseStatus | 'stale' | 'waiting';

/** The tone of a status, which determines its colour. */
export type StandingTone = LookTone;

/** The status of a phase, with its mark and notes. */
export interface PhaseStanding {
  readonly state: StandingState;
  readonly mark: string;
  readonly tone: StandingTone;
  /** For example `attempt 2 of 3` and `generation 2`. */
  readonly notes: readonly string[];
}

/** The status of a run. */
export interface RunStanding {
  readonly runId: string;
  readonly status: RunSnapshot['status'];
  /** Phases by name. */
  readonly phases: ReadonlyMap<string, PhaseStanding>;
  /** Pairs of phases that sent back another one, one pair for each time. */
  readonly rewinds: readonly RewindPair[];
}

/**
 * Derives the status of a run for pictures.
 *
 * @param rewinds Pairs of phases that sent back another one, one pair for each time: the arrows of the run's timeline.
 * @param waiting Phases with a task or a reviewer that waits for a person: those with an open `person` bar in the timeline. @default none
 */
export function runStandingOf(
  plan: Plan,
  snapshot: RunSnapshot,
  rewinds: readonly RewindPair[],
  waiting: ReadonlySet<string> = new Set(),
): RunStanding {
  const { runId, status } = snapshot;
  const phases = plan.phases.flatMap((phase): readonly (readonly [string, PhaseStanding])[] => {
    const result = snapshot.phases[phase.name];
    return result ? [[phase.name, standingOf(phase, result, waiting.has(phase.name))]] : [];
  });
  return { runId, status, phases: new Map(phases), rewinds };
}

/** The mark and the status; and a second line with the notes, if there are any. */
export function standingLines({ state, mark, notes }: PhaseStanding): readonly string[] {
  return [`${mark} ${state}`, ...(notes.length === 0 ? [] : [notes.join(', ')])];
}

// --- internal ---

function standingOf({ gate }: PhasePlan, result: PhaseResult, isAsked: boolean): PhaseStanding {
  const { status, stale, attempt, attempts, generation, exhausted } = result;
  const isWaiting = isAsked && (status === 'running' || status === 'reviewing');
  const state = isWaiting ? 'waiting' : status === 'approved' && stale ? 'stale' : status;
  // A phase that others sent back has its whole retry budget again, so the total is unknown.
  const most = gate && generation === 0 ? countOf(gate.maxRetries) + 1 : 1;
  const isKnown = attempts === attempt + 1 && attempts <= most && most < Infinity;
  const notes = [
    ...(isWaiting ? ['for a person'] : []),
    ...(attempts > 0 && (attempts > 1 || most > 1)
      ? [isKnown ? `attempt ${attempts} of ${most}` : `attempt ${attempts}`]
      : []),
    ...(generation > 0 ? [`generation ${generation + 1}`] : []),
    ...(exhausted ? ['budget spent'] : []),
  ];
  return { state, ...statusMarks[state], notes };
}
