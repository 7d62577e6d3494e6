/**
 * Translation of schema issues into problems that name the option, the value found, and the value expected.
 *
 * @module
 */
import { z } from 'zod';
import type { Problem } from './pipeline-invalid-error.ts';

/** Returns the problems behind one issue: one, one per unknown option, or those of the union member that the value was meant for. */
export function problemsOf(issue: z.core.$ZodIssue, definition: unknown, schema: z.ZodType): readonly Problem[] {
  const path = issue.path.at(-1) === 'kind' ? issue.path.slice(0, -1) : issue.path;
  const { where, rest } = placeOf(path, definition);
  if (issue.code === 'unrecognized_keys' && !issue.keys.includes('kind')) {
    return issue.keys.map((key) => {
      const home = homeOf(key, path, schema);
      const message = `there is no option "${optionOf([...rest, key])}"`;
      const hint = home
        ? `It is an option of ${home}: put it there.`
        : `Remove it, or correct its name; there are ${keysAt(schema, path).join(', ')}.`;
      return { code: 'OPTION_INVALID', where, message, hint, path: written([...path, key]) };
    });
  }
  const meant = issue.code === 'invalid_union' ? memberOf(issue, at(definition, path)) : undefined;
  if (meant) return meant.flatMap((one) => problemsOf({ ...one, path: [...path, ...one.path] }, definition, schema));
  const value = at(definition, path);
  const found = rest.length > 0 && value === undefined ? 'missing' : show(value);
  const message = `${subjectOf(path, rest)} ${found}; ${expectation(issue)}`;
  return [{ code: 'OPTION_INVALID', where, message, hint: hintFor(path, rest, value), path: written(path) }];
}

// --- internal ---

/** Returns the issues of the only union member that a value of this kind can be meant for, if there is just one. */
function memberOf(issue: z.core.$ZodIssueInvalidUnion, value: unknown): readonly z.core.$ZodIssue[] | undefined {
  const kind = at(value, ['kind']);
  const [meant, ...more] = issue.errors.filter((member) =>
    member.every((one) => {
      if (one.code === 'unrecognized_keys') return kind === undefined;
      return one.path.length > 0 && (one.path[0] !== 'kind' || kind !== undefined) && !isOtherKind(one);
    }),
  );
  return meant && more.length === 0 ? meant : undefined;
}

function isOtherKind({ path, code }: z.core.$ZodIssue): boolean {
  return path.length === 1 && path[0] === 'kind' && code === 'invalid_value';
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.message.startsWith('expected')) return issue.message;
  switch (issue.code) {
    case 'unrecognized_keys':
      return 'expected a function, a task, or review options';
    case 'invalid_type':
      return `expected ${KINDS.get(issue.expected) ?? issue.expected}`;
    case 'too_small':
      return `expected a number from ${issue.minimum}`;
    case 'too_big':
      return `expected a number up to ${issue.maximum}`;
    case 'invalid_value':
      return `expected ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`.replace(
        /, ("[^"]*")$/u,
        ' or $1',
      );
    case 'invalid_union': {
      const members = issue.errors.flatMap((member) => member.slice(0, 1).map(expectation));
      return `expected ${members.map((one) => one.replace('expected ', '')).join(' or ')}`;
    }
    case 'invalid_format':
    case 'not_multiple_of':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return issue.message;
  }
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['object', 'an object'],
  ['array', 'a list'],
  ['string', 'a string'],
  ['number', 'a finite number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
]);

function subjectOf(path: readonly PropertyKey[], rest: readonly PropertyKey[]): string {
  if (rest.length > 0) return `"${optionOf(rest)}" is`;
  if (path.length === 0) return 'the definition is';
  return path.at(-1) === 'options' ? 'its options are' : 'it is';
}

function hintFor(path: readonly PropertyKey[], rest: readonly PropertyKey[], value: unknown): string {
  if (path.length === 0) return 'Pass an object with `name` and `phases`.';
  if (rest.length === 0) return 'Make phases with phase(name, options) and tasks with task(name, options).';
  return value === undefined ? 'Add it.' : 'Correct it.';
}

interface Place {
  readonly where: string;
  /** The path from `where` on. */
  readonly rest: readonly PropertyKey[];
}

function placeOf(path: readonly PropertyKey[], definition: unknown): Place {
  const [list, index, options, inner, number] = path;
  if (list !== 'phases' || typeof index !== 'number') return { where: 'the pipeline', rest: path };
  const where = `phase ${nameAt(definition, ['phases', index], index)}`;
  const rest = path.slice(options === 'options' ? 3 : 2);
  if (inner !== 'tasks' || typeof number !== 'number') return { where, rest };
  const task = nameAt(definition, path.slice(0, 5), number);
  return { where: `${where}, task ${task}`, rest: path.slice(path[5] === 'options' ? 6 : 5) };
}

/** Writes a path as in code: `review.by[1]`. Options passed to `phase()` or `task()` are not nested for the user. */
function optionOf(path: readonly PropertyKey[]): string {
  return written(path)
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`))
    .join('');
}

/** Removes the `options` level that `phase()` and `task()` add. */
function written(path: readonly PropertyKey[]): readonly PropertyKey[] {
  return path.filter((key) => key !== 'options');
}

function nameAt(definition: unknown, path: readonly PropertyKey[], index: number): string {
  const name = at(definition, [...path, 'name']);
  return typeof name === 'string' ? `"${name}"` : `number ${index + 1}`;
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return 'a list';
  const kind = at(value, ['kind']);
  return kind === 'phase' || kind === 'task' ? `a ${kind}` : 'an object';
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(
    (inner: unknown, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

/** Returns the options that a schema knows at a path. */
function keysAt(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodReadonly) {
    return keysAt(schema.unwrap(), path);
  }
  if (schema instanceof z.ZodUnion) return [...new Set(schema.options.flatMap((option) => keysAt(option, path)))];
  const [step, ...rest] = path;
  if (schema instanceof z.ZodArray) return typeof step === 'number' ? keysAt(schema.element, rest) : [];
  if (!(schema instanceof z.ZodObject) || (step === undefined && 'kind' in schema.shape)) return [];
  return step === undefined ? Object.keys(schema.shape) : keysAt(schema.shape[String(step)], rest);
}

/** Names another place that knows an option with this name. The search begins within the phase if the option was given to one. */
function homeOf(key: string, path: readonly PropertyKey[], schema: z.ZodType): string | undefined {
  const phase = ['phases', 0, 'options'];
  const inside = [
    ['`review`', [...phase, 'review']],
    ['phases', phase],
  ] as const;
  const outside = [
    ['`policy`', ['policy']],
    ['`limits`', ['limits']],
    ['the pipeline', []],
  ] as const;
  const homes = path[0] === 'phases' ? [...inside, ...outside] : [...outside, ...inside];
  return homes.find(([, place]) => keysAt(schema, place).includes(key))?.[0];
}
