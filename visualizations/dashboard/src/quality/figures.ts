/**
 * Numbers of the tables as text.
 *
 * @module
 */
import { dollars } from '../../../../src/projections/wording/amount-words.ts';
import type { Effort } from '../../../../src/projections/quality/effort.ts';
import { amount, exactDuration } from '../parts/words.ts';

/** What stands for a number that there is none of, or that is not defined. */
export const NONE = '–';

/** What efforts are counted in. */
export const measures = ['costUsd', 'tokens', 'ms'] as const satisfies readonly (keyof Effort)[];

/** One of them. */
export type Measure = (typeof measures)[number];

/** What each is called. */
export const nameOf: Readonly<Record<Measure, string>> = { costUsd: 'Cost', tokens: 'Tokens', ms: 'Time' };

/** A share, such as `42.3 %`. @param percent From 0 to 100. */
export function share(percent: number | null): string {
  return percent === null ? NONE : `${percent.toFixed(1)} %`;
}

/** A ratio, such as `0.40`. */
export function ratioText(value: number | null): string {
  return value === null ? NONE : value.toFixed(2);
}

/** A count, or nothing for 0. */
export function count(number: number): string {
  return number === 0 ? NONE : amount(number);
}

/** A figure of an effort, or nothing for 0. */
export function effortText(value: number, by: Measure): string {
  if (value === 0) return NONE;
  if (by === 'ms') return exactDuration(value);
  return by === 'costUsd' ? dollars(value) : amount(Math.round(value));
}

/** The first of them of which there is any; cost where there is nothing at all. */
export function measureThatSays(effort: Effort): Measure {
  return measures.find((one) => effort[one] > 0) ?? 'costUsd';
}
