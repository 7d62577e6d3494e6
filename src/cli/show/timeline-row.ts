/**
 * One phase on a timeline: each column shows the kind of work that took most of its time.
 *
 * @module
 */
import type { TimeAxis } from '../../projections/timeline/time-axis.ts';
import type { TimelineBar, TimelineKind } from '../../projections/timeline/timeline.ts';
import { span, type Span } from '../terminal/line.ts';
import { glyph } from '../terminal/marks.ts';

/** The character of each kind. The characters differ even without colours. */
export const timelineGlyphs: Readonly<Record<TimelineKind, Span>> = {
  work: span('█', 'busy'),
  review: span('▒', 'good'),
  person: span('◌', 'warn'),
  backoff: span('·', 'warn'),
  waiting: span('─', 'dim'),
};

/** The character for a rewind of the phase by another phase. */
export const SENT_BACK: Span = glyph('rewinding');

/** The time axis and the width of a row. */
export interface RowOptions {
  readonly axis: TimeAxis;
  readonly columns: number;
}

/** A bar with an end, even if its work is not finished. */
export interface DrawnBar extends TimelineBar {
  readonly to: number;
}

/** Draws a row. @param sentBack The times at which other phases sent this one back, in milliseconds since 1970. */
export function timelineRow(
  bars: readonly DrawnBar[],
  sentBack: readonly number[],
  { axis, columns }: RowOptions,
): readonly Span[] {
  const columnOf = (time: number) => (axis.length === 0 ? 0 : (axis.placeOf(time) * columns) / axis.length);
  const shares = new Map<TimelineKind, Float64Array>();
  const covered = new Float64Array(columns);
  for (const { kind, task, from, to } of bars) {
    const own = shares.get(kind) ?? new Float64Array(columns);
    shares.set(kind, own);
    const [start, end] = [columnOf(from), columnOf(to)];
    // Waits lie within work, so they weigh more than work. Bars without duration count only if nothing else is there.
    const weight = task === undefined ? 1 : 2;
    for (let at = columnAt(start, columns); at <= columnAt(end, columns); at++) {
      const share = Math.max(0, Math.min(end, at + 1) - Math.max(start, at));
      if (share === 0 && start !== end) continue;
      own[at] = (own[at] ?? 0) + Math.max(share, LEAST) * weight;
      // The first column of a bar is always drawn, however short the bar is.
      covered[at] = (covered[at] ?? 0) + (at <= start ? 1 : share);
    }
  }
  const spans = Array.from(covered, (cover, at) => (cover < 0.5 ? NOTHING : mostly(shares, at)));
  for (const time of sentBack) spans[columnAt(columnOf(time), columns)] = SENT_BACK;
  return joined(spans);
}

// --- internal ---

const LEAST = 1e-9;
const NOTHING: Span = span(' ');

function columnAt(place: number, columns: number): number {
  return Math.max(0, Math.min(columns - 1, Math.floor(place)));
}

function mostly(shares: ReadonlyMap<TimelineKind, Float64Array>, at: number): Span {
  let most = NOTHING;
  let largest = 0;
  for (const [kind, own] of shares) {
    const share = own[at] ?? 0;
    if (share <= largest) continue;
    largest = share;
    most = timelineGlyphs[kind];
  }
  return most;
}

/** Joins neighbours of the same tone. */
function joined(spans: readonly Span[]): readonly Span[] {
  const all: Span[] = [];
  for (const one of spans) {
    const last = all.at(-1);
    if (last?.tone === one.tone) all[all.length - 1] = span(last.text + one.text, one.tone);
    else all.push(one);
  }
  return all;
}
