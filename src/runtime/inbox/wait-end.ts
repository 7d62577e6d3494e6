/**
 * The end of the wait of a run that only waits, according to its records.
 *
 * @module
 */
import type { RunEvent } from '../../model/events/event.ts';
import { foldRunTimes, type RunTimesFold } from '../../model/events/run-times.ts';
import { countsAllTime } from '../../model/plan/edition.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import { recordAt, type RecordLog } from '../records/record-log.ts';

/** A run that a task has started, with the end of its wait; `undefined` if it is active. */
export interface WaitBelow {
  readonly phase: string;
  readonly task: string;
  readonly until: number | undefined;
}

/** A run that may only wait. */
export interface WaitingRun {
  readonly log: RecordLog;
  /** The fold over all of its records. */
  readonly times: RunTimesFold;
  readonly plan: Plan;
  /** Its open items. */
  readonly items: readonly InboxItem[];
  readonly below: readonly WaitBelow[];
  /** True if a limit of the run whose task has started this one lets no try begin. */
  readonly isHeldAbove: boolean;
}

/**
 * The time until which a run only waits: for people, or for its next try. Milliseconds since 1970; `Infinity` if only a message can continue
 * it; `undefined` if something else is active, or about to begin.
 */
export function waitEnd({ log, times, plan, items, below, isHeldAbove }: WaitingRun): number | undefined {
  const isParked = (phase: string, task: string) => below.some((one) => one.phase === phase && one.task === task);
  const until = times.idleUntil(isParked, isHeldAbove);
  if (until === undefined) return undefined;
  const ends = [until, deadlineOf(plan, log, times)];
  for (const { phase, task, until: end } of below) {
    if (end === undefined) return undefined;
    ends.push(end, timeoutOf(plan, log, phase, task));
  }
  for (const { expired, onExpiry, dueAt } of items)
    ends.push(expired && onExpiry === 'reject' ? 0 : (dueAt ?? Infinity));
  return Math.min(...ends);
}

/**
 * The time until which a run that a process leaves only waits, as {@link waitEnd} returns it. `undefined`, too, if a task says that it waits for
 * something else than a person: another process has to go on with it.
 *
 * @param below Returns the runs that its tasks have started. It gets true if a limit lets no try of them begin.
 */
export function leftUntil(
  run: Omit<WaitingRun, 'times' | 'below'>,
  below: (isHeld: boolean) => readonly WaitBelow[],
): number | undefined {
  const times = foldRunTimes();
  const saying = new Map<string, WorkPlace>();
  for (let index = 0, record; (record = recordAt(run.log, index)); index++) {
    times.apply(record);
    noteWaiting(saying, record.event);
  }
  const runs = below(run.isHeldAbove || times.isHeld());
  for (const { phase, task } of saying.values())
    if (!runs.some((one) => one.phase === phase && one.task === task)) return undefined;
  return waitEnd({ ...run, times, below: runs });
}

// --- internal ---

type WorkPlace = Pick<WaitBelow, 'phase' | 'task'>;

/** Notes the tasks that say they wait. */
function noteWaiting(saying: Map<string, WorkPlace>, event: RunEvent): void {
  if (!('task' in event)) return;
  const { phase, task } = event;
  if (event.type !== 'task.reported') saying.delete(`${phase}:${task}`);
  else if (event.waiting === true) saying.set(`${phase}:${task}`, { phase, task });
  else if (event.waiting === false) saying.delete(`${phase}:${task}`);
}

/** The time at which the try of a task times out, in milliseconds since 1970; `Infinity` if it never does. */
function timeoutOf({ phases }: Plan, { events, times }: RecordLog, phase: string, task: string): number {
  const timeout = phases.find(({ name }) => name === phase)?.tasks.find(({ name }) => name === task)?.timeout ?? 0;
  if (timeout === 0) return Infinity;
  const isOf = (event: RunEvent) =>
    'phase' in event && event.phase === phase && (!('task' in event) || event.task === task);
  const before = events.findLastIndex(
    (event) => isOf(event) && (event.type === 'phase.started' || (event.type === 'task.retrying' && !event.reviewer)),
  );
  // A process that resumes the run records the start of the same try again.
  const first = events.findIndex((event, at) => at > before && event.type === 'task.started' && isOf(event));
  return (times[first] ?? Infinity) + timeout;
}

/** The time at which a limit of time ends the run, in milliseconds since 1970. In early editions all time counts for both limits. */
function deadlineOf({ limits }: Plan, log: RecordLog, times: RunTimesFold): number {
  const { durationMs = Infinity, deadlineMs = Infinity } = limits;
  const [first] = log.events;
  const isAllCounted = first?.type === 'run.started' && countsAllTime({ edition: first.edition ?? 1 });
  const now = log.now();
  return now + Math.min(deadlineMs, isAllCounted ? durationMs : Infinity) - times.at(now).elapsedMs;
}
