/**
 * Names of pipelines, phases, tasks, reviewers and checks.
 *
 * @module
 */
import { limitsSchema } from '../plan/policy-schema.ts';
import type { Problem } from './pipeline-invalid-error.ts';
import type { Path } from './places.ts';

/** Returns the problem of a name that is empty, malformed, or used by the language or by phasegate itself. */
export function nameProblem(name: string): Pick<Problem, 'code' | 'message' | 'hint'> | undefined {
  if (PLAIN.test(name) && !RESERVED.has(name)) return undefined;
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

/**
 * Returns the problems of the names in a list: names that are wrong, and names that are used twice.
 *
 * @param path Path of the list; empty if the named thing is the definition itself.
 * @param distinct Number of different names.
 */
export function nameProblems(
  scope: string,
  kind: string,
  list: readonly { readonly name: string }[],
  path: Path,
  distinct = list.length < 2 ? list.length : new Set(list.map(({ name }) => name)).size,
): readonly Problem[] {
  if (distinct === list.length && !list.some(({ name }) => nameProblem(name))) return [];
  const places = new Map<string, number[]>();
  for (const [index, { name }] of list.entries()) {
    const known = places.get(name);
    if (known) known.push(index);
    else places.set(name, [index]);
  }
  return [...places].flatMap(([name, [first = 0, second]]): readonly Problem[] => {
    const own = `${kind} ${JSON.stringify(name)}`;
    const bad = nameProblem(name);
    const where = scope === 'the pipeline' ? own : `${scope}, ${own}`;
    if (bad) return [{ ...bad, where, path: path.length === 0 ? ['name'] : [...path, first, 'name'] }];
    if (second === undefined) return [];
    const count = places.get(name)?.length ?? 0;
    const message = `the ${kind} name "${name}" is used ${count === 2 ? 'twice' : `${count} times`}`;
    const hint = 'Give each a name of its own.';
    return [{ code: 'NAME_DUPLICATE', where: scope, message, hint, path: [...path, second, 'name'] }];
  });
}

// --- internal ---

/** Most names, of which only the reserved ones are wrong. */
const PLAIN = /^[A-Za-z\d][\w-]*$/u;

const RESERVED_HINT =
  'Pick one that does not start with "__" and is neither a built-in property of objects nor a limit of a run.';

const RESERVED: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  ...Object.keys(limitsSchema.unwrap().shape),
  'prototype',
]);
