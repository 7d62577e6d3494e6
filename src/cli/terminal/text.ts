/**
 * Text from runs, made fit for a line on a terminal.
 *
 * @module
 */
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { problemLine as joined } from '../../projections/wording/error-words.ts';

/** Characters that a terminal obeys, for a class of a pattern: controls, line separators, marks that turn text around. */
export const OBEYED = String.raw`\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069\uFEFF`;

const OBEYED_OR_SPACE = new RegExp(String.raw`[${OBEYED}\s]+`, 'gu');

/**
 * One line without anything that a terminal would obey. Names, feedback and errors come from models and files, which
 * must not move the cursor, turn text around or set the title of the window.
 */
export function oneLine(text: string): string {
  return stripVTControlCharacters(text).replace(OBEYED_OR_SPACE, ' ').trim();
}

/** Like {@link oneLine} for text that may keep its lines. */
export function manyLines(text: string): string {
  return text
    .split(/\r\n|[\n\r]/u)
    .map(lineWithIndent)
    .join('\n');
}

/**
 * The start of a text, at most `width` columns wide; `…` stands for what is left out. Takes no longer for a long text than
 * for one that just does not fit.
 */
export function cut(text: string, width: number): string {
  if (text.length <= width / 2) return text;
  if (width < 1) return '';
  const start = text.slice(0, width * MOST_UNITS);
  let used = 0;
  let fits = 0;
  for (const { segment, index } of graphemes.segment(start)) {
    // Up to here there is room for the mark as well; the last segment of a long text may be none of its own.
    if (used < width) fits = index;
    used += stringWidth(segment);
    if (used > width) return `${start.slice(0, fits).trimEnd()}…`;
  }
  return start.length === text.length ? text : `${start.slice(0, fits).trimEnd()}…`;
}

/** Columns that a text takes. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** Rows that a line takes where it is broken after so many columns. */
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

/** A text with spaces behind it, at least `width` columns wide. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}

/** What an error says in one line, without where its documentation is. */
export function problemLine(message: string): string {
  return oneLine(joined(message));
}

/** A duration for people, such as `0.4s`, `12s`, `3m 05s`, `2h 10m`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes}m ${pad2(whole % 60)}s` : `${Math.floor(minutes / 60)}h ${pad2(minutes % 60)}m`;
}

// --- internal ---

/** Code units that one column is given: an emoji of a family takes eleven for two. */
const MOST_UNITS = 16;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

function lineWithIndent(line: string): string {
  const indent = /^[ \t]*/u.exec(line)?.[0].replaceAll('\t', '  ') ?? '';
  return indent + oneLine(line);
}

function pad2(value: number): string {
  return String(value).padStart(2, '0');
}
