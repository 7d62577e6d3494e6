/**
 * Lines in tones, before they are painted: what they say can be cut to a width and tested without escape codes.
 *
 * @module
 */
import { createColors } from 'picocolors';
import { cut, widthOf } from './text.ts';

/** What a piece of text is, which decides its colour. */
export type Tone = 'plain' | 'strong' | 'dim' | 'good' | 'bad' | 'busy' | 'warn';

/** A piece of text in one tone. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

/** One line. */
export type Line = readonly Span[];

/** Makes a span. */
export function span(text: string, tone: Tone = 'plain'): Span {
  return { text, tone };
}

/** The start of a line, at most `columns` wide. */
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

/** A line without its tones. */
export function plain(line: Line): string {
  return line
    .map(({ text }) => text)
    .join('')
    .trimEnd();
}

/** Puts lines in colour, or leaves them plain. */
export type Painter = (line: Line) => string;

/** @param colours Whether the reader sees colours. */
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
