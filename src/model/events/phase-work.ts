/**
 * The state of work in one phase of a run, derived from its records: active, or waiting for a person.
 *
 * @module
 */
import type { EventOf, RunEvent } from './event.ts';

/** An event of one phase. */
export type PhaseEvent = Extract<RunEvent, { readonly phase: string }>;

/** The work of a phase that has begun and not ended. */
export interface PhaseWork {
  /** `resting`: it waits for other phases, or for its place in the queue. */
  stage: 'running' | 'reviewing' | 'escalated' | 'resting';
  /** Tasks that are running, that wait for their next try, or that wait for a person. Reviewers only if they wait for a person. */
  readonly tasks: Map<string, TaskStage>;
  /** The number of tasks in each stage. */
  readonly of: Record<TaskStage, number>;
  /** The number of reviewers of its gate. */
  reviewers: number;
  /** The number of people who have answered in this review. */
  answered: number;
  /** True if the review only waits for people. */
  isForPeople: boolean;
  /** True if the records have the answers of all reviewers that are not people. */
  isKept: boolean;
  /** True if its review does not begin, as a limit holds the run. */
  isHeldBack: boolean;
}

type TaskStage = 'begun' | 'again' | 'asked';

/** Starts a phase. @param reviewers The number of reviewers of its gate. */
export function beginWork(known: PhaseWork | undefined, reviewers: number): PhaseWork {
  if (!known) {
    const of = { begun: 0, again: 0, asked: 0 };
    return { stage: 'running', tasks: new Map(), of, ...NEW_REVIEW, reviewers };
  }
  clear(known);
  known.stage = 'running';
  known.reviewers = reviewers;
  return known;
}

/** True if this event ends the work of its phase. */
export function isSettled({ type }: PhaseEvent): boolean {
  return SETTLED.has(type);
}

/** True if the phase is active, or could be, other than by a person. @param isHeld True if a limit lets no try begin. */
export function works(
  { stage, of, reviewers, answered, isForPeople, isHeldBack }: PhaseWork,
  isHeld: boolean,
): boolean {
  if (stage === 'running') return isHeld ? of.begun > 0 : of.begun + of.again > 0 || of.asked === 0;
  if (stage !== 'reviewing' || isHeldBack) return false;
  return of.asked === 0 || (!isForPeople && of.asked + answered < reviewers);
}

/**
 * True if no task or reviewer of the phase is active or about to begin. It waits for people, for its next try, for runs that only wait, or
 * for other phases.
 *
 * @param parked Number of tasks that have begun, and whose run only waits.
 */
export function isIdle(phase: PhaseWork, isHeld: boolean, parked: number): boolean {
  const { stage, of } = phase;
  if (stage === 'running') return of.begun === parked && (isHeld || of.asked + of.again + parked > 0);
  // Another process would ask reviewers again whose answers the records lack.
  return !works(phase, isHeld) && (!phase.isForPeople || phase.isKept);
}

/** True if the phase waits for a person, even if other work is active in it. */
export function waitsForPerson({ stage, of }: PhaseWork): boolean {
  return stage === 'escalated' || of.asked > 0;
}

/** Applies an event. @param isHeld True if a limit lets no try begin. */
export function applyToWork(phase: PhaseWork, event: PhaseEvent, isHeld: boolean): void {
  switch (event.type) {
    case 'task.started':
      // A resumed task still has its question, or waits on.
      if (phase.tasks.get(event.task) !== 'asked') put(phase, event.task, 'begun');
      return;
    case 'task.retrying':
      if (!event.reviewer) put(phase, event.task, 'again');
      return;
    case 'task.asked':
      put(phase, keyOf(event), 'asked');
      return;
    case 'task.answered':
      put(phase, keyOf(event), event.reviewer ? undefined : 'begun');
      if (event.reviewer) phase.answered += 1;
      return;
    case 'task.completed':
    case 'task.failed':
      put(phase, event.task, undefined);
      return;
    case 'review.started':
      clear(phase);
      phase.stage = 'reviewing';
      phase.isHeldBack = isHeld;
      return;
    case 'review.waiting':
      phase.isForPeople = true;
      phase.isKept = event.verdicts !== undefined;
      return;
    case 'review.decided':
      clear(phase);
      return;
    case 'phase.retrying':
    case 'phase.rewinding':
      phase.stage = 'resting';
      return;
    case 'phase.escalated':
      clear(phase);
      phase.stage = 'escalated';
      return;
    case 'task.reported':
      if (event.waiting === undefined || event.reviewer || !phase.tasks.has(event.task)) return;
      put(phase, event.task, event.waiting ? 'asked' : 'begun');
      return;
    case 'phase.started':
    case 'phase.read':
    case 'phase.unaffected':
    case 'phase.reflected':
    case 'phase.approved':
    case 'phase.rejected':
    case 'phase.failed':
    case 'phase.warned':
    case 'phase.stale':
    case 'phase.invalidated':
    case 'phase.skipped':
    case 'phase.cancelled':
    case 'task.dropped':
    case 'check.baselined':
    case 'attempt.unchanged':
    case 'loop.detected':
  }
}

// --- internal ---

const SETTLED: ReadonlySet<RunEvent['type']> = new Set([
  'phase.approved',
  'phase.rejected',
  'phase.failed',
  'phase.skipped',
  'phase.cancelled',
  'phase.invalidated',
]);

const NEW_REVIEW = { answered: 0, isForPeople: false, isKept: false, isHeldBack: false };

// Called twice per attempt in the fold over all records of a run, so fields are set one by one.
function clear(phase: PhaseWork): void {
  const { tasks, of } = phase;
  if (tasks.size > 0) tasks.clear();
  of.begun = 0;
  of.again = 0;
  of.asked = 0;
  phase.answered = 0;
  phase.isForPeople = false;
  phase.isKept = false;
  phase.isHeldBack = false;
}

function put({ tasks, of }: PhaseWork, task: string, next: TaskStage | undefined): void {
  const before = tasks.get(task);
  if (before) of[before] -= 1;
  if (next) {
    of[next] += 1;
    tasks.set(task, next);
  } else tasks.delete(task);
}

/** Returns a key that tells a reviewer from a task of the same name. */
function keyOf({ reviewer, task }: EventOf<'task.asked' | 'task.answered'>): string {
  return reviewer ? `\u0000${task}` : task;
}
