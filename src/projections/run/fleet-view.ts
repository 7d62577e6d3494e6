/**
 * The fold from records to the levels of a fleet and their subtasks.
 *
 * @module
 */
import type { EventOf, RunEvent, RunRecord, Verdict } from '../../model/events/event.ts';
import { levelNumber, OWN_TASKS, subtasksOf, subtaskTitle } from '../../model/plan/level.ts';
import type { PhasePlan, Plan } from '../../model/plan/plan.ts';
import { isSameJson } from '../../model/values/json.ts';

/** The status of a level, or of a subtask. `retrying`: it works again, or will, after a review or after a try that failed. */
export type WorkStatus = 'pending' | 'running' | 'completed' | 'failed' | 'retrying';

/** A subtask in the current attempt of its level. */
export interface SubtaskView {
  readonly subtaskId: string;
  readonly title: string;
  readonly status: WorkStatus;
  /** The attempt of its level in which it last worked, from 1. A subtask that keeps its work stays at the attempt that made it. */
  readonly attempt: number;
  /** Milliseconds since 1970, of that attempt; `null` while it has not started, or is not completed. */
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  /** Its latest error; `null` once it works or is completed. */
  readonly error: string | null;
}

/** A level: the subtasks that work at the same time, and are reviewed together. */
export interface LevelView {
  /** Name of its phase in the pipeline. */
  readonly phase: string;
  /** Its place among the levels, from 0. */
  readonly phaseIndex: number;
  readonly status: WorkStatus;
  /** The number of the current attempt in the whole run, from 1. */
  readonly attempt: number;
  /** In the order of the plan. */
  readonly subtasks: readonly SubtaskView[];
  /** The commit that every attempt of the level starts from; `null` until it is known. */
  readonly prePhaseCommit: string | null;
  /** The latest verdict of its gate; `null` before the first. */
  readonly reviewResult: Verdict | null;
  /** The change that the current attempt has to make, or the next one: the required change, else the feedback. */
  readonly requiredChange: string | null;
  /** The reason of its end, if it failed. */
  readonly error: string | null;
}

/** A fold over the records of a run. */
export interface FleetFold {
  apply(record: RunRecord): void;
  /** The levels in order; none if the run is no fleet. */
  levels(): readonly LevelView[];
}

/** Makes a view of the levels of a run before its first record: without levels, or with those of this plan. */
export function foldFleet(plan?: Plan): FleetFold {
  const levels = new Map<string, Level>();
  if (plan) adopt(levels, plan);
  return {
    apply({ event, time }) {
      if ((event.type === 'run.started' || event.type === 'run.resumed') && event.plan) adopt(levels, event.plan);
      else if (event.type === 'run.reopened') {
        for (const level of levels.values()) if (level.status !== 'completed') begin(level, 'pending');
      } else if ('phase' in event) {
        const level = levels.get(event.phase);
        if (level && 'task' in event) applyToSubtask(level, event, time);
        else if (level && !('task' in event)) applyToLevel(level, event);
      }
    },
    levels: () =>
      [...levels.values()].map(({ subtasks, kept: _kept, starts: _starts, ...level }) => ({
        ...level,
        subtasks: [...subtasks.values()].map(({ output: _output, ...subtask }) => subtask),
      })),
  };
}

// --- internal ---

type Changing<T> = { -readonly [K in keyof T]: T[K] };

interface Subtask extends Changing<SubtaskView> {
  /** Its latest output. */
  output: unknown;
}

interface Level extends Changing<Omit<LevelView, 'subtasks'>> {
  readonly subtasks: Map<string, Subtask>;
  /** The attempts so far. */
  starts: number;
  /** The subtasks as the attempt before left them. */
  kept: ReadonlyMap<string, Subtask>;
}

type PhaseEvent = Extract<RunEvent, { readonly phase: string }>;
type TaskEvent = Extract<PhaseEvent, { readonly task: string }>;
type LevelEvent = Exclude<PhaseEvent, TaskEvent>;

/** Takes the levels of a plan. Those that were known before keep their state. */
function adopt(levels: Map<string, Level>, { phases }: Plan): void {
  const known = new Map(levels);
  levels.clear();
  for (const phase of phases) {
    if (levelNumber(phase) !== undefined) levels.set(phase.name, levelOf(phase, levels.size, known.get(phase.name)));
  }
}

function levelOf(phase: PhasePlan, phaseIndex: number, known: Level | undefined): Level {
  const subtasks = subtasksOf(phase).map((task): [string, Subtask] => {
    const fresh = { subtaskId: task.name, title: subtaskTitle(task), attempt: 1, output: undefined, ...UNTOUCHED };
    return [task.name, known?.subtasks.get(task.name) ?? fresh];
  });
  const fresh = { starts: 0, attempt: 1, prePhaseCommit: null, reviewResult: null, requiredChange: null, error: null };
  return {
    status: 'pending',
    kept: new Map(),
    ...fresh,
    ...known,
    phase: phase.name,
    phaseIndex,
    subtasks: new Map(subtasks),
  };
}

const UNTOUCHED = { status: 'pending', startedAt: null, completedAt: null, error: null } as const;

/** Begins an attempt, in which no subtask has started. */
function begin(level: Level, status: WorkStatus): void {
  level.status = status;
  level.error = null;
  level.kept = new Map([...level.subtasks].map(([id, subtask]) => [id, { ...subtask }]));
  for (const subtask of level.subtasks.values()) Object.assign(subtask, UNTOUCHED);
}

function applyToLevel(level: Level, event: LevelEvent): void {
  switch (event.type) {
    case 'phase.started':
      level.starts += 1;
      level.attempt = level.starts;
      level.requiredChange = event.revision ? changeOf(event.revision) : null;
      begin(level, event.attempt > 0 ? 'retrying' : 'running');
      return;
    case 'review.decided':
      level.reviewResult = event.verdict;
      return;
    case 'phase.retrying':
      level.requiredChange = changeOf(event.correction);
      level.status = 'retrying';
      return;
    case 'phase.rewinding':
      level.status = 'retrying';
      return;
    case 'phase.approved':
      level.requiredChange = null;
      level.status = 'completed';
      return;
    case 'phase.rejected':
      fail(level, event.reason);
      return;
    case 'phase.failed':
      fail(level, event.error.message);
      return;
    case 'phase.cancelled':
      fail(level, event.because);
      return;
    case 'phase.invalidated':
      begin(level, 'pending');
      return;
    case 'phase.skipped':
    case 'phase.escalated':
    case 'phase.warned':
    case 'phase.read':
    case 'phase.stale':
    case 'phase.unaffected':
    case 'phase.reflected':
    case 'check.baselined':
    case 'attempt.unchanged':
    case 'review.started':
    case 'review.waiting':
    case 'loop.detected':
  }
}

type Asked = Pick<EventOf<'phase.retrying'>['correction'], 'feedback' | 'requiredChange'>;

function changeOf({ requiredChange = '', feedback }: Asked): string {
  return requiredChange.trim() === '' ? feedback : requiredChange;
}

/** Ends a level badly. Its subtasks that were at work have been stopped. */
function fail(level: Level, error: string): void {
  level.status = 'failed';
  level.error = error;
  for (const subtask of level.subtasks.values()) {
    if (subtask.status !== 'running' && subtask.status !== 'retrying') continue;
    subtask.status = 'failed';
    subtask.error ??= 'stopped';
  }
}

function applyToSubtask(level: Level, event: TaskEvent, time: number): void {
  if ('reviewer' in event && event.reviewer) return;
  if (event.type === 'task.completed' && event.task === OWN_TASKS.base) level.prePhaseCommit = baseIn(event.output);
  const subtask = level.subtasks.get(event.task);
  if (!subtask) return;
  switch (event.type) {
    case 'task.started':
      subtask.status = event.attempt > 0 || event.try > 1 ? 'retrying' : 'running';
      subtask.attempt = level.attempt;
      subtask.startedAt ??= time;
      subtask.error = null;
      return;
    case 'task.retrying':
      subtask.status = 'retrying';
      subtask.error = event.error.message;
      return;
    case 'task.failed': {
      const { message } = event.error;
      // The first one that fails stops the others, which then fail with its error.
      const first = [...level.subtasks.values()].find(({ status, error }) => status === 'failed' && error === message);
      subtask.status = 'failed';
      subtask.error = first ? `stopped, as ${first.subtaskId} failed` : message;
      return;
    }
    case 'task.completed': {
      const kept = level.kept.get(event.task);
      // A subtask that has read no prompt has asked no agent.
      if (kept?.status === 'completed' && !event.prompt && isSameJson(kept.output, event.output)) {
        Object.assign(subtask, kept);
        return;
      }
      Object.assign(subtask, { status: 'completed', completedAt: time, error: null, output: event.output });
      return;
    }
    case 'task.reported':
    case 'task.asked':
    case 'task.answered':
    case 'task.dropped':
  }
}

/** The commit that a level starts from, in the output of its first task. */
function baseIn(output: unknown): string | null {
  return typeof output === 'object' && output !== null && 'base' in output && typeof output.base === 'string'
    ? output.base
    : null;
}
