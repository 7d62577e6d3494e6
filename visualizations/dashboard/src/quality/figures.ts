/**
 * Formats for numbers in the tables.
 *
 * @module
 */
import { dollars } from '../../../../src/projections/wording/amount-words.ts';
import { NONE } from '../../../../src/projections/wording/figures.ts';
import type { Effort } from '../../../../src/projections/quality/effort.ts';
import { amount, exactDuration } from '../parts/words.ts';

/** The units of effort. */
export const measures = ['costUsd', 'tokens', 'ms'] as const satisfies readonly (keyof Effort)[];

/** A unit of effort. */
export type Measure = (typeof measures)[number];

/** The name of each unit. */
export const nameOf: Readonly<Record<Measure, string>> = { costUsd: 'Cost', tokens: 'Tokens', ms: 'Time' };

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
