/**
 * Formats for numbers in the tables.
 *
 * @module
 */
import { dollars } from '../../../../src/projections/wording/amount-words.ts';
import type { Effort } from '../../../../src/projections/quality/effort.ts';
import { amount, exactDuration } from '../parts/words.ts';

/** The placeholder for zero and for undefined numbers. */
export const NONE = '–';

/** The units of effort. */
export const measures = ['costUsd', 'tokens', 'ms'] as const satisfies readonly (keyof Effort)[];

/** A unit of effort. */
export type Measure = (typeof measures)[number];

/** The name of each unit. */
export const nameOf: Readonly<Record<Measure, string>> = { costUsd: 'Cost', tokens: 'Tokens', ms: 'Time' };

/** A share, for example `42.3 %`. @param percent 0 to 100. */
export function share(percent: number | null): string {
  return percent === null ? NONE : `${percent.toFixed(1)} %`;
}

/** A ratio, for example `0.40`. */
export function ratioText(value: number | null): string {
  return value === null ? NONE : value.toFixed(2);
}

/** A count; the placeholder for 0. */
export function count(number: number): string {
  return number === 0 ? NONE : amount(number);
}

/** An amount of effort; the placeholder for 0. */
export function effortText(value: number, by: Measure): string {
  if (value === 0) return NONE;
  if (by === 'ms') return exactDuration(value);
  return by === 'costUsd' ? dollars(value) : amount(Math.round(value));
}

/** The first unit with an amount; cost if all are 0. */
export function measureThatSays(effort: Effort): Measure {
  return measures.find((one) => effort[one] > 0) ?? 'costUsd';
}
