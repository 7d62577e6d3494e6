/**
 * The history of one phase: the fold from its records to its attempts.
 *
 * @module
 */
import { endsAttempt, type AttemptEnd } from '../../../../../src/model/events/attempt-end.ts';
import type { EventOf, RunEvent, RunRecord } from '../../../../../src/model/events/event.ts';
import type { Fold } from '../../data/follow.ts';
import { stateAfter } from './phase-state.ts';
import { newTask, taskAfter, type TaskHistory } from './task-history.ts';

/** A decision about an attempt, with its record. */
export type RecordedDecision = EventOf<'review.decided'> & { readonly seq: number; readonly time: number };

/** An event that ends an attempt. `phase.started` ends the previous attempt if no other event has. */
export type EndEvent = AttemptEnd | EventOf<'phase.started'>;

/** An attempt. */
export interface AttemptHistory {
  /** The number of the record that started it. */
  readonly seq: number;
  /** Its number in the whole run, from 1. */
  readonly number: number;
  readonly generation: number;
  /** The index of the attempt as in records, from 0. */
  readonly attempt: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** The requested change. */
  readonly revision: EventOf<'phase.started'>['revision'];
  /** Tasks first, then reviewers, each in the order of their starts. */
  readonly tasks: readonly TaskHistory[];
  readonly decisions: readonly RecordedDecision[];
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  readonly reflections: readonly EventOf<'phase.reflected'>[];
  readonly baseline: EventOf<'check.baselined'> | undefined;
  readonly loops: readonly EventOf<'loop.detected'>[];
  /** Consecutive attempts, up to this one, with the output that was sent back; 0 if the output is different. */
  readonly unchanged: number;
  /** The event that ended it, with the number of its record; `null` if it has not ended. */
  readonly end: { readonly seq: number; readonly event: EndEvent } | null;
}

/** The history of a phase. */
export interface PhaseHistory {
  /** The oldest first. */
  readonly attempts: readonly AttemptHistory[];
  /** The state of its machine; `null` if there is none. */
  readonly state: string | null;
  /** Records between attempts, the oldest first. */
  readonly between: readonly RunRecord[];
}

/** Starts the fold for one phase. It ignores the records of others. */
export function startPhaseHistory(name: string): Fold<PhaseHistory> {
  const attempts: AttemptHistory[] = [];
  const between: RunRecord[] = [];
  let state: string | null = null;

  function change(to: Partial<AttemptHistory>): void {
    const last = attempts.at(-1);
    if (last) attempts[attempts.length - 1] = { ...last, ...to };
  }

  function applyOwn(record: RunRecord, event: PhaseEvent): void {
    const last = attempts.at(-1);
    if (event.type === 'phase.started') {
      // A new start ends an attempt that no event has ended.
      if (last?.end === null) change({ endedAt: record.time, end: { seq: record.seq, event } });
      attempts.push(newAttempt(record, event, attempts.length + 1));
    } else if (BETWEEN.has(event.type)) between.push(record);
    if ('task' in event) change({ tasks: withTask(last?.tasks ?? [], event, record) });
    else if (event.type === 'review.decided') {
      change({
        decisions: [...(last?.decisions ?? []), { ...event, seq: record.seq, time: record.time }],
        tasks: withEdits(last?.tasks ?? [], event.edited ?? {}),
      });
    } else if (event.type === 'phase.warned') {
      change({ warnings: [...(last?.warnings ?? []), { code: event.code, message: event.message }] });
    } else if (event.type === 'phase.reflected') change({ reflections: [...(last?.reflections ?? []), event] });
    else if (event.type === 'check.baselined') change({ baseline: event });
    else if (event.type === 'attempt.unchanged') change({ unchanged: event.times });
    else if (event.type === 'loop.detected') change({ loops: [...(last?.loops ?? []), event] });
    // After a person's decision, an attempt may end a second time.
    if (endsAttempt(event)) change({ endedAt: record.time, end: { seq: record.seq, event } });
    else if (event.type === 'review.started') change({ endedAt: null, end: null });
  }

  return {
    apply(record) {
      const { event } = record;
      state = stateAfter(state, event, name);
      if ('phase' in event && event.phase === name) applyOwn(record, event);
    },
    read: () => ({ attempts: [...attempts], state, between: [...between] }),
  };
}

/** The index of the attempt that a record belongs to; the latest if there is no such record. */
export function attemptAt(attempts: readonly AttemptHistory[], seq: number | null): number {
  const found = seq === null ? -1 : attempts.findLastIndex((one) => one.seq <= seq);
  return found === -1 ? attempts.length - 1 : found;
}

// --- internal ---

type PhaseEvent = Extract<RunEvent, { readonly phase: string }>;

const BETWEEN: ReadonlySet<RunEvent['type']> = new Set([
  'phase.invalidated',
  'phase.stale',
  'phase.unaffected',
  'phase.skipped',
  'phase.cancelled',
  'phase.read',
]);

function newAttempt({ seq, time }: RunRecord, event: EventOf<'phase.started'>, number: number): AttemptHistory {
  return {
    seq,
    number,
    generation: event.generation,
    attempt: event.attempt,
    startedAt: time,
    endedAt: null,
    revision: event.revision,
    tasks: [],
    decisions: [],
    warnings: [],
    reflections: [],
    baseline: undefined,
    loops: [],
    unchanged: 0,
    end: null,
  };
}

/** A person may give outputs of tasks that have never started. */
function withEdits(tasks: readonly TaskHistory[], edited: Readonly<Record<string, unknown>>): readonly TaskHistory[] {
  return Object.entries(edited).reduce<readonly TaskHistory[]>((all, [name, value]) => {
    const at = all.findIndex((task) => task.name === name && !task.isReviewer);
    const task = { ...(all[at] ?? { ...newTask(name, false), state: 'done' }), edited: { value } };
    return at === -1 ? [task, ...all] : all.with(at, task);
  }, tasks);
}

function withTask(
  tasks: readonly TaskHistory[],
  event: Extract<PhaseEvent, { readonly task: string }>,
  record: RunRecord,
): readonly TaskHistory[] {
  const isReviewer = 'reviewer' in event && event.reviewer;
  const at = tasks.findIndex((task) => task.name === event.task && task.isReviewer === isReviewer);
  const task = taskAfter(tasks[at] ?? newTask(event.task, isReviewer), event, record);
  if (at !== -1) return tasks.with(at, task);
  const place = isReviewer ? tasks.length : tasks.filter((one) => !one.isReviewer).length;
  return tasks.toSpliced(place, 0, task);
}
