/**
 * Amounts of usage, as handlers report them.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { isFields } from '../../model/values/json.ts';

/** Total tokens for a report without a total. */
export function sumOf(input: number | undefined, output: number | undefined): number | undefined {
  return input === undefined ? output : input + (output ?? 0);
}

/** @throws PhasegateError `REPORT_INVALID` for an invalid amount. An absent amount is valid. */
export function requireAmount(field: string, value: unknown): void {
  if (isAmount(value)) return;
  throw new PhasegateError(
    'REPORT_INVALID',
    `Cannot report usage as ${field} is ${typeof value === 'number' ? value : kindOf(value)}, not a number from 0`,
    {
      hint: `Report what was used since the last report, as a number up to ${Number.MAX_SAFE_INTEGER}.`,
    },
  );
}

/** @throws PhasegateError `REPORT_INVALID` for a part of a report that lacks one of its texts. An absent part is valid. */
export function requireTexts(field: string, value: unknown, names: readonly string[]): void {
  if (value === undefined || (isFields(value) && names.every((name) => typeof value[name] === 'string'))) return;
  const found = isFields(value) ? 'a part of it is no text' : `it is ${kindOf(value)}`;
  const expected = names.map((name) => `\`${name}\``).join(' and ');
  throw new PhasegateError('REPORT_INVALID', `Cannot report the given ${field} as ${found}`, {
    hint: `Report an object with ${expected}, or leave \`${field}\` out.`,
  });
}

/** True for a number from 0 that is small enough to be added up, and for `undefined`. */
export function isAmount(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER);
}

// --- internal ---

function kindOf(value: unknown): string {
  return value === null ? 'null' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}
