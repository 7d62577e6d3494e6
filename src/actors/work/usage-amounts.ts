/**
 * Amounts of usage, as handlers report them.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';

/** The tokens of a report that does not say their sum. */
export function sumOf(input: number | undefined, output: number | undefined): number | undefined {
  return input === undefined ? output : input + (output ?? 0);
}

/** @throws PhasegateError `REPORT_INVALID` for what is no amount, unless it is absent. */
export function requireAmount(field: string, value: unknown): void {
  if (isAmount(value)) return;
  throw new PhasegateError(
    'REPORT_INVALID',
    `Cannot report usage as ${field} is ${typeof value === 'number' ? value : `a ${typeof value}`}, not a number from 0`,
    {
      hint: 'Report what was used since the last report, as a finite number.',
    },
  );
}

/** True for a number from 0, and for none. */
export function isAmount(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && Number.isFinite(value) && value >= 0);
}
