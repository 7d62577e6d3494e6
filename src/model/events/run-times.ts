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
import {
  applyToWork,
  beginWork,
  isIdle,
  isSettled,
  waitsForPerson,
  works,
  type PhaseEvent,
  type PhaseWork,
} from './phase-work.ts';

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
}

/**
 * Starts a fold before the first record.
 *
 * @param forkedAt The time of the fork, for records that do not have it. Milliseconds since 1970.
 */
export function foldRunTimes(forkedAt?: number): RunTimesFold {
  const phases = new Map<string, PhaseWork>();
  let held: ReadonlySet<LimitName> = NO_LIMITS;
  /** Ends of the pauses before next tries, in milliseconds since 1970, by phase and task. Created with the first. */
  let pauses: Map<string, number> | undefined;
  /** Tasks that an earlier process has begun, and the one that has the run now has not. Created with the first. */
  let left: Set<string> | undefined;
  const count = { working: 0, waiting: 0 };
  const state = { startedAt: 0, last: 0, workedMs: 0, copied: 0, countsAll: false, isOver: false, mayHold: false };
  let isBegun = false;
  let reviewers: ReadonlyMap<string, number> | undefined;

  function isWorking(): boolean {
    return !state.isOver && (count.working > 0 || count.waiting + held.size === 0);
  }

  /** Adds a phase to the counts, or removes it. */
  function add(phase: PhaseWork, by: 1 | -1, isHeld = isHolding(held)): void {
    if (works(phase, isHeld)) count.working += by;
    if (waitsForPerson(phase)) count.waiting += by;
  }

  function recount(change: () => void): void {
    change();
    const isHeld = isHolding(held);
    Object.assign(count, { working: 0, waiting: 0 });
    for (const phase of phases.values()) {
      if (!isHeld) phase.isHeldBack = false;
      add(phase, 1, isHeld);
    }
  }

  function readPlan(plan: Plan): void {
    state.mayHold = plan.onLimit === 'escalate';
    reviewers = reviewersIn(plan);
  }

  function applyToRun(event: Exclude<RunEvent, PhaseEvent>, time: number): void {
    switch (event.type) {
      case 'run.started':
        readPlan(event.plan);
        state.startedAt = event.forked?.at ?? forkedAt ?? time;
        state.copied = event.forked?.records ?? 0;
        state.countsAll = countsAllTime({ edition: event.edition ?? 1 });
        return;
      case 'run.resumed':
        if (event.plan) readPlan(event.plan);
        if (event.workedMs !== undefined) state.workedMs = event.workedMs;
        for (const [name, phase] of phases)
          for (const [task, stage] of phase.tasks) if (stage === 'begun') (left ??= new Set()).add(pauseOf(name, task));
        // An interrupted review is asked again as a whole, unless the records have the answers.
        recount(() => phases.forEach((phase) => (phase.isForPeople = phase.isKept)));
        return;
      case 'limit.reached':
        if (event.holds !== null || !state.mayHold) return;
        recount(() => {
          held = new Set([...held, event.limit]);
          const phase = event.refused && phases.get(event.refused.phase);
          if (phase?.stage === 'reviewing') phase.isHeldBack = true;
        });
        return;
      case 'limit.lifted':
        recount(() => (held = new Set([...held].filter((limit) => limit !== event.limit))));
        return;
      case 'run.reopened':
      case 'run.ended':
        state.isOver = event.type === 'run.ended';
        recount(() => (phases.clear(), (held = NO_LIMITS)));
        return;
      case 'run.suspended':
      case 'item.changed':
    }
  }

  function applyToPhase(event: PhaseEvent, time: number): void {
    if (event.type === 'task.retrying' && !event.reviewer) {
      pauses ??= new Map();
      pauses.set(pauseOf(event.phase, event.task), time + event.delayMs);
    }
    if (event.type === 'task.started') left?.delete(pauseOf(event.phase, event.task));
    const known = phases.get(event.phase);
    if (known) add(known, -1);
    const phase = event.type === 'phase.started' ? beginWork(known, reviewers?.get(event.phase) ?? 0) : known;
    if (!phase) return;
    if (isSettled(event)) {
      phases.delete(event.phase);
      return;
    }
    if (phase !== known) phases.set(event.phase, phase);
    applyToWork(phase, event, isHolding(held));
    add(phase, 1);
  }

  return {
    apply({ event, time }) {
      // The records copied into a fork took the time of another run. Without a process there is no work.
      const counts = isBegun && state.copied === 0 && event.type !== 'run.resumed';
      isBegun = true;
      if (counts && isWorking()) state.workedMs += Math.max(0, time - state.last);
      state.last = time;
      if ('phase' in event) applyToPhase(event, time);
      else applyToRun(event, time);
      if (state.copied > 0) {
        state.copied -= 1;
        state.workedMs = 0;
      }
    },
    at(now = state.last) {
      if (!isBegun) return { durationMs: 0, elapsedMs: 0 };
      const { startedAt, last, workedMs, countsAll, isOver } = state;
      const elapsedMs = Math.max(0, (isOver ? last : now) - startedAt);
      const since = isWorking() ? Math.max(0, now - last) : 0;
      return { durationMs: countsAll ? elapsedMs : workedMs + since, elapsedMs };
    },
    isWorking: () => state.countsAll || isWorking(),
    isHeld: () => isHolding(held),
    idleUntil(isParked = () => false, isHeldAbove = false) {
      if (!isBegun || state.isOver) return undefined;
      const isHeld = isHeldAbove || isHolding(held);
      let until = Infinity;
      let waits = isHeldAbove || held.size > 0;
      for (const [name, phase] of phases) {
        // While a limit holds the run, a task that an earlier process has begun does not begin here.
        const isOff = (task: string) => isParked(name, task) || (isHeld && left?.has(pauseOf(name, task)) === true);
        const parked = [...phase.tasks].filter(([task, stage]) => stage === 'begun' && isOff(task)).length;
        if (!isIdle(phase, isHeld, parked)) return undefined;
        waits ||= waitsForPerson(phase) || parked > 0;
        for (const [task, stage] of phase.tasks) {
          if (stage !== 'again') continue;
          waits = true;
          // A limit that holds the run lets no try begin.
          if (!isHeld) until = Math.min(until, pauses?.get(pauseOf(name, task)) ?? 0);
        }
      }
      return waits ? until : undefined;
    },
  };
}

// --- internal ---

/** Limits that let no try begin while they hold the run. */
const OF_TRIES: readonly LimitName[] = ['costUsd', 'tokens', 'durationMs', 'deadlineMs'];

/** Shared by all runs, as a process may have thousands. */
const NO_LIMITS: ReadonlySet<LimitName> = new Set();
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

function isHolding(held: ReadonlySet<LimitName>): boolean {
  return held.size > 0 && OF_TRIES.some((limit) => held.has(limit));
}
