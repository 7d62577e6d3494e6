/**
 * A timeline in rows: one for each phase that has begun, with its bars.
 *
 * @module
 */
import type { Timeline, TimelineBar, TimelineOutcome } from '../../../../../src/projections/timeline/timeline.ts';
import { timelineWords } from '../../../../../src/projections/wording/timeline-words.ts';
import { inOneLine } from '../../parts/untrusted-text.ts';
import { exactDuration } from '../../parts/words.ts';

/** One phase. */
export interface TimelineRow {
  readonly phase: string;
  /** In the order in which they began; waits of tasks lie within bars of their phase. */
  readonly bars: readonly TimelineBar[];
}

/** Rows in the order in which the phases began. */
export function rowsOf({ bars }: Timeline): readonly TimelineRow[] {
  const rows = new Map<string, TimelineBar[]>();
  for (const bar of bars) {
    const row = rows.get(bar.phase);
    if (row) row.push(bar);
    else rows.set(bar.phase, [bar]);
  }
  return [...rows].map(([phase, own]) => ({ phase, bars: own }));
}

/** Names a bar among all of its run. */
export function keyOf({ seq, phase, task }: TimelineBar): string {
  return `${seq} ${phase}${task === undefined ? '' : ` ${task}`}`;
}

/** What a bar is, in one line. @param now Until when it lasts, where it goes on. */
export function barWords(
  { phase, kind, generation, attempt, task, from, to, outcome }: TimelineBar,
  now: number,
): string {
  const parts = [
    inOneLine(phase),
    task === undefined ? timelineWords[kind] : `${inOneLine(task)} ${timelineWords[kind]}`,
    `attempt ${attempt + 1}`,
    ...(generation > 0 ? [`generation ${generation + 1}`] : []),
    exactDuration((to ?? now) - from),
    outcome === undefined ? 'goes on' : OUTCOMES[outcome],
  ];
  return parts.join(', ');
}

/** How bars end, in words. */
export const OUTCOMES: Readonly<Record<TimelineOutcome, string>> = {
  done: 'done',
  again: 'tried again',
  answered: 'answered',
  started: 'started again',
  approved: 'approved',
  retry: 'sent back to work',
  rewind: 'sent back an earlier phase',
  rejected: 'rejected',
  failed: 'failed',
  escalated: 'left to a person',
  invalidated: 'must run again',
  kept: 'kept what it had',
  skipped: 'skipped',
  cancelled: 'cancelled',
  interrupted: 'interrupted',
};

/** A place in rows: of a row, and of a bar in it. */
export interface BarPlace {
  readonly row: number;
  readonly bar: number;
}

/** The bar that a key leads to: along its row, or the one nearest in time in the row above or below; `null` for none. */
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
