/**
 * Parsing of durations and formatting of times.
 *
 * @module
 */

/** Parses a duration such as `30d`, `12h`, `90m`, `250ms`. @returns Milliseconds; `undefined` if the text is no duration. */
export function durationOf(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)$/u.exec(text.trim()) ?? [];
  const ms = UNITS.get(unit);
  return count === undefined || ms === undefined ? undefined : Number(count) * ms;
}

/** Formats a time, such as `2026-01-31T12:00:00.000Z`. @param time Milliseconds since 1970; printed as a number if that is no date. */
export function timeText(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : date.toISOString();
}

// --- internal ---

const HOUR = 3_600_000;

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', HOUR],
  ['d', 24 * HOUR],
  ['w', 7 * 24 * HOUR],
]);
