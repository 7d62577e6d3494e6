/**
 * Time of work of a run, and time since it began: a fold over its records.
 *
 * Time counts as work unless the run only waits for people. Time without a process does not count.
 *
 * @module
 */
import { countsAllTime } from '../plan/edition.ts';
import type { Plan } from '../plan/plan.ts';
import type { LimitName } from '../plan/policy-schema.ts';
import type { RunEvent, RunRecord } from './event.ts';
import { isIdle, waitsForPerson, type PhaseEvent } from './phase-work.ts';
import { WorkCounts } from './work-counts.ts';

/** Times of a run, in milliseconds. */
export interface RunTimes {
  /** Time of work, which `limits.durationMs` bounds. */
  readonly durationMs: number;
  /** All time since the run began, or since it was forked, which `limits.deadlineMs` bounds. */
  readonly elapsedMs: number;
}

/** A fold over the records of one run. */
export interface RunTimesFold {
  apply(record: Pick<RunRecord, 'event' | 'time'>): void;
  /** Returns the times. @param now Milliseconds since 1970, while a process has the run. @default the time of its latest record */
  at(now?: number): RunTimes;
  /** True if time counts as work now. */
  isWorking(): boolean;
  /**
   * Returns the time of its next try, in milliseconds since 1970, if the run only waits: for people, or for the pause before a try.
   * `Infinity` if it only waits for people. `undefined` if something else is active, or about to begin.
   *
   * @param isParked True for a task that has started a run which only waits. @default none
   * @param isHeldAbove True if a limit of the run whose task has started this one lets no try begin. @default false
   */
  idleUntil(isParked?: (phase: string, task: string) => boolean, isHeldAbove?: boolean): number | undefined;
  /** True if a limit holds the run, so that no try begins. */
  isHeld(): boolean;
  /** The tasks of a phase at work that have begun and not ended. */
  tasksOf(phase: string): readonly string[];
  /** True if no reviewer of a phase in review is active. @param waiting The number of those that wait for a person or for a limit. */
  isReviewAtRest(phase: string, waiting: number): boolean;
  /** Returns a fold that goes on from here by itself. */
  copy(): RunTimesFold;
}

/**
 * Starts a fold before the first record.
 *
 * @param forkedAt The time of the fork, for records that do not have it. Milliseconds since 1970.
 */
export function foldRunTimes(forkedAt?: number): RunTimesFold {
  return new Times({ ...BEFORE, forkedAt });
}

// --- internal ---

/** The part of a fold that events replace. */
interface State {
  readonly forkedAt?: number | undefined;
  startedAt: number;
  last: number;
  workedMs: number;
  /** Number of the next records that were copied from another run. */
  copied: number;
  held: ReadonlySet<LimitName>;
  reviewers?: ReadonlyMap<string, number> | undefined;
  countsAll: boolean;
  mayHold: boolean;
  isBegun: boolean;
  isOver: boolean;
}

/** The times of one run. A class, as functions of its own would take a kilobyte of each run. */
class Times implements RunTimesFold {
  #work = new WorkCounts();
  /** Ends of the pauses before next tries, in milliseconds since 1970, by phase and task. Created with the first. */
  #pauses: Map<string, number> | undefined = undefined;
  /** Tasks that an earlier process has begun, and the one that has the run now has not. Created with the first. */
  #left: Set<string> | undefined = undefined;
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  apply({ event, time }: Pick<RunRecord, 'event' | 'time'>): void {
    // The records copied into a fork took the time of another run. Without a process there is no work.
    const counts = this.#state.isBegun && this.#state.copied === 0 && event.type !== 'run.resumed';
    this.#state.isBegun = true;
    if (counts && this.#isAtWork()) this.#state.workedMs += Math.max(0, time - this.#state.last);
    this.#state.last = time;
    if ('phase' in event) this.#applyToPhase(event, time);
    else this.#applyToRun(event, time);
    if (this.#state.copied > 0) {
      this.#state.copied -= 1;
      this.#state.workedMs = 0;
    }
  }

  at(now = this.#state.last): RunTimes {
    if (!this.#state.isBegun) return { durationMs: 0, elapsedMs: 0 };
    const elapsedMs = Math.max(0, (this.#state.isOver ? this.#state.last : now) - this.#state.startedAt);
    const since = this.#isAtWork() ? Math.max(0, now - this.#state.last) : 0;
    return { durationMs: this.#state.countsAll ? elapsedMs : this.#state.workedMs + since, elapsedMs };
  }

  isWorking(): boolean {
    return this.#state.countsAll || this.#isAtWork();
  }

  isHeld(): boolean {
    const { held } = this.#state;
    return held.size > 0 && OF_TRIES.some((limit) => held.has(limit));
  }

  idleUntil(isParked: (phase: string, task: string) => boolean = () => false, isHeldAbove = false): number | undefined {
    if (!this.#state.isBegun || this.#state.isOver) return undefined;
    const isHeld = isHeldAbove || this.isHeld();
    let until = Infinity;
    let waits = isHeldAbove || this.#state.held.size > 0;
    for (const [name, phase] of this.#work.phases) {
      // While a limit holds the run, a task that an earlier process has begun does not begin here.
      const isOff = (task: string) => isParked(name, task) || (isHeld && this.#left?.has(pauseOf(name, task)) === true);
      const parked = [...phase.tasks].filter(([task, stage]) => stage === 'begun' && isOff(task)).length;
      if (!isIdle(phase, isHeld, parked)) return undefined;
      waits ||= waitsForPerson(phase) || parked > 0;
      for (const [task, stage] of phase.tasks) {
        if (stage !== 'again') continue;
        waits = true;
        // A limit that holds the run lets no try begin.
        if (!isHeld) until = Math.min(until, this.#pauses?.get(pauseOf(name, task)) ?? 0);
      }
    }
    return waits ? until : undefined;
  }

  tasksOf(phase: string): readonly string[] {
    return [...(this.#work.phases.get(phase)?.tasks.keys() ?? [])];
  }

  isReviewAtRest(phase: string, waiting: number): boolean {
    const { isForPeople = false, answered = 0, reviewers = 0 } = this.#work.phases.get(phase) ?? {};
    // Early editions have no `review.waiting` events.
    return this.#state.countsAll || isForPeople || waiting + answered >= reviewers;
  }

  copy(): RunTimesFold {
    const made = new Times({ ...this.#state });
    made.#work = this.#work.copy();
    made.#pauses = this.#pauses && new Map(this.#pauses);
    made.#left = this.#left && new Set(this.#left);
    return made;
  }

  #isAtWork(): boolean {
    return !this.#state.isOver && (this.#work.working > 0 || this.#work.waiting + this.#state.held.size === 0);
  }

  #readPlan(plan: Plan): void {
    this.#state.mayHold = plan.onLimit === 'escalate';
    this.#state.reviewers = reviewersIn(plan);
  }

  #applyToRun(event: Exclude<RunEvent, PhaseEvent>, time: number): void {
    switch (event.type) {
      case 'run.started':
        this.#readPlan(event.plan);
        this.#state.startedAt = event.forked?.at ?? this.#state.forkedAt ?? time;
        this.#state.copied = event.forked?.records ?? 0;
        this.#state.countsAll = countsAllTime({ edition: event.edition ?? 1 });
        return;
      case 'run.resumed':
        if (event.plan) this.#readPlan(event.plan);
        if (event.workedMs !== undefined) this.#state.workedMs = event.workedMs;
        for (const [name, phase] of this.#work.phases)
          for (const [task, stage] of phase.tasks)
            if (stage === 'begun') (this.#left ??= new Set()).add(pauseOf(name, task));
        // An interrupted review is asked again as a whole, unless the records have the answers.
        for (const phase of this.#work.phases.values()) phase.isForPeople = phase.isKept;
        break;
      case 'limit.reached': {
        if (event.holds !== null || !this.#state.mayHold) return;
        this.#state.held = new Set([...this.#state.held, event.limit]);
        const phase = event.refused && this.#work.phases.get(event.refused.phase);
        if (phase?.stage === 'reviewing') phase.isHeldBack = true;
        break;
      }
      case 'limit.lifted':
        this.#state.held = new Set([...this.#state.held].filter((limit) => limit !== event.limit));
        break;
      case 'run.reopened':
      case 'run.ended':
        this.#state.isOver = event.type === 'run.ended';
        this.#state.held = NO_LIMITS;
        this.#work.clear();
        return;
      case 'run.suspended':
      case 'item.changed':
        return;
    }
    this.#work.recount(this.isHeld());
  }

  #applyToPhase(event: PhaseEvent, time: number): void {
    if (event.type === 'task.retrying' && !event.reviewer) {
      this.#pauses ??= new Map();
      this.#pauses.set(pauseOf(event.phase, event.task), time + event.delayMs);
    }
    if (event.type === 'task.started') this.#left?.delete(pauseOf(event.phase, event.task));
    this.#work.apply(event, this.isHeld(), this.#state.reviewers);
  }
}

/** Limits that let no try begin while they hold the run. */
const OF_TRIES: readonly LimitName[] = ['costUsd', 'tokens', 'durationMs', 'deadlineMs'];

/** Shared by all runs, as a process may have thousands. */
const NO_LIMITS: ReadonlySet<LimitName> = new Set();

/** The state before the first record. */
const BEFORE: State = {
  startedAt: 0,
  last: 0,
  workedMs: 0,
  copied: 0,
  held: NO_LIMITS,
  countsAll: false,
  mayHold: false,
  isBegun: false,
  isOver: false,
};

const reviewersOfPlans = new WeakMap<Plan, ReadonlyMap<string, number>>();

/** Returns the number of reviewers of each phase. Computed once per plan. */
function reviewersIn(plan: Plan): ReadonlyMap<string, number> {
  const known = reviewersOfPlans.get(plan);
  if (known) return known;
  const made = new Map(plan.phases.map(({ name, gate }) => [name, gate?.reviewers.length ?? 0]));
  reviewersOfPlans.set(plan, made);
  return made;
}

function pauseOf(phase: string, task: string): string {
  return JSON.stringify([phase, task]);
}
