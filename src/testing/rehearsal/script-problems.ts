/**
 * Problems of the shape of a script, for callers without types.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { isFields } from '../../model/values/json.ts';
import { nearest } from '../../model/values/nearest.ts';

/** Lists the problems of the shape of a script: unknown parts, and parts of another kind. */
export function shapeProblems(script: object): readonly string[] {
  return Object.entries(script).flatMap(([key, value]: [string, unknown]) => {
    const kind = KINDS[key];
    if (kind === undefined) return unknownName(key, Object.keys(KINDS), 'part of a script');
    if (value === undefined || kind.fits(value)) return [];
    return `${key}: expected ${kind.words}`;
  });
}

/**
 * Refuses options that are unknown.
 *
 * @param known All options.
 * @throws PhasegateError `SCRIPT_INVALID` with their names.
 */
export function requireOptions(action: string, given: unknown, known: readonly string[]): void {
  const problems = isFields(given)
    ? Object.keys(given).flatMap((key) => (known.includes(key) ? [] : unknownName(key, known, 'option')))
    : ['the options are no object'];
  if (problems.length === 0) return;
  throw new PhasegateError('SCRIPT_INVALID', `Cannot ${action} with these options:\n  ${problems.join('\n  ')}`, {
    hint: `The options are ${known.join(', ')}.`,
  });
}

/** Returns a number of rehearsals. @throws RangeError if it is none from 1. */
export function requireCount(name: string, count: number): number {
  if (count === Infinity || (Number.isInteger(count) && count >= 1)) return count;
  throw new RangeError(`Cannot rehearse with ${name}: ${String(count)}: pass an integer from 1`);
}

// --- internal ---

interface Kind {
  readonly words: string;
  readonly fits: (value: unknown) => boolean;
}

const STEPS: Kind = { words: 'an object with steps by name', fits: isFields };
const KINDS: Readonly<Record<string, Kind>> = {
  input: { words: 'a value', fits: () => true },
  tasks: STEPS,
  reviews: STEPS,
  checks: STEPS,
  reflections: STEPS,
  people: STEPS,
  crashes: {
    words: 'a list of crashAfter() and crashBefore()',
    fits: (value) => Array.isArray(value) && value.every((one: unknown) => isFields(one) && 'nth' in one),
  },
  attended: { words: 'true or false', fits: (value) => typeof value === 'boolean' },
  limits: { words: 'an object with limits', fits: isFields },
  realTimeMs: { words: 'a number of milliseconds', fits: (value) => typeof value === 'number' && value >= 0 },
};

function unknownName(key: string, known: readonly string[], what: string): readonly string[] {
  const close = nearest(key, known);
  return [`"${key}" is no ${what}${close === undefined ? '' : `; did you mean "${close}"?`}`];
}
