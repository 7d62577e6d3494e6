/**
 * The bars of a timeline: the activities of phases over time.
 *
 * @module
 */

/**
 * The activity of a phase:
 *
 * - `work`: its tasks run;
 * - `review`: its gate judges;
 * - `person`: it waits for a person;
 * - `backoff`: it waits for another try;
 * - `waiting`: it was sent back, and waits to start again.
 */
export type TimelineKind = 'work' | 'review' | 'person' | 'backoff' | 'waiting';

/**
 * The event that ended a bar. Most values are the outcome of an attempt. The others:
 *
 * - `done`: the review of the work follows;
 * - `again`: the same is tried or asked again;
 * - `answered`: a person has answered;
 * - `started`: the phase starts again;
 * - `kept`: the phase keeps its earlier approval;
 * - `invalidated`: the phase must run again because an ancestor did;
 * - `interrupted`: the process stopped.
 */
export type TimelineOutcome =
  | 'done'
  | 'again'
  | 'answered'
  | 'started'
  | 'approved'
  | 'retry'
  | 'rewind'
  | 'rejected'
  | 'failed'
  | 'escalated'
  | 'invalidated'
  | 'kept'
  | 'skipped'
  | 'cancelled'
  | 'interrupted';

/**
 * A time in which a phase had one activity.
 *
 * Bars of one phase without `task` never overlap. A bar with `task` shows that one task or one reviewer waits. It lies within the bar
 * of the work or the review, as other tasks of the phase may run meanwhile.
 */
export interface TimelineBar {
  readonly phase: string;
  readonly kind: TimelineKind;
  readonly generation: number;
  /** The index in its generation, from 0. */
  readonly attempt: number;
  /** The number of the attempt in the whole run, from 1. */
  readonly number: number;
  /** The task, or the reviewer, that waits. */
  readonly task?: string | undefined;
  /** Milliseconds since 1970. */
  readonly from: number;
  /** Milliseconds since 1970; `null` while it lasts. */
  readonly to: number | null;
  /** The record that began it. */
  readonly seq: number;
  readonly outcome?: TimelineOutcome | undefined;
}

/** The beginning of a bar. */
export interface BarStart {
  readonly phase: string;
  readonly kind: TimelineKind;
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** A task or a reviewer that waits. A reviewer may have the name of a task of the same phase. */
export interface Waiter {
  readonly phase: string;
  readonly task: string;
  readonly reviewer?: boolean;
}

/** The bars of one run, open and ended ones. */
export interface Bars {
  /** Begins an activity of a phase. The previous bar must have ended. */
  begin(start: BarStart): void;
  /** Ends the activity of a phase, and all waits in it. */
  end(phase: string, time: number, outcome: TimelineOutcome): void;
  /** Begins an attempt: the following bars of the phase are of it. */
  attempt(at: Pick<TimelineBar, 'phase' | 'generation' | 'attempt'>): void;
  isOpen(phase: string): boolean;
  /** @param due The time at which the wait ends without a record. @default never */
  beginWait(waiter: Waiter, start: Omit<BarStart, 'phase'>, due?: number): void;
  /** @param kind The kind of waits to end. @default any */
  endWait(waiter: Waiter, time: number, outcome: TimelineOutcome, kind?: TimelineKind): void;
  /** Ends activities at the time of the last record, and begins them again. Waits continue. */
  interrupt(last: number, start: Pick<BarStart, 'seq' | 'time'>): void;
  endAll(time: number, outcome: TimelineOutcome): void;
  /** Returns all bars at a time, in the order in which they began. */
  list(now: number): readonly TimelineBar[];
}

/** Makes an empty list of bars. */
export function createBars(): Bars {
  const bars: TimelineBar[] = [];
  const rows = new Map<string, Row>();

  function rowOf(phase: string): Row {
    const row = rows.get(phase) ?? { generation: 0, attempt: 0, number: 0, open: undefined, waits: new Map() };
    rows.set(phase, row);
    return row;
  }

  function begin({ phase, kind, seq, time }: BarStart): void {
    const row = rowOf(phase);
    const { generation, attempt, number } = row;
    row.open = bars.push({ phase, kind, generation, attempt, number, from: time, to: null, seq }) - 1;
  }

  /** Replaces a bar, so that a changed bar is another object. The end is never before the start, even if the clock was set back. */
  function close(at: number, time: number, outcome: TimelineOutcome): void {
    const bar = bars[at];
    if (bar) bars[at] = { ...bar, to: Math.max(bar.from, time), outcome };
  }

  /** Ends a wait. Without a record of its end, it ended when it was due. */
  function closeWait(row: Row, key: string, time: number, outcome: TimelineOutcome): void {
    const wait = row.waits.get(key);
    if (!wait) return;
    row.waits.delete(key);
    const isOver = wait.due <= time;
    close(wait.at, isOver ? wait.due : time, isOver ? 'again' : outcome);
  }

  function end(phase: string, time: number, outcome: TimelineOutcome): void {
    const row = rowOf(phase);
    for (const key of row.waits.keys()) closeWait(row, key, time, outcome);
    if (row.open !== undefined) close(row.open, time, outcome);
    row.open = undefined;
  }

  return {
    begin,
    end,
    attempt({ phase, generation, attempt }) {
      const row = rowOf(phase);
      Object.assign(row, { generation, attempt, number: row.number + 1 });
    },
    isOpen: (phase) => rows.get(phase)?.open !== undefined,
    beginWait(waiter, { kind, seq, time }, due = Infinity) {
      const { phase, task } = waiter;
      const { generation, attempt, number, waits } = rowOf(phase);
      const at = bars.push({ phase, kind, generation, attempt, number, task, from: time, to: null, seq }) - 1;
      waits.set(keyOf(waiter), { at, due });
    },
    endWait(waiter, time, outcome, kind) {
      const row = rowOf(waiter.phase);
      const wait = row.waits.get(keyOf(waiter));
      if (wait && (kind === undefined || bars[wait.at]?.kind === kind)) closeWait(row, keyOf(waiter), time, outcome);
    },
    interrupt(last, start) {
      for (const [phase, { open }] of rows) {
        const kind = open === undefined ? undefined : bars[open]?.kind;
        if (open === undefined || (kind !== 'work' && kind !== 'review')) continue;
        close(open, last, 'interrupted');
        begin({ phase, kind, ...start });
      }
    },
    endAll(time, outcome) {
      for (const phase of rows.keys()) end(phase, time, outcome);
    },
    list(now) {
      for (const row of rows.values()) {
        for (const [key, { due }] of row.waits) if (due <= now) closeWait(row, key, now, 'again');
      }
      return bars.filter(({ kind, from, to }) => kind !== 'waiting' || to !== from);
    },
  };
}

// --- internal ---

/** A phase, with the index of its open bar in the list. */
interface Row {
  generation: number;
  attempt: number;
  number: number;
  open: number | undefined;
  /** Waits of single tasks and reviewers, with the time at which they are due. */
  readonly waits: Map<string, { readonly at: number; readonly due: number }>;
}

function keyOf({ task, reviewer = false }: Waiter): string {
  return `${reviewer ? 'reviewer' : 'task'} ${task}`;
}
