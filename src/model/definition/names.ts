/**
 * Names of pipelines, phases, tasks, reviewers and checks.
 *
 * @module
 */
import { limitsSchema } from '../plan/policy-schema.ts';
import type { Problem } from './pipeline-invalid-error.ts';

/** Returns the problem of a name that is empty, malformed, or used by the language or by phasegate itself. */
export function nameProblem(name: string): Pick<Problem, 'code' | 'message' | 'hint'> | undefined {
  if (name.trim() === '') return { code: 'NAME_INVALID', message: 'the name is empty', hint: 'Give it a name.' };
  if (/\p{Surrogate}/u.test(name))
    return { code: 'NAME_INVALID', message: 'the name is not well-formed text', hint: 'Give it another name.' };
  if (name !== name.trim() || /\p{Cc}/u.test(name)) {
    const message = 'the name has control characters, or spaces at its ends';
    return { code: 'NAME_INVALID', message, hint: 'Use letters, digits, dashes and inner spaces.' };
  }
  if (name.startsWith('__') || RESERVED.has(name)) {
    const message = 'the name is reserved';
    return { code: 'NAME_RESERVED', message, hint: RESERVED_HINT };
  }
  return undefined;
}

// --- internal ---

const RESERVED_HINT =
  'Pick one that does not start with "__" and is neither a built-in property of objects nor a limit of a run.';

const RESERVED: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  ...Object.keys(limitsSchema.unwrap().shape),
  'prototype',
]);
