/**
 * One phase on a timeline: a character for each column, which says what the phase was mostly about.
 *
 * @module
 */
import type { TimelineBar, TimelineKind } from '../../model/timeline.ts';
import { span, type Span, type Tone } from './line.ts';
import type { TimeAxis } from './time-axis.ts';

/** How a kind is drawn. The characters differ without their colours. */
export const timelineGlyphs: Readonly<
  Record<TimelineKind, { readonly glyph: string; readonly tone: Tone; readonly text: string }>
> = {
  work: { glyph: '█', tone: 'busy', text: 'works' },
  review: { glyph: '▒', tone: 'good', text: 'is reviewed' },
  person: { glyph: '◌', tone: 'warn', text: 'waits for a person' },
  backoff: { glyph: '·', tone: 'warn', text: 'waits before another try' },
  waiting: { glyph: '─', tone: 'dim', text: 'waits to start again' },
};

/** Where a phase was sent back by another. */
export const SENT_BACK: Span = span('⟲', 'warn');

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
  const shares = Array.from({ length: columns }, () => new Map<TimelineKind, number>());
  for (const { kind, task, from, to } of bars) {
    const [start, end] = [axis.columnOf(from), axis.columnOf(to)];
    // Waits lie within work, so they have to count for more than it. What takes no time counts where nothing else is.
    const weight = task === undefined ? 1 : 2;
    for (let at = columnAt(start, columns); at <= columnAt(end, columns); at++) {
      const share = Math.max(0, Math.min(end, at + 1) - Math.max(start, at));
      const cell = shares[at];
      if (share > 0 || start === end) cell?.set(kind, (cell.get(kind) ?? 0) + Math.max(share, LEAST) * weight);
    }
  }
  const spans = shares.map(mostly);
  for (const time of sentBack) spans[columnAt(axis.columnOf(time), columns)] = SENT_BACK;
  return joined(spans);
}

// --- internal ---

const LEAST = 1e-9;
const NOTHING: Span = span(' ');

function columnAt(place: number, columns: number): number {
  return Math.max(0, Math.min(columns - 1, Math.floor(place)));
}

function mostly(shares: ReadonlyMap<TimelineKind, number>): Span {
  let most: TimelineKind | undefined;
  for (const [kind, share] of shares) {
    if (most === undefined || share > (shares.get(most) ?? 0)) most = kind;
  }
  if (most === undefined) return NOTHING;
  const { glyph, tone } = timelineGlyphs[most];
  return span(glyph, tone);
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
