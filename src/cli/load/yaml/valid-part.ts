/**
 * The valid part of a file that does not match the schema, so that its structure can be checked as well.
 *
 * @module
 */
import type { z } from 'zod';
import type { Problem } from '../../../model/definition/pipeline-invalid-error.ts';
import { pipelineFileSchema, type PipelineFile } from './schema.ts';

/** A file without the parts that its schema refuses. */
export interface ValidPart {
  readonly file: PipelineFile;
  /** True if a problem of the structure is in the file itself, and not an effect of the removed parts. */
  isOwn(problem: Problem): boolean;
}

/**
 * Removes the parts of a file that its schema refuses, and inserts stand-ins for required values. Everything else keeps its path.
 *
 * @returns `undefined` if nothing is left to check.
 */
export function validPartOf(value: unknown): ValidPart | undefined {
  const copy = structuredClone(value);
  const touched: Path[] = [];
  // A stand-in is valid, so each round gets at least one level deeper.
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { success, data, error } = pipelineFileSchema.safeParse(copy, { reportInput: true });
    if (success) return { file: data, isOwn: (problem) => isOwn(problem, touched) };
    for (const issue of error.issues) {
      if (!replace(copy, issue)) return undefined;
      touched.push(issue.path);
    }
  }
  return undefined;
}

// --- internal ---

type Path = readonly PropertyKey[];

const MOST_ROUNDS = 10;
/** The prefix of stand-in names: a private-use character that no real name has. */
const STAND_IN = '\u{F0000}';

/** Removes or replaces one refused value. @returns True if there was something to replace. */
function replace(file: unknown, { code, path, ...issue }: z.core.$ZodIssue): boolean {
  if (code === 'unrecognized_keys' && 'keys' in issue) {
    const owner = at(file, path);
    for (const key of issue.keys) if (isObject(owner)) Reflect.deleteProperty(owner, key);
    return isObject(owner);
  }
  const check = path.lastIndexOf('checks');
  const isPartOfCheck = check >= 0 && path.length > check + 2 && NEEDED_BY_CHECKS.has(path[check + 2]);
  const place = isPartOfCheck ? path.slice(0, check + 2) : path;
  const owner = at(file, place.slice(0, -1));
  const key = place.at(-1);
  if (!isObject(owner) || key === undefined || key === 'phases') return false;
  const standIn = key === 'prompt' && !('agent' in owner) ? undefined : standInFor(key, place);
  if (key === 'command') Reflect.deleteProperty(owner, 'shell');
  return standIn === undefined ? Reflect.deleteProperty(owner, key) : Reflect.set(owner, key, standIn);
}

/** Keys that decide the kind of a check: an error in one of them replaces the whole check. */
const NEEDED_BY_CHECKS: ReadonlySet<unknown> = new Set(['use', 'task', 'schema', 'command']);

/** Returns a stand-in for a required value; `undefined` for an optional value, which is removed. */
function standInFor(key: PropertyKey, path: Path): unknown {
  const name = `${STAND_IN}${path.join('.')}`;
  const command = { command: [name] };
  const task = { name, ...command };
  switch (String(typeof key === 'number' ? path.at(-2) : key)) {
    case 'phases':
      return { name, tasks: [task] };
    case 'tasks':
      return typeof key === 'number' ? task : [task];
    case 'command':
      return typeof key === 'number' ? name : command.command;
    case 'checks':
      return typeof key === 'number' ? command : [command];
    case 'by':
    case 'reflect':
      return command;
    case 'name':
    case 'prompt':
      return name;
    case 'after':
    case 'rewindTo':
      return typeof key === 'number' ? name : undefined;
    default:
      return undefined;
  }
}

function isOwn({ code, message, hint, path }: Problem, touched: readonly Path[]): boolean {
  if (path === undefined || `${message}${hint}`.includes(STAND_IN)) return false;
  switch (code) {
    case 'CYCLE':
    case 'NAME_DUPLICATE':
    case 'NAME_INVALID':
    case 'NAME_RESERVED':
      return true;
    case 'TASKS_EMPTY':
      return !touched.some((one) => path.every((key, index) => one[index] === key));
    case 'NOT_UPSTREAM':
    case 'PREDECESSOR_UNKNOWN':
    case 'REWIND_IMPOSSIBLE':
      if (!path.includes('after')) return !touched.some(isOrder);
      return !touched.some((one) => isNameOf(one, path.includes('tasks') ? path.slice(0, 3) : path.slice(0, 1)));
    case 'ESTIMATE_MISSING':
    case 'OPTION_INVALID':
    case 'QUORUM_IMPOSSIBLE':
    case 'REFLECT_MISSING':
    case 'REFLECT_UNUSED':
    case 'REVIEW_EMPTY':
      return !touched.some((one) => one[0] === 'policy' || (one[0] === path[0] && one[1] === path[1]));
  }
}

/** True if a removed part may have declared the order of phases. */
function isOrder([list, , key, ...rest]: Path): boolean {
  return list === 'phases' && (rest.length === 0 || key === 'after');
}

/** True if a removed part may have been a name in the given list. */
function isNameOf(touched: Path, list: Path): boolean {
  const [, key, ...rest] = touched.slice(list.length - 1);
  return (
    list.every((part, index) => touched[index] === part) &&
    (key === undefined || rest.length === 0 || rest[0] === 'name')
  );
}

function at(value: unknown, path: Path): unknown {
  return path.reduce((owner, key) => (isObject(owner) ? Reflect.get(owner, key) : undefined), value);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
