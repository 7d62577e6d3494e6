/**
 * What is said in one line, where not all of it may fit.
 *
 * @module
 */
import type { Span, Tone } from './line.ts';
import { cut, widthOf } from './text.ts';

/** Something that is said. */
export interface Part extends Span {
  /** What is left out first has the highest number; what has 0 is cut instead. */
  readonly spare: 0 | 1 | 2 | 3 | 4;
}

/** Makes a part. */
export function part(spare: Part['spare'], text: string, tone: Tone = 'plain'): Part {
  return { text, tone, spare };
}

/** The parts that there is room for. @param gap Columns before each. */
export function fitting(all: readonly Part[], columns: number, gap: number): readonly Part[] {
  const widths = new Map(all.map((one) => [one, widthOf(one.text) + gap]));
  const widthIn = (parts: readonly Part[], most: number) =>
    parts.reduce((sum, one) => sum + Math.min(widths.get(one) ?? 0, one.spare === 0 ? most : Infinity), 0);
  let parts = all;
  for (const spare of [4, 3, 2, 1]) {
    if (widthIn(parts, ENOUGH) <= columns) break;
    parts = parts.filter((one) => one.spare !== spare);
  }
  let left = columns - widthIn(parts, 0);
  return parts.flatMap((one) => {
    if (one.spare !== 0) return [one];
    const text = cut(one.text, left - gap);
    left -= widthOf(text) + gap;
    return text === '' ? [] : [{ ...one, text }];
  });
}

// --- internal ---

/** Columns after which a text that can be cut has said enough to be of use. */
const ENOUGH = 24;
