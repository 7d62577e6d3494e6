/**
 * All that one phase went through: the fold from its records to its attempts.
 *
 * @module
 */
import { endsAttempt, type AttemptEnd } from '../../../../../src/model/events/attempt-end.ts';
import type { EventOf, RunEvent, RunRecord } from '../../../../../src/model/events/event.ts';
import type { Fold } from '../../data/follow.ts';
import { stateAfter } from './phase-state.ts';
import { newTask, taskAfter, type TaskStory } from './task-history.ts';

/** A decision on an attempt, with its record. */
export type DecisionStory = EventOf<'review.decided'> & { readonly seq: number; readonly time: number };

/** What ends an attempt. `phase.started` does where it is given up for a new start without a word. */
export type EndEvent = AttemptEnd | EventOf<'phase.started'>;

/** One attempt. */
export interface AttemptStory {
  /** The record that began it. */
  readonly seq: number;
  /** Which one it is in the whole run, from 1. */
  readonly number: number;
  readonly generation: number;
  /** 0-based; as in records. */
  readonly attempt: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** What it was told to change. */
  readonly revision: EventOf<'phase.started'>['revision'];
  /** Tasks first, then reviewers, each in the order in which they began. */
  readonly tasks: readonly TaskStory[];
  readonly decisions: readonly DecisionStory[];
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  readonly reflections: readonly EventOf<'phase.reflected'>[];
  readonly baseline: EventOf<'check.baselined'> | undefined;
  readonly loops: readonly EventOf<'loop.detected'>[];
  /** Attempts in a row, up to this one, that have put out what was sent back; 0 where it has put out something else. */
  readonly unchanged: number;
  /** What came of it: the event, with its record; `null` while it goes on. */
  readonly end: { readonly seq: number; readonly event: EndEvent } | null;
}

/** One phase. */
export interface PhaseStory {
  /** The oldest first. */
  readonly attempts: readonly AttemptStory[];
  /** The state of its machine; `null` where there is none. */
  readonly state: string | null;
  /** What has happened between attempts, oldest first. */
  readonly between: readonly RunRecord[];
}

/** The fold for one phase; records of others are passed over. */
export function beginPhaseStory(name: string): Fold<PhaseStory> {
  const attempts: AttemptStory[] = [];
  const between: RunRecord[] = [];
  let state: string | null = null;

  function change(to: Partial<AttemptStory>): void {
    const last = attempts.at(-1);
    if (last) attempts[attempts.length - 1] = { ...last, ...to };
  }

  function applyOwn(record: RunRecord, event: PhaseEvent): void {
    const last = attempts.at(-1);
    if (event.type === 'phase.started') {
      // What is started again without a word has been given up.
      if (last?.end === null) change({ endedAt: record.time, end: { seq: record.seq, event } });
      attempts.push(newAttempt(record, event, attempts.length + 1));
    } else if (BETWEEN.has(event.type)) between.push(record);
    if ('task' in event) change({ tasks: withTask(last?.tasks ?? [], event) });
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
    // What a person decides comes after a first end, and has one of its own.
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

/** The attempt that a record belongs to, by its place; the latest where there is no such record. */
export function attemptAt(attempts: readonly AttemptStory[], seq: number | null): number {
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

function newAttempt({ seq, time }: RunRecord, event: EventOf<'phase.started'>, number: number): AttemptStory {
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

/** What a person gives may be of tasks that have never begun. */
function withEdits(tasks: readonly TaskStory[], edited: Readonly<Record<string, unknown>>): readonly TaskStory[] {
  return Object.entries(edited).reduce<readonly TaskStory[]>((all, [name, value]) => {
    const at = all.findIndex((task) => task.name === name && !task.isReviewer);
    const task = { ...(all[at] ?? { ...newTask(name, false), state: 'done' }), edited: { value } };
    return at === -1 ? [task, ...all] : all.with(at, task);
  }, tasks);
}

function withTask(
  tasks: readonly TaskStory[],
  event: Extract<PhaseEvent, { readonly task: string }>,
): readonly TaskStory[] {
  const isReviewer = 'reviewer' in event && event.reviewer;
  const at = tasks.findIndex((task) => task.name === event.task && task.isReviewer === isReviewer);
  const task = taskAfter(tasks[at] ?? newTask(event.task, isReviewer), event);
  if (at !== -1) return tasks.with(at, task);
  const place = isReviewer ? tasks.length : tasks.filter((one) => !one.isReviewer).length;
  return tasks.toSpliced(place, 0, task);
}
