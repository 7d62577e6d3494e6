/**
 * Text from runs, prepared for a terminal: without control characters, cut, padded and measured.
 *
 * @module
 */
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { shellWord } from '../../model/values/shell-word.ts';
import { problemLine as joined } from '../../projections/wording/error-words.ts';

/** Characters that a terminal interprets, as a regex character class: controls, line separators, marks that change the text direction. */
export const CONTROLS = String.raw`\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069\uFEFF`;

const CONTROLS_OR_SPACE = new RegExp(String.raw`[${CONTROLS}\s]+`, 'gu');

/**
 * Converts a text to one line without anything that a terminal interprets. Names, feedback and errors come from models
 * and files. They must not move the cursor, change the text direction or set the window title.
 */
export function oneLine(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROLS_OR_SPACE, ' ').trim();
}

/** Returns a text as one argument of a command that a person may copy into a shell. */
export function argument(text: string): string {
  return shellWord(oneLine(text));
}

/** Does the same as {@link oneLine} for each line, and keeps line breaks and indentation. */
export function manyLines(text: string): string {
  return text
    .split(/\r\n|[\n\r]/u)
    .map(lineWithIndent)
    .join('\n');
}

/**
 * Cuts a text to at most `width` columns; `…` replaces the rest. The cost depends on `width`, not on the length of the text.
 */
export function cut(text: string, width: number): string {
  if (text.length <= width / 2) return text;
  if (width < 1) return '';
  const start = text.slice(0, width * MOST_UNITS);
  let used = 0;
  let fits = 0;
  for (const { segment, index } of graphemes.segment(start)) {
    // Up to here there is also room for the `…`. The last segment of `start` may be incomplete.
    if (used < width) fits = index;
    used += stringWidth(segment);
    if (used > width) return `${start.slice(0, fits).trimEnd()}…`;
  }
  return start.length === text.length ? text : `${start.slice(0, fits).trimEnd()}…`;
}

/** Counts the columns of a text. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** Counts the rows of a line that wraps after `columns` columns. */
export function rowsOf(line: string, columns: number): number {
  let rows = 1;
  let used = 0;
  for (const { segment } of graphemes.segment(line)) {
    const width = stringWidth(segment);
    used += width;
    if (used <= columns) continue;
    rows += 1;
    used = width;
  }
  return rows;
}

/** Appends spaces to a text until it is `width` columns wide. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}

/** Returns an error message in one line, without the address of its documentation. */
export function problemLine(message: string): string {
  return oneLine(joined(message));
}

/** Formats a duration, such as `0.4s`, `12s`, `3m 05s`, `2h 10m`. @param ms Milliseconds. */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes}m ${pad2(whole % 60)}s` : `${Math.floor(minutes / 60)}h ${pad2(minutes % 60)}m`;
}

/** Writes the times in the reason of a spent limit as {@link duration} does. Records have milliseconds. */
export function reasonText(reason: string): string {
  const asTime = (_: string, start: string, ms: string) => `${start}${duration(Number(ms))}`;
  const text = reason.replace(TIME_LIMIT, asTime);
  return text === reason ? reason : text.replace(ESTIMATE, asTime);
}

// --- internal ---

/** A limit of time in the reason why it is spent. */
const TIME_LIMIT = /(limit of )(\d{1,16}(?:\.\d{1,16})?)(?= for (?:durationMs|deadlineMs) is )/gu;

/** The estimate of the next try, if the rest of a limit is too small for it. */
const ESTIMATE = /(may use: )(\d{1,16}(?:\.\d{1,16})?)/u;

/** The most code units that one column may need: a family emoji has eleven in two columns. */
const MOST_UNITS = 16;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

function lineWithIndent(line: string): string {
  const indent = /^[ \t]*/u.exec(line)?.[0].replaceAll('\t', '  ') ?? '';
  return indent + oneLine(line);
}

function pad2(value: number): string {
  return String(value).padStart(2, '0');
}
