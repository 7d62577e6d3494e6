/**
 * One phase on a timeline: a character for each column, which says what the phase was mostly about.
 *
 * @module
 */
import type { TimeAxis } from '../../projections/timeline/time-axis.ts';
import type { TimelineBar, TimelineKind } from '../../projections/timeline/timeline.ts';
import { span, type Span } from '../terminal/line.ts';
import { glyph } from '../terminal/marks.ts';

/** How a kind is drawn. The characters differ without their colours. */
export const timelineGlyphs: Readonly<Record<TimelineKind, Span>> = {
  work: span('█', 'busy'),
  review: span('▒', 'good'),
  person: span('◌', 'warn'),
  backoff: span('·', 'warn'),
  waiting: span('─', 'dim'),
};

/** Where a phase was sent back by another. */
export const SENT_BACK: Span = glyph('rewinding');

/** What a row is drawn on. */
export interface RowOptions {
  readonly axis: TimeAxis;
  readonly columns: number;
}

/** A bar with an end, also where it goes on. */
export interface DrawnBar extends TimelineBar {
  readonly to: number;
}

/** Draws a row. @param sentBack When other phases have sent this one back. */
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
    // Waits lie within work, so they have to count for more than it. What takes no time counts where nothing else is.
    const weight = task === undefined ? 1 : 2;
    for (let at = columnAt(start, columns); at <= columnAt(end, columns); at++) {
      const share = Math.max(0, Math.min(end, at + 1) - Math.max(start, at));
      if (share === 0 && start !== end) continue;
      own[at] = (own[at] ?? 0) + Math.max(share, LEAST) * weight;
      // Where a bar begins something is to be seen of it, however short it is.
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

/** Neighbours in the same tone are one. */
function joined(spans: readonly Span[]): readonly Span[] {
  const all: Span[] = [];
  for (const one of spans) {
    const last = all.at(-1);
    if (last?.tone === one.tone) all[all.length - 1] = span(last.text + one.text, one.tone);
    else all.push(one);
  }
  return all;
}
