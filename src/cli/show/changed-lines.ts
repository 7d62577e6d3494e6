/**
 * The changed lines between two values.
 *
 * @module
 */
import { diffLines } from 'diff';
import { span, type Line } from '../terminal/line.ts';
import { manyLines } from '../terminal/text.ts';

/**
 * Creates a line for each line that only one of two values has, at most 20.
 *
 * @returns Empty if both have the same text; `null` if they are too long to compare.
 */
export function changedLines(before: unknown, after: unknown): readonly Line[] | null {
  const [old, now] = [textOf(before), textOf(after)];
  if (old === now) return [];
  if (old.length + now.length > LONGEST_COMPARED) return null;
  const lines = diffLines(old, now).flatMap(({ value, added, removed }): Line[] => {
    if (!added && !removed) return [];
    const [sign, tone] = added ? (['+', 'good'] as const) : (['-', 'bad'] as const);
    return manyLines(value.replace(/\n$/u, ''))
      .split('\n')
      .map((text) => [span(`      ${sign} ${text.slice(0, LONGEST_LINE)}`, tone)]);
  });
  const more = lines.length - MOST_LINES;
  return [...lines.slice(0, MOST_LINES), ...(more > 0 ? [[span(`      … ${more} more`, 'dim')]] : [])];
}

// --- internal ---

/** The most lines that are shown, and the most characters of two values that are compared. */
const MOST_LINES = 20;
const LONGEST_COMPARED = 100_000;
const LONGEST_LINE = 500;

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'null');
  return text.endsWith('\n') ? text : `${text}\n`;
}
