/**
 * Work that has said nothing for long.
 *
 * ```text
 *   phase.started ─▶ attempt ── review.started ─▶ review        each with its tries: task.started ─▶ … ─▶ task.completed
 * ```
 *
 * Who waits for a person, for the end of a backoff, or for a place, is not silent.
 *
 * @module
 */
import type { EventOf, RunRecord } from './event.ts';
import type { Plan } from './plan.ts';
import { spanText, type Trouble } from './trouble.ts';

/** A fold over the records of one run. */
export interface Silence {
  apply(record: RunRecord): void;
  troubles(now: number): readonly Trouble[];
}

/** Milliseconds that are long where fewer than {@link FEWEST} others of its kind have ended in the run. */
export const LONG_MS = 600_000;
/** So many times the median of the others is long, and at least so many milliseconds. */
export const TIMES_MEDIAN = 10;
export const LEAST_MS = 60_000;
/** Fewer say nothing about how long something takes. */
export const FEWEST = 3;

/** Begins before the first record. */
export function createSilence(): Silence {
  let plan: Plan | undefined;
  let isHeld = false;
  const phases = new Map<string, Working>();
  const took: Readonly<Record<Kind, number[]>> = { try: [], attempt: [], review: [] };

  function ended(kind: Kind, ms: number): void {
    took[kind].push(ms);
    // The latest say most.
    if (took[kind].length > MOST) took[kind].shift();
  }

  function applyToTask(working: Working, event: TaskEvent, { seq, time }: RunRecord): void {
    const before = working.tries.get(event.task);
    switch (event.type) {
      case 'task.started':
        working.tries.set(event.task, { seq, startedAt: time, heardAt: time, isAsked: false });
        return;
      case 'task.reported':
        if (before) before.heardAt = time;
        return;
      case 'task.asked':
        working.tries.set(event.task, { seq, startedAt: time, heardAt: time, isAsked: true });
        return;
      case 'task.answered':
        if (before) Object.assign(before, { heardAt: time, isAsked: false });
        return;
      case 'task.retrying':
        // Tries of reviewers are no records: the review is told of as one.
        (before ?? working).heardAt = time + event.delayMs;
        return;
      case 'task.completed':
      case 'task.failed':
        if (before && !before.isAsked && event.type === 'task.completed') ended('try', time - before.startedAt);
        working.tries.delete(event.task);
    }
  }

  function applyToPhase(record: RunRecord, event: PhaseEvent): void {
    const { seq, time } = record;
    const working = phases.get(event.phase);
    switch (event.type) {
      case 'phase.started':
        phases.set(event.phase, { kind: 'attempt', seq, startedAt: time, heardAt: time, tries: new Map() });
        return;
      case 'review.started':
        if (working?.kind === 'attempt') ended('attempt', time - working.startedAt);
        phases.set(event.phase, { kind: 'review', seq, startedAt: time, heardAt: time, tries: new Map() });
        return;
      case 'review.decided':
        if (working?.kind === 'review') ended('review', time - working.startedAt);
        phases.delete(event.phase);
        return;
      case 'phase.approved':
        if (working?.kind === 'attempt') ended('attempt', time - working.startedAt);
        phases.delete(event.phase);
        return;
      case 'phase.retrying':
      case 'phase.rewinding':
      case 'phase.escalated':
      case 'phase.rejected':
      case 'phase.failed':
      case 'phase.skipped':
      case 'phase.cancelled':
      case 'phase.invalidated':
      case 'phase.stale':
        phases.delete(event.phase);
        return;
      case 'phase.warned':
      case 'phase.read':
      case 'phase.reflected':
      case 'check.baselined':
      case 'loop.detected':
        if (working) working.heardAt = time;
        return;
      case 'task.started':
      case 'task.reported':
      case 'task.completed':
      case 'task.retrying':
      case 'task.failed':
      case 'task.asked':
      case 'task.answered':
        if (!working) return;
        working.heardAt = time;
        applyToTask(working, event, record);
    }
  }

  /** What was interrupted began anew, as far as can be known: how long it takes is told by others. */
  function hearAll(time: number): void {
    for (const working of phases.values()) {
      Object.assign(working, { heardAt: time, startedAt: time });
      for (const one of working.tries.values()) Object.assign(one, { heardAt: time, startedAt: time });
    }
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
        silentIn(working).flatMap(({ kind, task, seq, heardAt }) => {
          const long = longFor(took[kind]);
          if (now - heardAt < long.ms) return [];
          const timeout = timeoutOf(plan, phase, task);
          return {
            code: 'SILENT',
            severity: 'problem',
            phase,
            seq,
            since: heardAt,
            found: `${WHAT[kind](task)} has said nothing for ${spanText(now - heardAt)}${long.why}`,
            advice:
              timeout > 0
                ? `Each try has a timeout of ${spanText(timeout)}.`
                : 'See what it works on; a timeout would end it by itself.',
          } as const;
        }),
      );
    },
  };
}

// --- internal ---

/** So many are remembered of each kind. */
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

/** What is told of: the tries that go on; the phase itself where none does, and nobody is asked. */
function silentIn({ kind, tries, seq, heardAt }: Working): readonly (Pick<Heard, 'seq' | 'heardAt'> & {
  readonly kind: Kind;
  readonly task?: string;
})[] {
  if (tries.size === 0) return [{ kind, seq, heardAt }];
  return [...tries].flatMap(([task, one]) => (one.isAsked ? [] : { ...one, kind: 'try' as const, task }));
}

function longFor(others: readonly number[]): { readonly ms: number; readonly why: string } {
  const sorted = others.toSorted((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)];
  if (median === undefined || sorted.length < FEWEST) return { ms: LONG_MS, why: '' };
  return { ms: Math.max(LEAST_MS, median * TIMES_MEDIAN), why: `; others took ${spanText(median)} in the middle` };
}

/** The timeout of a task, or else the longest of those of the reviewers; 0 for none. */
function timeoutOf(plan: Plan | undefined, phase: string, task: string | undefined): number {
  const found = plan?.phases.find(({ name }) => name === phase);
  if (task !== undefined) return found?.tasks.find(({ name }) => name === task)?.timeout ?? 0;
  const timeouts = found?.gate?.reviewers.map(({ timeout }) => timeout) ?? [];
  return timeouts.includes(0) ? 0 : Math.max(0, ...timeouts);
}
