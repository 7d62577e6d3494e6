/**
 * The scale between a span of a time axis and pixels.
 *
 * @module
 */
import type { Stretch, TimeAxis } from '../../../../../src/projections/timeline/time-axis.ts';

/** A span of an axis, in positions on the axis instead of times. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A visible span of an axis. */
export interface TimeScale {
  readonly axis: TimeAxis;
  readonly span: Span;
  /** Pixels. */
  readonly width: number;
}

/** Converts a time to pixels from the left. */
export function xOf(time: number, { axis, span: { from, to }, width }: TimeScale): number {
  return ((axis.placeOf(time) - from) / (to - from)) * width;
}

/** True if some part of a stretch of time is visible. */
export function isSeen({ from, to }: Stretch, { axis, span }: TimeScale): boolean {
  return axis.placeOf(to) >= span.from && axis.placeOf(from) <= span.to;
}

/** Zooms a span by a factor around a point. @param at The position of the point in the span, from 0 to 1. @default 0.5 */
export function zoomed(span: Span, whole: Span, { by, at = 0.5 }: { readonly by: number; readonly at?: number }): Span {
  const length = Math.max(SHORTEST, (span.to - span.from) / by);
  const point = span.from + (span.to - span.from) * at;
  return within({ from: point - length * at, to: point + length * (1 - at) }, whole);
}

/** Moves a span by a share of its length, within the whole. */
export function moved(span: Span, whole: Span, share: number): Span {
  const by = (span.to - span.from) * share;
  return within({ from: span.from + by, to: span.to + by }, whole);
}

/** Moves a span just far enough to show another one. */
export function showing(span: Span, whole: Span, other: Span): Span {
  const length = span.to - span.from;
  if (other.to > span.from && other.from < span.to) return span;
  const from = other.from < span.from ? other.from - length * 0.1 : other.from - length * 0.9;
  return within({ from, to: from + length }, whole);
}

/** A mark on the axis. */
export interface Tick {
  readonly time: number;
  /** Milliseconds since the start of the run. */
  readonly since: number;
  /** The same time as text, as short as the distance of the marks allows. */
  readonly text: string;
}

/**
 * Marks at round times since the start, at least some pixels apart. A cut has no marks. After a cut there is one, to show how
 * long the cut was.
 */
export function ticksOf({ axis, span, width }: TimeScale, begin: number, apart: number): readonly Tick[] {
  const least = ((span.to - span.from) / Math.max(1, width)) * apart;
  const step = STEPS.find((one) => one >= least) ?? Math.ceil(least / DAY) * DAY;
  const ticks: Tick[] = [];
  const mark = (since: number, text: string) => {
    const last = ticks.at(-1);
    const isFar = last === undefined || axis.placeOf(begin + since) - axis.placeOf(last.time) >= least;
    if (isFar) ticks.push({ time: begin + since, since, text });
  };
  for (const { from, to } of wholePieces(axis, { from: axis.timeAt(span.from), to: axis.timeAt(span.to) })) {
    if (axis.cuts.some((cut) => cut.to === from))
      mark(from - begin, tickText(Math.round((from - begin) / SECOND) * SECOND));
    for (let since = Math.ceil((from - begin) / step) * step; begin + since <= to; since += step)
      mark(since, tickText(since, step < SECOND));
  }
  return ticks;
}

/** Formats a time since the start. @param isPrecise True to show fractions of a second next to minutes. @default false */
export function tickText(since: number, isPrecise = false): string {
  if (since < 1000) return `${Math.round(since)} ms`;
  const seconds = since / 1000;
  if (seconds < 60) return `${Number(seconds.toFixed(2))} s`;
  const whole = isPrecise ? Math.floor(seconds) : Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  const part = isPrecise ? (seconds - whole).toFixed(3).slice(1) : '';
  const rest = `${two(whole % 60)}${part}`;
  if (minutes < 60) return `${minutes}:${rest}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours}:${two(minutes % 60)}:${rest}`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

// --- internal ---

/** The shortest span, in milliseconds. */
const SHORTEST = 5;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS: readonly number[] = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 20, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 20, 30].map((count) => count * MINUTE),
  ...[1, 2, 4, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7].map((count) => count * DAY),
];

/** The parts of a stretch of time that are not cut. */
function wholePieces({ cuts }: TimeAxis, { from, to }: Stretch): readonly Stretch[] {
  const pieces: Stretch[] = [];
  let at = from;
  for (const cut of cuts) {
    if (cut.from >= at && cut.from <= to) pieces.push({ from: at, to: cut.from });
    at = Math.max(at, cut.to);
  }
  return at <= to ? [...pieces, { from: at, to }] : pieces;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function within({ from, to }: Span, whole: Span): Span {
  const length = to - from;
  if (length >= whole.to - whole.from) return whole;
  if (from < whole.from) return { from: whole.from, to: whole.from + length };
  return to > whole.to ? { from: whole.to - length, to: whole.to } : { from, to };
}
