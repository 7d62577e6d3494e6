/**
 * Formatting of the numbers in a report.
 *
 * @module
 */
import type { Effort } from '../../projections/quality/effort.ts';
import { dollars } from '../../projections/wording/amount-words.ts';
import { NONE } from '../../projections/wording/figures.ts';
import { duration } from '../terminal/text.ts';

/** Formats a cost in US dollars; 0 becomes {@link NONE}. */
export function cost(usd: number): string {
  return usd === 0 ? NONE : dollars(usd);
}

/** Formats a count; 0 becomes {@link NONE}. */
export function count(number: number): string {
  return number === 0 ? NONE : String(Math.round(number));
}

/** Formats cost, tokens and time as three cells. */
export function effortCells({ costUsd, tokens, ms }: Effort): readonly [string, string, string] {
  return [cost(costUsd), count(tokens), ms === 0 ? NONE : duration(ms)];
}
