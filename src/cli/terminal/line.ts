/**
 * Lines of text with tones instead of escape codes, so that they can be cut to a width and tested.
 *
 * @module
 */
import { createColors } from 'picocolors';
import { cut, widthOf } from './text.ts';

/** The role of a piece of text, which decides its colour. */
export type Tone = 'plain' | 'strong' | 'dim' | 'good' | 'bad' | 'busy' | 'warn';

/** A piece of text in one tone. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

/** One line of text. */
export type Line = readonly Span[];

/** Creates a span. */
export function span(text: string, tone: Tone = 'plain'): Span {
  return { text, tone };
}

/** Cuts a line to at most `columns` columns. */
export function fit(line: Line, columns: number): Line {
  const fitted: Span[] = [];
  let left = columns;
  for (const { text, tone } of line) {
    const start = cut(text, left);
    if (start !== '') fitted.push({ text: start, tone });
    if (start !== text) return fitted;
    left -= widthOf(start);
  }
  return fitted;
}

/** Counts the columns of a line. */
export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** Returns the text of a line without its tones. */
export function plain(line: Line): string {
  return line
    .map(({ text }) => text)
    .join('')
    .trimEnd();
}

/** Converts a line to text, with or without escape codes for colours. */
export type Painter = (line: Line) => string;

/** Creates a painter. @param colours True if the output shows colours. */
export function createPainter(colours: boolean): Painter {
  const { bold, dim, green, red, cyan, yellow } = createColors(colours);
  const paint: Readonly<Record<Tone, (text: string) => string>> = {
    plain: (text) => text,
    strong: bold,
    dim,
    good: green,
    bad: red,
    busy: cyan,
    warn: yellow,
  };
  return (line) => (colours ? line.map(({ text, tone }) => paint[tone](text)).join('') : plain(line));
}
