/**
 * A span of time on a line of pixels.
 *
 * @module
 */

/** A span of time, in milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Where a time is, in pixels from the left. */
export function xOf(time: number, { from, to }: Span, width: number): number {
  return ((time - from) / (to - from)) * width;
}

/** A part of a span, or more of it than before, around a point. @param at Where the point is in it, from 0 to 1. @default 0.5 */
export function zoomed(span: Span, whole: Span, { by, at = 0.5 }: { readonly by: number; readonly at?: number }): Span {
  const length = Math.max(SHORTEST, (span.to - span.from) / by);
  const point = span.from + (span.to - span.from) * at;
  return within({ from: point - length * at, to: point + length * (1 - at) }, whole);
}

/** The span moved by a share of itself; it stays within the whole. */
export function moved(span: Span, whole: Span, share: number): Span {
  const by = (span.to - span.from) * share;
  return within({ from: span.from + by, to: span.to + by }, whole);
}

/** The span such that a stretch of time can be seen, and no further moved than it takes. */
export function showing(span: Span, whole: Span, stretch: Span): Span {
  const length = span.to - span.from;
  if (stretch.to > span.from && stretch.from < span.to) return span;
  const from = stretch.from < span.from ? stretch.from - length * 0.1 : stretch.from - length * 0.9;
  return within({ from, to: from + length }, whole);
}

/** A mark on the line. */
export interface Tick {
  readonly time: number;
  /** Milliseconds since the beginning of the run. */
  readonly since: number;
}

/** Marks at round distances from the beginning, at least so many pixels apart. */
export function ticksOf(
  span: Span,
  begin: number,
  { width, apart }: { readonly width: number; readonly apart: number },
) {
  const least = ((span.to - span.from) / Math.max(1, width)) * apart;
  const step = STEPS.find((one) => one >= least) ?? Math.ceil(least / DAY) * DAY;
  const ticks: Tick[] = [];
  const first = Math.ceil((span.from - begin) / step) * step;
  for (let since = first; begin + since <= span.to; since += step) ticks.push({ time: begin + since, since });
  return ticks;
}

/** A distance from the beginning, as short as marks that far apart allow. */
export function tickText(since: number): string {
  if (since < 1000) return `${Math.round(since)} ms`;
  const seconds = since / 1000;
  if (seconds < 60) return `${Number(seconds.toFixed(2))} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = Math.round(seconds % 60);
  if (minutes < 60) return `${minutes}:${two(rest)}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours}:${two(minutes % 60)}:${two(rest)}`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

// --- internal ---

/** Milliseconds that a span has at least. */
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

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function within({ from, to }: Span, whole: Span): Span {
  const length = to - from;
  if (length >= whole.to - whole.from) return whole;
  if (from < whole.from) return { from: whole.from, to: whole.from + length };
  return to > whole.to ? { from: whole.to - length, to: whole.to } : { from, to };
}
