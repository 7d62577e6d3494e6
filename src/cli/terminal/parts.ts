/**
 * Parts of a line, of which some are left out if not all fit.
 *
 * @module
 */
import type { Span, Tone } from './line.ts';
import { cut, widthOf } from './text.ts';

/** A part of a line. */
export interface Part extends Span {
  /** The order of leaving out: the highest number goes first; parts with 0 are cut instead. */
  readonly spare: 0 | 1 | 2 | 3 | 4;
}

/** Creates a part. */
export function part(spare: Part['spare'], text: string, tone: Tone = 'plain'): Part {
  return { text, tone, spare };
}

/** Selects the parts that fit into `columns`. @param gap Columns before each part. */
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

/** The least columns that a text keeps before other parts are left out. */
const ENOUGH = 24;
