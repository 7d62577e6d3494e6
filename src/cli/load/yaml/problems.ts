/**
 * Problems of a pipeline file, in words and with their positions.
 *
 * @module
 */
import { z } from 'zod';
import type { Problem } from '../../../model/definition/pipeline-invalid-error.ts';
import { nearest } from '../../../model/values/nearest.ts';
import type { FileProblem, YamlDocument } from './document.ts';
import { pipelineFileSchema } from './schema.ts';

/** Converts the issues that the schema found to problems with positions. */
export function shapeProblems(document: YamlDocument, issues: readonly z.core.$ZodIssue[]): readonly FileProblem[] {
  return issues.flatMap((issue) => problemsOf(document, issue, []));
}

/** Converts the problems that `definePipeline` found to problems with positions. Definition and file have the same paths. */
export function definitionProblems(document: YamlDocument, problems: readonly Problem[]): readonly FileProblem[] {
  return problems.map(({ where, message, hint, path = [] }) => ({
    message: `${where}: ${message}. ${hint}`,
    offset: document.offsetOf(path),
  }));
}

// --- internal ---

type Path = readonly PropertyKey[];

function problemsOf(document: YamlDocument, issue: z.core.$ZodIssue, above: Path): readonly FileProblem[] {
  const path = [...above, ...issue.path];
  const offset = document.offsetOf(path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      message: unknownKey(key, path, issue.input),
      offset: document.offsetOfKey([...path, key]),
    }));
  }
  if (issue.code === 'invalid_union') return unionProblems(document, issue, path);
  return [{ message: isMissing(issue) ? `${nameOf(path)} is missing` : `${nameOf(path)}: ${wordsOf(issue)}`, offset }];
}

/** Returns the problems of the one union member that the value can be meant for, or of the union if several members fit. */
function unionProblems(
  document: YamlDocument,
  issue: z.core.$ZodIssueInvalidUnion,
  path: Path,
): readonly FileProblem[] {
  // The union has a discriminating key, and no member has its value.
  if (issue.errors.length === 0)
    return [{ message: `${nameOf(path)}: ${issue.message}`, offset: document.offsetOf(path) }];
  const [meant, ...more] = issue.errors.filter((branch) => !branch.some(isAnotherKind));
  if (meant && more.length === 0) return meant.flatMap((one) => problemsOf(document, one, path));
  if (issue.errors.every((branch) => branch.every(isMissing)))
    return [{ message: `${nameOf(path)} is missing`, offset: document.offsetOf(path) }];
  const expected = new Set(issue.errors.flatMap((branch) => branch.map(wordsOf)));
  return [{ message: `${nameOf(path)}: ${[...expected].join(', or ')}`, offset: document.offsetOf(path) }];
}

/** True if the problem is a missing value. */
function isMissing(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_type' && issue.input === undefined;
}

/** True if a union member expects another kind of value. */
function isAnotherKind({ code, path }: z.core.$ZodIssue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
}

function wordsOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') {
    const values = issue.values.map((value) => JSON.stringify(value));
    const meant = typeof issue.input === 'string' ? nearest(issue.input, issue.values.map(String)) : undefined;
    const expected = values.length === 1 ? `expected ${values[0]}` : `expected one of ${values.join(', ')}`;
    return meant === undefined ? expected : `${expected}. Did you mean "${meant}"?`;
  }
  if (issue.code === 'invalid_type')
    return `expected ${KINDS.get(issue.expected) ?? issue.expected}, found ${kindOf(issue.input)}`;
  if (issue.code === 'too_small' && issue.origin === 'array') return `expected ${issue.minimum} or more, found none`;
  return issue.message.replace(/^(?:Invalid input|Too (?:small|big)): /u, '');
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['array', 'a list'],
  ['object', 'keys with values'],
  ['record', 'keys with values'],
  ['string', 'text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
]);

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return KINDS.get(typeof value) ?? typeof value;
}

function nameOf(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return 'the file';
  return typeof last === 'number' ? `item ${last + 1} of "${String(path.at(-2))}"` : `"${String(last)}"`;
}

function unknownKey(key: string, path: Path, value: unknown): string {
  const known = keysAt(pipelineFileSchema, path, value);
  const meant = nearest(key, known);
  const advice = meant === undefined ? `The known keys are ${known.join(', ')}.` : `Did you mean "${meant}"?`;
  return `unknown key "${key}". ${advice}`;
}

/** Returns the keys that the schema allows at a path, for the value there. */
function keysAt(schema: unknown, path: Path, value: unknown): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodReadonly) return keysAt(schema.unwrap(), path, value);
  if (schema instanceof z.ZodUnion) {
    const options = schema.options.filter((option) => path.length > 0 || isMeant(option, value));
    return [...new Set(options.flatMap((option) => keysAt(option, path, value)))];
  }
  const [step, ...rest] = path;
  if (schema instanceof z.ZodArray) return typeof step === 'number' ? keysAt(schema.element, rest, value) : [];
  if (!(schema instanceof z.ZodObject)) return [];
  return step === undefined ? Object.keys(schema.shape) : keysAt(schema.shape[String(step)], rest, value);
}

/** True if a value may be meant for this member of a union that `use` discriminates. */
function isMeant(option: unknown, value: unknown): boolean {
  const use: unknown = option instanceof z.ZodObject ? option.shape['use'] : undefined;
  if (!(use instanceof z.ZodType) || typeof value !== 'object' || value === null) return true;
  return use.safeParse(Reflect.get(value, 'use')).success;
}
