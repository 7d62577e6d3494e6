/**
 * Work in one phase of a run, as its records tell: if something works there, and if a person is waited for.
 *
 * @module
 */
import type { EventOf, RunEvent } from './event.ts';

/** An event of one phase. */
export type PhaseEvent = Extract<RunEvent, { readonly phase: string }>;

/** Work in a phase that has begun and not ended. */
export interface PhaseWork {
  /** `resting`: it waits for other phases, or for its place. */
  stage: 'running' | 'reviewing' | 'escalated' | 'resting';
  /** Tasks that have begun, that wait for their next try, and that wait for a person. Reviewers only as the latter. */
  readonly tasks: Map<string, TaskStage>;
  /** The number of tasks in each stage. */
  readonly of: Record<TaskStage, number>;
  /** The number of reviewers of its gate. */
  reviewers: number;
  /** The number of people that have answered in this review. */
  answered: number;
  /** If the review has said that it waits for people alone. */
  isForPeople: boolean;
  /** If its review does not begin, as a limit holds the run. */
  isHeldBack: boolean;
}

type TaskStage = 'begun' | 'again' | 'asked';

/** A phase starts. @param reviewers How many its gate has. */
export function beginWork(known: PhaseWork | undefined, reviewers: number): PhaseWork {
  const of = { begun: 0, again: 0, asked: 0 };
  const phase: PhaseWork = known ?? { stage: 'running', tasks: new Map(), of, ...ANEW, reviewers };
  clear(phase);
  return Object.assign(phase, { stage: 'running', reviewers });
}

/** If nothing more goes on in the phase after an event of it. */
export function isSettled({ type }: PhaseEvent): boolean {
  return SETTLED.has(type);
}

/** If something that is no person works in the phase, or could. @param isHeld If a limit lets no try begin. */
export function works(
  { stage, of, reviewers, answered, isForPeople, isHeldBack }: PhaseWork,
  isHeld: boolean,
): boolean {
  if (stage === 'running') return isHeld ? of.begun > 0 : of.begun + of.again > 0 || of.asked === 0;
  if (stage !== 'reviewing' || isHeldBack) return false;
  return of.asked === 0 || (!isForPeople && of.asked + answered < reviewers);
}

/** If the phase waits for a person, also beside what works in it. */
export function waitsForPerson({ stage, of }: PhaseWork): boolean {
  return stage === 'escalated' || of.asked > 0;
}

/** @param isHeld If a limit lets no try begin. */
export function applyToWork(phase: PhaseWork, event: PhaseEvent, isHeld: boolean): void {
  switch (event.type) {
    case 'task.started':
      // One that is resumed has its question still.
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
      Object.assign(phase, { stage: 'reviewing', isHeldBack: isHeld });
      return;
    case 'review.waiting':
      phase.isForPeople = true;
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
    case 'task.reported':
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

const ANEW = { answered: 0, isForPeople: false, isHeldBack: false };

function clear(phase: PhaseWork): void {
  phase.tasks.clear();
  Object.assign(phase.of, { begun: 0, again: 0, asked: 0 });
  Object.assign(phase, ANEW);
}

function put({ tasks, of }: PhaseWork, task: string, next: TaskStage | undefined): void {
  const before = tasks.get(task);
  if (before) of[before] -= 1;
  if (next) {
    of[next] += 1;
    tasks.set(task, next);
  } else tasks.delete(task);
}

/** A reviewer may have the name of a task. */
function keyOf({ reviewer, task }: EventOf<'task.asked' | 'task.answered'>): string {
  return reviewer ? `\u0000${task}` : task;
}
