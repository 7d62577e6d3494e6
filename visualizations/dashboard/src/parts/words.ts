/**
 * Numbers and times as text.
 *
 * @module
 */

/**
 * A duration in one unit, for example `40 s`, `3 min`, `2 h` or `5 days`. @param ms Milliseconds. A negative value counts as 0.
 */
export function durationText(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const minutes = seconds / 60;
  if (minutes < 59.5) return `${Math.round(minutes)} min`;
  const hours = minutes / 60;
  if (hours < 47.5) return `${Math.round(hours)} h`;
  return `${Math.round(hours / 24)} days`;
}

/** A duration in up to two units, for example `0.4 s`, `12 s`, `3 min 05 s` or `2 h 10 min`. @param ms Milliseconds. */
export function exactDuration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${twoDigits(whole % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`;
}

/** The distance of a time from now: `2 min ago`, `in 3 h`. */
export function distanceText(time: number, now: number): string {
  // Two clocks agree only nearly, and nothing that has happened lies ahead.
  if (time > now + 500) return `in ${durationText(time - now)}`;
  return now - time < 2000 ? 'just now' : `${durationText(now - time)} ago`;
}

/** Date and time by the user's clock, to the second. @param time Milliseconds since 1970. */
export function timeText(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime())
    ? String(time)
    : date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}

/** The time of day by the user's clock, to the second. @param time Milliseconds since 1970. */
export function clockText(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : date.toLocaleTimeString(undefined, { timeStyle: 'medium' });
}

/** A time for the `dateTime` attribute; `undefined` if it is not a valid date. */
export function isoTime(time: number): string | undefined {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** A number with separated thousands. */
export function amount(count: number): string {
  return count.toLocaleString('en', { maximumFractionDigits: 1 }).replaceAll(',', '\u202F');
}

/** A count with its noun: `1 phase`, `2 phases`. */
export function counted(count: number, noun: string): string {
  return `${amount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** The size of a text, for example `812 characters` or `1.2 million characters`. */
export function sizeText(characters: number): string {
  if (characters < 10_000) return counted(characters, 'character');
  if (characters < 1_000_000) return `${amount(Math.round(characters / 1000))} thousand characters`;
  return `${(characters / 1_000_000).toFixed(1)} million characters`;
}

// --- internal ---

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
