/**
 * The rows of a timeline: one for each phase that has started, with its bars.
 *
 * @module
 */
import type { Timeline, TimelineBar, TimelineOutcome } from '../../../../../src/projections/timeline/timeline.ts';
import { timelineWords } from '../../../../../src/projections/wording/timeline-words.ts';
import { inOneLine } from '../../parts/untrusted-text.ts';
import { exactDuration } from '../../parts/words.ts';

/** The row of a phase. */
export interface TimelineRow {
  readonly phase: string;
  /** Bars in the order of their starts. Waits of tasks lie within bars of their phase. */
  readonly bars: readonly TimelineBar[];
}

/** Groups bars into rows, in the order in which the phases started. */
export function rowsOf({ bars }: Timeline): readonly TimelineRow[] {
  const rows = new Map<string, TimelineBar[]>();
  for (const bar of bars) {
    const row = rows.get(bar.phase);
    if (row) row.push(bar);
    else rows.set(bar.phase, [bar]);
  }
  return [...rows].map(([phase, own]) => ({ phase, bars: own }));
}

/** A key that is unique among the bars of a run. */
export function keyOf({ seq, phase, task }: TimelineBar): string {
  return `${seq} ${phase}${task === undefined ? '' : ` ${task}`}`;
}

/** A bar in words, on one line. @param now The end of an open bar. */
export function barWords(
  { phase, kind, generation, number, task, from, to, outcome }: TimelineBar,
  now: number,
): string {
  const parts = [
    inOneLine(phase),
    task === undefined ? timelineWords[kind] : `${inOneLine(task)} ${timelineWords[kind]}`,
    `attempt ${number}`,
    ...(generation > 0 ? [`generation ${generation + 1}`] : []),
    exactDuration((to ?? now) - from),
    outcome === undefined ? 'ongoing' : OUTCOMES[outcome],
  ];
  return parts.join(', ');
}

/** The outcomes of bars, in words. */
export const OUTCOMES: Readonly<Record<TimelineOutcome, string>> = {
  done: 'done',
  again: 'tried again',
  answered: 'answered',
  started: 'started again',
  approved: 'approved',
  retry: 'sent back for rework',
  rewind: 'sent back an earlier phase',
  rejected: 'rejected',
  failed: 'failed',
  escalated: 'passed to a person',
  invalidated: 'must run again',
  kept: 'unchanged',
  skipped: 'skipped',
  cancelled: 'cancelled',
  interrupted: 'interrupted',
};

/** A position in the rows: the index of a row, and of a bar in it. */
export interface BarPlace {
  readonly row: number;
  readonly bar: number;
}

/** Finds the bar that a key leads to: along its row, or the nearest in time in an adjacent row; `null` if there is none. */
export function barFrom(rows: readonly TimelineRow[], { row, bar }: BarPlace, key: string): BarPlace | null {
  const own = rows[row]?.bars ?? [];
  switch (key) {
    case 'ArrowLeft':
      return bar > 0 ? { row, bar: bar - 1 } : null;
    case 'ArrowRight':
      return bar + 1 < own.length ? { row, bar: bar + 1 } : null;
    case 'ArrowUp':
    case 'ArrowDown': {
      const other = row + (key === 'ArrowUp' ? -1 : 1);
      const time = own[bar]?.from;
      return time === undefined ? null : nearestIn(rows, other, time);
    }
    case 'Home':
      return rows.length > 0 ? { row: 0, bar: 0 } : null;
    case 'End':
      return rows.length > 0 ? { row: rows.length - 1, bar: 0 } : null;
    default:
      return null;
  }
}

// --- internal ---

function nearestIn(rows: readonly TimelineRow[], row: number, time: number): BarPlace | null {
  let best: BarPlace | null = null;
  let least = Infinity;
  for (const [bar, { from }] of (rows[row]?.bars ?? []).entries()) {
    const distance = Math.abs(from - time);
    if (distance < least) [best, least] = [{ row, bar }, distance];
  }
  return best;
}
