/**
 * Alerts about work that has reported nothing for long.
 *
 * ```text
 *   phase.started ─▶ attempt ── review.started ─▶ review        each with its tries: task.started ─▶ … ─▶ task.completed
 * ```
 *
 * Waiting for a person, for the end of a backoff, or for a place, is not silence. Long work is not silent just because it is long: it
 * is compared with earlier durations of the same task, attempt or review of the same phase.
 *
 * @module
 */
import type { EventOf, RunRecord } from '../../model/events/event.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { spanText, type Alert } from './alert.ts';
import { outlook, timeoutOf } from './timeout-outlook.ts';

/** A fold over the records of one run. */
export interface SilenceAlerts {
  apply(record: RunRecord): void;
  alerts(now: number): readonly Alert[];
}

/** Milliseconds that count as long, if the same has ended fewer than {@link FEWEST} times in the run. */
export const LONG_MS = 600_000;
/** Multiple of the median duration that counts as long, and the least milliseconds that do. */
export const TIMES_MEDIAN = 10;
export const LEAST_MS = 60_000;
/** Least number of durations for a median. */
export const FEWEST = 3;

/** Starts a fold before the first record. */
export function createSilenceAlerts(): SilenceAlerts {
  let plan: Plan | undefined;
  let isHeld = false;
  const phases = new Map<string, Working>();
  /** Earlier durations of each try, attempt and review. */
  const took = new Map<string, number[]>();
  /** Tasks and reviewers that are people. */
  const people = new Set<string>();

  function ended(what: string, { startedAt, isMeasure }: Activity, time: number): void {
    if (!isMeasure) return;
    // Only the latest durations count.
    took.set(what, [...(took.get(what) ?? []), time - startedAt].slice(-MOST));
  }

  function applyToTask(working: Working, event: TaskEvent, { seq, time }: RunRecord): void {
    const before = working.tries.get(event.task);
    switch (event.type) {
      case 'task.started':
        working.tries.set(event.task, { ...begun(seq, time), isAsked: false });
        return;
      case 'task.reported':
        if (before) before.activeAt = time;
        return;
      case 'task.asked':
        // A person may take any time.
        working.tries.set(event.task, { ...begun(seq, time), isMeasure: false, isAsked: true });
        working.isMeasure = false;
        people.add(nameOf('try', event.phase, event.task));
        return;
      case 'task.answered':
        // A reviewer that has answered is done, while others may still work.
        if (event.reviewer) working.tries.delete(event.task);
        else if (before) Object.assign(before, { activeAt: time, isAsked: false });
        return;
      case 'task.retrying':
        // Tries of reviewers have no records of their own: they count for their review.
        (before ?? working).activeAt = time + event.delayMs;
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
        if (working) noteActivity(working, time);
        return;
      case 'task.started':
      case 'task.reported':
      case 'task.completed':
      case 'task.retrying':
      case 'task.failed':
      case 'task.asked':
      case 'task.answered':
        if (!working) return;
        noteActivity(working, time);
        applyToTask(working, event, record);
        return;
      case 'task.dropped':
    }
  }

  /** Restarts the measurement of work that was interrupted or held. Its duration is no measure for later work. */
  function restartAll(time: number): void {
    for (const working of phases.values())
      for (const one of [working, ...working.tries.values()])
        Object.assign(one, { activeAt: time, startedAt: time, isMeasure: false });
  }

  return {
    apply(record) {
      const { event, time } = record;
      if ('phase' in event) applyToPhase(record, event);
      else if (event.type === 'run.started' || event.type === 'run.resumed') {
        plan = event.plan ?? plan;
        restartAll(time);
      } else if (event.type === 'run.reopened') phases.clear();
      else if (event.type === 'limit.reached') isHeld ||= event.holds === null;
      else if (event.type === 'limit.lifted') {
        isHeld = false;
        restartAll(time);
      }
    },
    alerts(now) {
      if (isHeld) return [];
      return [...phases].flatMap(([phase, working]) =>
        silentIn(working).flatMap(({ kind, task, one }) => {
          const forMs = now - one.activeAt;
          const long = longFor(took.get(nameOf(kind, phase, task)) ?? []);
          if (forMs < Math.max(LEAST_MS, long.ms)) return [];
          return {
            code: 'SILENT',
            phase,
            seq: one.seq,
            since: one.activeAt,
            found: `${WHAT[kind](task)} has reported nothing for ${spanText(forMs)}${long.why}`,
            ...outlook(
              now,
              task === undefined ? one.activeAt : one.startedAt,
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

/** Most durations that are stored of each. */
const MOST = 99;

type Kind = 'try' | 'attempt' | 'review';

type PhaseEvent = Extract<RunRecord['event'], { readonly phase: string }>;
type TaskEvent = EventOf<
  'task.started' | 'task.reported' | 'task.completed' | 'task.retrying' | 'task.failed' | 'task.asked' | 'task.answered'
>;

interface Activity {
  readonly seq: number;
  startedAt: number;
  activeAt: number;
  /** True if its duration is a measure for later work of the same kind. */
  isMeasure: boolean;
}

interface Try extends Activity {
  isAsked: boolean;
}

/** A phase that works, or is in review. */
interface Working extends Activity {
  readonly kind: 'attempt' | 'review';
  readonly tries: Map<string, Try>;
}

const WHAT: Readonly<Record<Kind, (task?: string) => string>> = {
  try: (task = '') => `Task ${task}`,
  attempt: () => 'The attempt',
  review: () => 'The review',
};

function begun(seq: number, time: number): Activity {
  return { seq, startedAt: time, activeAt: time, isMeasure: true };
}

/** Notes activity of a phase. Its time never moves back, as a reviewer's backoff may lie in the future. */
function noteActivity(working: Working, time: number): void {
  working.activeAt = Math.max(working.activeAt, time);
}

function nameOf(kind: Kind, phase: string, task = ''): string {
  return JSON.stringify([kind, phase, task]);
}

/**
 * Returns the work that may be silent: the open tries, or the phase itself if there are none. Tries that wait for a person do not count.
 */
function silentIn(working: Working): readonly {
  readonly kind: Kind;
  readonly task?: string;
  readonly one: Readonly<Activity>;
}[] {
  if (working.tries.size === 0) return [{ kind: working.kind, one: working }];
  return [...working.tries].flatMap(([task, one]) => (one.isAsked ? [] : { kind: 'try' as const, task, one }));
}

function longFor(before: readonly number[]): { readonly ms: number; readonly why: string } {
  const sorted = before.toSorted((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)];
  if (median === undefined || sorted.length < FEWEST) return { ms: LONG_MS, why: '' };
  return { ms: Math.max(LEAST_MS, median * TIMES_MEDIAN), why: `; it usually takes ${spanText(median)}` };
}
