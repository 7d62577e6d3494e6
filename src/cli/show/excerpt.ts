/**
 * The first lines of a text or JSON value, with the number of the others.
 *
 * @module
 */
import { counted } from '../../model/values/counts.ts';
import { span, type Line } from '../terminal/line.ts';
import { manyLines } from '../terminal/text.ts';

/** A line of an excerpt. */
export interface CountedLine {
  readonly line: Line;
  /** The lines of the value that it stands for: several for the last line, which counts those that are left out. */
  readonly lines: number;
}

/** Creates at most ten indented lines of a text or JSON value. @param all The command or flag that shows all of it, if any. */
export function excerptLines(value: unknown, all?: string): readonly Line[] {
  return excerptOf(value, all).map(({ line }) => line);
}

/** Does the same as {@link excerptLines}, and tells how many lines of the value each line stands for. */
export function excerptOf(value: unknown, all?: string): readonly CountedLine[] {
  const text = (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'null')).trimEnd();
  const start = text.slice(0, LONGEST);
  const begun = manyLines(start).split('\n');
  const isCut = start.length < text.length && begun.length <= MOST_LINES;
  const shown = begun
    .slice(0, MOST_LINES)
    .map((line, at) => ({ line: [span(`    ${line}${isCut && at === begun.length - 1 ? '…' : ''}`)], lines: 1 }));
  const more = countLines(text) - shown.length;
  if (more <= 0) return shown;
  const rest = all === undefined ? '' : `: ${all} has all of them`;
  return [...shown, { line: [span(`    … ${counted(more, 'more line')}${rest}`, 'dim')], lines: more }];
}

// --- internal ---

const MOST_LINES = 10;
/** The most characters of all lines. */
const LONGEST = 4000;

const [LINE_FEED, CARRIAGE_RETURN] = [10, 13];

/** Counts lines as `manyLines` splits them, in one pass without a copy: an output may have megabytes. */
function countLines(text: string): number {
  let lines = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === CARRIAGE_RETURN || (code === LINE_FEED && text.charCodeAt(at - 1) !== CARRIAGE_RETURN)) lines += 1;
  }
  return lines;
}
