/**
 * Formatting of the numbers in a report.
 *
 * @module
 */
import type { Effort } from '../../projections/quality/effort.ts';
import { duration } from '../terminal/text.ts';

/** The text for 0 and for an undefined number. */
export const NONE = '–';

/** Formats a share, such as `42.3 %`. */
export function share(percent: number | null): string {
  return percent === null ? NONE : `${percent.toFixed(1)} %`;
}

/** Formats a ratio, such as `0.40`. */
export function ratioText(value: number | null): string {
  return value === null ? NONE : value.toFixed(2);
}

/** Formats dollars, such as `$0.05`. A small sum gets enough digits to differ from 0. */
export function dollars(costUsd: number): string {
  if (costUsd === 0) return NONE;
  return `$${costUsd >= 0.01 ? costUsd.toFixed(2) : costUsd.toPrecision(2)}`;
}

/** Formats a count; 0 becomes {@link NONE}. */
export function count(number: number): string {
  return number === 0 ? NONE : String(Math.round(number));
}

/** Formats cost, tokens and time as three cells. */
export function effortCells({ costUsd, tokens, ms }: Effort): readonly [string, string, string] {
  return [dollars(costUsd), count(tokens), ms === 0 ? NONE : duration(ms)];
}
