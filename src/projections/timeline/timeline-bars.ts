/**
 * The bars of a timeline: what phases are about, from when to when.
 *
 * @module
 */

/**
 * What a phase is about. `work`, `review` and `waiting` are as they are called: tasks, the gate, and time until a phase that was
 * sent back starts again. `person` waits for a person, and `backoff` for another try.
 */
export type TimelineKind = 'work' | 'review' | 'person' | 'backoff' | 'waiting';

/**
 * What ended a bar. Beside what becomes of attempts: `done` where the review of the work follows, `again` where the same is tried
 * or asked again, `answered` where a person has answered, `started` where the phase starts again, `kept` where it keeps what it had
 * approved before, `invalidated` where it must run again because an ancestor did, `interrupted` where the process stopped.
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
 * A time in which a phase was about one thing.
 *
 * Bars of one phase without `task` never overlap. Those with it say what one task or one reviewer waits for: they lie within the bar
 * of the work or the review, while others of the same phase may be at work.
 */
export interface TimelineBar {
  readonly phase: string;
  readonly kind: TimelineKind;
  readonly generation: number;
  /** 0-based. */
  readonly attempt: number;
  /** The task, or the reviewer, that waits. */
  readonly task?: string | undefined;
  /** Milliseconds since 1970. */
  readonly from: number;
  /** The same; `null` while it goes on. */
  readonly to: number | null;
  /** The record that began it. */
  readonly seq: number;
  readonly outcome?: TimelineOutcome | undefined;
}

/** What begins a bar. */
export interface BarStart {
  readonly phase: string;
  readonly kind: TimelineKind;
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** A task or a reviewer that waits; reviewers may be called as tasks of the same phase. */
export interface Waiter {
  readonly phase: string;
  readonly task: string;
  readonly reviewer?: boolean;
}

/** Bars of one run, those that go on and those that have ended. */
export interface Bars {
  /** What the phase is about from now on. The bar before has to be ended. */
  begin(start: BarStart): void;
  /** The phase, with all that waits in it, ends what it is about. */
  end(phase: string, time: number, outcome: TimelineOutcome): void;
  /** Which attempt begins. */
  attempt(at: Pick<TimelineBar, 'phase' | 'generation' | 'attempt'>): void;
  isOpen(phase: string): boolean;
  /** @param due When it is over although nobody says so. @default never */
  beginWait(waiter: Waiter, start: Omit<BarStart, 'phase'>, due?: number): void;
  /** @param kind Of the waits that are ended. @default any */
  endWait(waiter: Waiter, time: number, outcome: TimelineOutcome, kind?: TimelineKind): void;
  /** What was at work was so up to one time, and is so again from another. Who waits has waited on. */
  interrupt(last: number, start: Pick<BarStart, 'seq' | 'time'>): void;
  endAll(time: number, outcome: TimelineOutcome): void;
  /** All bars at a time, in the order in which they began. */
  list(now: number): readonly TimelineBar[];
}

/** No bars yet. */
export function createBars(): Bars {
  const bars: TimelineBar[] = [];
  const rows = new Map<string, Row>();

  function rowOf(phase: string): Row {
    const row = rows.get(phase) ?? { generation: 0, attempt: 0, open: undefined, waits: new Map() };
    rows.set(phase, row);
    return row;
  }

  function begin({ phase, kind, seq, time }: BarStart): void {
    const row = rowOf(phase);
    const { generation, attempt } = row;
    row.open = bars.push({ phase, kind, generation, attempt, from: time, to: null, seq }) - 1;
  }

  /** A bar that has changed is another object. A clock may have been set back. */
  function close(at: number, time: number, outcome: TimelineOutcome): void {
    const bar = bars[at];
    if (bar) bars[at] = { ...bar, to: Math.max(bar.from, time), outcome };
  }

  /** Where nobody has said that a wait was over, it was when it was due. */
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
      Object.assign(rowOf(phase), { generation, attempt });
    },
    isOpen: (phase) => rows.get(phase)?.open !== undefined,
    beginWait(waiter, { kind, seq, time }, due = Infinity) {
      const { phase, task } = waiter;
      const { generation, attempt, waits } = rowOf(phase);
      const at = bars.push({ phase, kind, generation, attempt, task, from: time, to: null, seq }) - 1;
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

/** A phase, with where its open bars are in the list of all. */
interface Row {
  generation: number;
  attempt: number;
  open: number | undefined;
  /** What single tasks and reviewers wait for, and when that is over at the latest. */
  readonly waits: Map<string, { readonly at: number; readonly due: number }>;
}

function keyOf({ task, reviewer = false }: Waiter): string {
  return `${reviewer ? 'reviewer' : 'task'} ${task}`;
}
