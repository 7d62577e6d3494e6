/**
 * The shape of a definition: whether every field is what it should be, before anything is read from it.
 *
 * @module
 */
import { z } from 'zod';
import { backoffSchema, gatePolicySchema, limitsSchema, policySchema } from './policy.ts';
import type { Problem } from './problems.ts';
import { isSchema } from './schema.ts';

/** Refuses what is not a definition at all, field by field. */
export function shapeProblems(definition: unknown): readonly Problem[] {
  const result = pipelineShape.safeParse(definition);
  return result.success ? [] : result.error.issues.map((issue) => problemOf(issue, definition));
}

/** Names that would collide with what the language or phasegate itself uses. */
export function nameProblem(name: string): Pick<Problem, 'code' | 'message' | 'hint'> | undefined {
  if (name.trim() === '') return { code: 'NAME_INVALID', message: 'the name is empty', hint: 'Give it a name.' };
  if (name !== name.trim() || /\p{Cc}/u.test(name)) {
    const message = `the name ${JSON.stringify(name)} has control characters or spaces at its ends`;
    return { code: 'NAME_INVALID', message, hint: 'Use letters, digits, dashes and inner spaces.' };
  }
  if (name.startsWith('__') || RESERVED.has(name)) {
    const message = `the name "${name}" is reserved`;
    return { code: 'NAME_RESERVED', message, hint: 'Pick a name that does not start with "__" and is not a built-in.' };
  }
  return undefined;
}

// --- internal ---

const RESERVED: ReadonlySet<string> = new Set([
  ...['constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty'],
  ...Object.keys(limitsSchema.unwrap().shape),
]);

const call = z.custom<unknown>((value) => typeof value === 'function', 'expected a function');
const schema = z.custom<unknown>(isSchema, 'expected a Standard Schema, such as one made with zod');
const count = z.union([z.int().min(0), z.literal('unlimited')], {
  error: 'expected a whole number from 0, or "unlimited"',
});
const tries = z.union([z.int().min(1), z.literal('unlimited')], {
  error: 'expected a whole number from 1, or "unlimited"',
});
const named = z.union([z.string(), z.object({ name: z.string() })], {
  error: 'expected a name or an object made by phase() or task()',
});
const nameList = z.array(named.nullish()).nullish();
const text = z.string('expected a string');

const task = z.object({
  kind: z.literal('task', 'expected a task made by task()'),
  name: text,
  options: z.strictObject({
    run: call,
    description: text.optional(),
    after: nameList,
    output: schema.optional(),
    retry: z
      .strictObject({ attempts: tries.optional(), backoff: backoffSchema.optional(), retryable: call.optional() })
      .optional(),
    timeout: z.number().min(0).optional(),
    estimate: z
      .strictObject({ costUsd: z.number().min(0).optional(), tokens: z.number().min(0).optional() })
      .optional(),
  }),
});

const reviewer = z.union([call, task], { error: 'expected a function or a task' });

const review = gatePolicySchema.extend({
  by: z.union([reviewer, z.array(reviewer)], { error: 'expected a reviewer or a list of reviewers' }).optional(),
  quorum: z.union([z.literal('all'), z.int().min(1)], { error: 'expected "all" or a whole number from 1' }).optional(),
  checks: z.array(z.object({ name: text, run: call })).optional(),
  rewindTo: z.union([z.enum(['predecessors', 'ancestors']), z.array(named)]).optional(),
});

const phase = z.object({
  kind: z.literal('phase', 'expected a phase made by phase()'),
  name: text,
  options: z.strictObject({
    tasks: z.array(task, 'expected a list of tasks').nullish(),
    after: nameList,
    mode: z.enum(['dependencies', 'sequential', 'parallel']).nullish(),
    review: z.union([reviewer, review], { error: 'expected a function, a task, or review options' }).nullish(),
    input: schema.optional(),
  }),
});

const pipelineShape = z.strictObject({
  name: text,
  phases: z.array(phase, 'expected a list of phases'),
  input: schema.optional(),
  policy: policySchema.optional(),
  limits: limitsSchema.optional(),
  concurrency: count.refine((value) => value !== 0, 'expected a whole number from 1, or "unlimited"').optional(),
});

function problemOf(issue: z.core.$ZodIssue, definition: unknown): Problem {
  const inner = innermost(issue);
  const path = inner.path.filter((key) => key !== 'options');
  const message = `${path.at(-1) === undefined ? 'the definition' : `"${String(path.at(-1))}"`} is ${found(definition, inner.path)}: ${inner.message}`;
  return {
    code: 'OPTION_INVALID',
    where: placeOf(path, definition),
    message,
    hint: 'Correct or leave out that option.',
  };
}

/** The issue that says most: within a union, that of the member which got furthest. */
function innermost(issue: z.core.$ZodIssue): { readonly path: readonly PropertyKey[]; readonly message: string } {
  if (issue.code !== 'invalid_union') return issue;
  const deeper = issue.errors
    .flatMap((member) => member.map((one) => innermost({ ...one, path: [...issue.path, ...one.path] })))
    .sort((a, b) => b.path.length - a.path.length)[0];
  return deeper !== undefined && deeper.path.length > issue.path.length ? deeper : issue;
}

function placeOf(path: readonly PropertyKey[], definition: unknown): string {
  const [list, index, ...rest] = path;
  if (list !== 'phases' || typeof index !== 'number') return 'the pipeline';
  const where = `phase ${nameAt(definition, ['phases', index], index)}`;
  const [inner, number] = rest;
  if (inner !== 'tasks' || typeof number !== 'number') return where;
  return `${where}, task ${nameAt(definition, ['phases', index, 'options', 'tasks', number], number)}`;
}

function nameAt(definition: unknown, path: readonly PropertyKey[], index: number): string {
  const name = at(definition, [...path, 'name']);
  return typeof name === 'string' ? `"${name}"` : `number ${index + 1}`;
}

function found(definition: unknown, path: readonly PropertyKey[]): string {
  const value = at(definition, path);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'string' ? JSON.stringify(value) : typeof value === 'function' ? 'a function' : String(value);
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(
    (inner: unknown, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}
