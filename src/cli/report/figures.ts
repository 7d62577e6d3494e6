/**
 * Numbers of a report as text.
 *
 * @module
 */
import type { Effort } from '../../projections/quality/effort.ts';
import { duration } from '../terminal/text.ts';

/** What stands for a number that there is none of, or that is not defined. */
export const NONE = '–';

/** A share, such as `42.3 %`. */
export function share(percent: number | null): string {
  return percent === null ? NONE : `${percent.toFixed(1)} %`;
}

/** A ratio, such as `0.40`. */
export function ratioText(value: number | null): string {
  return value === null ? NONE : value.toFixed(2);
}

/** Dollars, such as `$0.05`; as many digits as it takes to tell a small sum from nothing. */
export function dollars(costUsd: number): string {
  if (costUsd === 0) return NONE;
  return `$${costUsd >= 0.01 ? costUsd.toFixed(2) : costUsd.toPrecision(2)}`;
}

/** A count, or nothing for 0. */
export function count(number: number): string {
  return number === 0 ? NONE : String(Math.round(number));
}

/** Cost, tokens and time, as three cells. */
export function effortCells({ costUsd, tokens, ms }: Effort): readonly [string, string, string] {
  return [dollars(costUsd), count(tokens), ms === 0 ? NONE : duration(ms)];
}
