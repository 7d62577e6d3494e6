/**
 * The facts about a phase that the graph and the list show.
 *
 * @module
 */
import type { PhasePlan } from '../../../../../src/model/plan/plan.ts';
import { countOf } from '../../../../../src/model/plan/policy.ts';
import type { SubtaskView } from '../../../../../src/projections/run/fleet-view.ts';
import type { PhaseResult, PhaseStatus } from '../../../../../src/projections/run/run-result.ts';
import { isSameJson } from '../../../../../src/model/values/json.ts';
import type { RunAtRecord } from '../../data/run-history.ts';

/** A summary of a phase. */
export interface PhaseFace {
  readonly name: string;
  /** The index in the plan, from 0. */
  readonly index: number;
  /** The status; `waiting` if a person is asked, whatever the phase does besides. */
  readonly status: PhaseStatus | 'waiting';
  /** For example `attempt 2 of 4`; '' before the first attempt. */
  readonly attempt: string;
  /** The generation, from 0. */
  readonly generation: number;
  /** Further notes, for example `stale` or `budget spent`. */
  readonly notes: readonly string[];
  /** The latest progress, if it is at work; otherwise ''. */
  readonly progress: string;
  /** The subtasks of a level of a fleet, in the order of the plan; none for any other phase. */
  readonly subtasks: readonly SubtaskFace[];
}

/** A subtask of a level. */
export type SubtaskFace = Pick<SubtaskView, 'subtaskId' | 'title' | 'status'>;

/** Summarises the phases of one run, after each change. */
export interface FaceMaker {
  /** Summaries of all phases, in the order of the plan. An unchanged one is the same object as before. */
  facesOf(moment: RunAtRecord): readonly PhaseFace[];
}

/** Creates a maker of summaries. */
export function createFaceMaker(): FaceMaker {
  let before: readonly PhaseFace[] = [];
  return {
    facesOf({ plan, snapshot, asking, retries, progress, levels }) {
      const waiting = new Set(snapshot.waiting);
      const subtasks = new Map(levels.map((level) => [level.phase, level.subtasks.map(subtaskFace)]));
      const faces = (plan?.phases ?? []).map((phase, index) => {
        const result = snapshot.phases[phase.name];
        const isAsked = waiting.has(phase.name) || asking.has(phase.name);
        const spent = retries.get(phase.name) ?? 0;
        const own = { progress: progress.get(phase.name) ?? '', subtasks: subtasks.get(phase.name) ?? [] };
        const face = faceOf(phase, { index, result, isAsked, spent, ...own });
        const old = before[index];
        return old && isSame(old, face) ? old : face;
      });
      const isAsBefore = faces.length === before.length && faces.every((face, at) => face === before[at]);
      if (!isAsBefore) before = faces;
      return before;
    },
  };
}

/**
 * The number of an attempt, and the most attempts there can be unless other phases send the phase back.
 *
 * @param number The number of the attempt in the whole run, from 1.
 * @param spent Retries that its gate has spent.
 */
export function attemptText({ gate }: Pick<PhasePlan, 'gate'>, number: number, spent: number): string {
  const left = gate ? countOf(gate.maxRetries) - spent : 0;
  const most = number + Math.max(0, left);
  return most === 1 || most === Infinity ? `attempt ${number}` : `attempt ${number} of ${most}`;
}

// --- internal ---

interface FaceSource {
  readonly index: number;
  readonly result: PhaseResult | undefined;
  /** True if the phase or one of its tasks waits for a person. */
  readonly isAsked: boolean;
  /** Retries that its gate has spent. */
  readonly spent: number;
  readonly progress: string;
  readonly subtasks: readonly SubtaskFace[];
}

function subtaskFace({ subtaskId, title, status }: SubtaskView): SubtaskFace {
  return { subtaskId, title, status };
}

function faceOf(phase: PhasePlan, { index, result, isAsked, spent, progress: said, subtasks }: FaceSource): PhaseFace {
  const { name } = phase;
  if (!result) return { name, index, status: 'pending', attempt: '', generation: 0, notes: [], progress: '', subtasks };
  const { attempts, generation, stale, exhausted } = result;
  const status = isAsked ? 'waiting' : result.status;
  const notes = [
    ...(stale ? ['stale'] : []),
    ...(exhausted && status === 'approved' ? ['budget spent'] : []),
    ...(status === 'pending' && attempts > 0 ? ['must run again'] : []),
  ];
  const shown = attempts === 0 ? '' : attemptText(phase, attempts, spent);
  const progress = status === 'running' || status === 'reviewing' ? said : '';
  return { name, index, status, attempt: shown, generation, notes, progress, subtasks };
}

function isSame(one: PhaseFace, other: PhaseFace): boolean {
  return (
    one.name === other.name &&
    one.status === other.status &&
    one.attempt === other.attempt &&
    one.progress === other.progress &&
    one.generation === other.generation &&
    one.notes.join() === other.notes.join() &&
    isSameJson(one.subtasks, other.subtasks)
  );
}
