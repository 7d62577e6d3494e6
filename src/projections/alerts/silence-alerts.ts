/**
 * Work that has said nothing for long.
 *
 * ```text
 *   phase.started ─▶ attempt ── review.started ─▶ review        each with its tries: task.started ─▶ … ─▶ task.completed
 * ```
 *
 * Who waits for a person, for the end of a backoff, or for a place, is not silent. What takes long is not silent by that alone: it
 * is measured by itself, by how long the same task, attempt or review of the same phase took before.
 *
 * @module
 */
import type { EventOf, RunRecord } from '../../model/events/event.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { spanText, type Alert } from './alert.ts';
import { outlook, timeoutOf } from './timeout-outlook.ts';

/** A fold over the records of one run. */
export interface Silence {
  apply(record: RunRecord): void;
  troubles(now: number): readonly Alert[];
}

/** Milliseconds that are long where the same has ended fewer than {@link FEWEST} times in the run. */
export const LONG_MS = 600_000;
/** So many times the median of those is long, and at least so many milliseconds. */
export const TIMES_MEDIAN = 10;
export const LEAST_MS = 60_000;
/** Fewer say nothing about how long something takes. */
export const FEWEST = 3;

/** Begins before the first record. */
export function createSilence(): Silence {
  let plan: Plan | undefined;
  let isHeld = false;
  const phases = new Map<string, Working>();
  /** How long it took, by what it was. */
  const took = new Map<string, number[]>();
  /** Tasks and reviewers that were people. */
  const people = new Set<string>();

  function ended(what: string, { startedAt, isMeasure }: Heard, time: number): void {
    if (!isMeasure) return;
    // The latest say most.
    took.set(what, [...(took.get(what) ?? []), time - startedAt].slice(-MOST));
  }

  function applyToTask(working: Working, event: TaskEvent, { seq, time }: RunRecord): void {
    const before = working.tries.get(event.task);
    switch (event.type) {
      case 'task.started':
        working.tries.set(event.task, { ...begun(seq, time), isAsked: false });
        return;
      case 'task.reported':
        if (before) before.heardAt = time;
        return;
      case 'task.asked':
        // People take as long as they take.
        working.tries.set(event.task, { ...begun(seq, time), isMeasure: false, isAsked: true });
        working.isMeasure = false;
        people.add(nameOf('try', event.phase, event.task));
        return;
      case 'task.answered':
        // A reviewer who has answered has done all that there is to do; others may not have.
        if (event.reviewer) working.tries.delete(event.task);
        else if (before) Object.assign(before, { heardAt: time, isAsked: false });
        return;
      case 'task.retrying':
        // Tries of reviewers are no records: the review is told of as one.
        (before ?? working).heardAt = time + event.delayMs;
        return;
      case 'task.completed':
      case 'task.failed':
        if (before && event.type === 'task.completed') ended(nameOf('try', event.phase, event.task), before, time);
        working.tries.delete(event.task);
    }
  }

  function applyToPhase(record: RunRecord, event: PhaseEvent): void {
    const { seq, time } = record;
    const working = phases.get(event.phase);
    switch (event.type) {
      case 'phase.started':
        phases.set(event.phase, { kind: 'attempt', ...begun(seq, time), tries: new Map() });
        return;
      case 'review.started':
        if (working?.kind === 'attempt') ended(nameOf('attempt', event.phase), working, time);
        phases.set(event.phase, { kind: 'review', ...begun(seq, time), tries: new Map() });
        return;
      case 'review.decided':
        if (working?.kind === 'review') ended(nameOf('review', event.phase), working, time);
        phases.delete(event.phase);
        return;
      case 'phase.approved':
      case 'review.waiting':
      case 'phase.retrying':
      case 'phase.rewinding':
      case 'phase.escalated':
      case 'phase.rejected':
      case 'phase.failed':
      case 'phase.skipped':
      case 'phase.cancelled':
      case 'phase.invalidated':
      case 'phase.stale':
        if (event.type === 'phase.approved' && working?.kind === 'attempt')
          ended(nameOf('attempt', event.phase), working, time);
        phases.delete(event.phase);
        return;
      case 'phase.warned':
      case 'phase.read':
      case 'phase.unaffected':
      case 'phase.reflected':
      case 'check.baselined':
      case 'loop.detected':
      case 'attempt.unchanged':
        if (working) hear(working, time);
        return;
      case 'task.started':
      case 'task.reported':
      case 'task.completed':
      case 'task.retrying':
      case 'task.failed':
      case 'task.asked':
      case 'task.answered':
        if (!working) return;
        hear(working, time);
        applyToTask(working, event, record);
        return;
      case 'task.dropped':
    }
  }

  /** What was interrupted, or held, goes on: how long it takes is told by what was not. */
  function hearAll(time: number): void {
    for (const working of phases.values())
      for (const one of [working, ...working.tries.values()])
        Object.assign(one, { heardAt: time, startedAt: time, isMeasure: false });
  }

  return {
    apply(record) {
      const { event, time } = record;
      if ('phase' in event) applyToPhase(record, event);
      else if (event.type === 'run.started' || event.type === 'run.resumed') {
        plan = event.plan ?? plan;
        hearAll(time);
      } else if (event.type === 'run.reopened') phases.clear();
      else if (event.type === 'limit.reached') isHeld ||= event.holds === null;
      else if (event.type === 'limit.lifted') {
        isHeld = false;
        hearAll(time);
      }
    },
    troubles(now) {
      if (isHeld) return [];
      return [...phases].flatMap(([phase, working]) =>
        silentIn(working).flatMap(({ kind, task, one }) => {
          const forMs = now - one.heardAt;
          const long = longFor(took.get(nameOf(kind, phase, task)) ?? []);
          if (forMs < Math.max(LEAST_MS, long.ms)) return [];
          return {
            code: 'SILENT',
            phase,
            seq: one.seq,
            since: one.heardAt,
            found: `${WHAT[kind](task)} has said nothing for ${spanText(forMs)}${long.why}`,
            ...outlook(
              now,
              task === undefined ? one.heardAt : one.startedAt,
              timeoutOf(plan, phase, {
                kind: working.kind,
                task,
                isPerson: (name) => people.has(nameOf('try', phase, name)),
              }),
            ),
          } as const;
        }),
      );
    },
  };
}

// --- internal ---

/** So many are remembered of each. */
const MOST = 99;

type Kind = 'try' | 'attempt' | 'review';

type PhaseEvent = Extract<RunRecord['event'], { readonly phase: string }>;
type TaskEvent = EventOf<
  'task.started' | 'task.reported' | 'task.completed' | 'task.retrying' | 'task.failed' | 'task.asked' | 'task.answered'
>;

interface Heard {
  readonly seq: number;
  startedAt: number;
  heardAt: number;
  /** Whether how long it takes tells how long the same takes the next time. */
  isMeasure: boolean;
}

interface Try extends Heard {
  isAsked: boolean;
}

/** A phase that is at work, or in review. */
interface Working extends Heard {
  readonly kind: 'attempt' | 'review';
  readonly tries: Map<string, Try>;
}

const WHAT: Readonly<Record<Kind, (task?: string) => string>> = {
  try: (task = '') => `Task ${task}`,
  attempt: () => 'The attempt',
  review: () => 'The review',
};

function begun(seq: number, time: number): Heard {
  return { seq, startedAt: time, heardAt: time, isMeasure: true };
}

/** A phase is not heard of earlier than before: one of its reviewers may wait for the end of a backoff. */
function hear(working: Working, time: number): void {
  working.heardAt = Math.max(working.heardAt, time);
}

function nameOf(kind: Kind, phase: string, task = ''): string {
  return JSON.stringify([kind, phase, task]);
}

/** What is told of: the tries that go on; the phase itself where none does, and nobody is asked. */
function silentIn(working: Working): readonly {
  readonly kind: Kind;
  readonly task?: string;
  readonly one: Readonly<Heard>;
}[] {
  if (working.tries.size === 0) return [{ kind: working.kind, one: working }];
  return [...working.tries].flatMap(([task, one]) => (one.isAsked ? [] : { kind: 'try' as const, task, one }));
}

function longFor(before: readonly number[]): { readonly ms: number; readonly why: string } {
  const sorted = before.toSorted((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)];
  if (median === undefined || sorted.length < FEWEST) return { ms: LONG_MS, why: '' };
  return { ms: Math.max(LEAST_MS, median * TIMES_MEDIAN), why: `; otherwise it takes ${spanText(median)}` };
}
