/**
 * Durations as they are typed, and times as they are shown.
 *
 * @module
 */

/** Reads a duration such as `30d`, `12h`, `90m`, `250ms`. @returns Milliseconds; `undefined` where it is none. */
export function durationOf(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)$/u.exec(text.trim()) ?? [];
  const ms = UNITS.get(unit);
  return count === undefined || ms === undefined ? undefined : Number(count) * ms;
}

/** A time such as `2026-01-31T12:00:00.000Z`. @param time Milliseconds since 1970; shown as it is where that is no date. */
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
