/**
 * Samples of schemas: values that a schema accepts, each different from the one before if the schema allows it.
 *
 * @module
 */
import { z } from 'zod';
import type { Work } from '../../model/definition/compile.ts';
import { cutText, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { questionOf } from '../../model/handlers/human.ts';
import type { StandardSchemaV1 } from '../../model/values/standard-schema.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';

/**
 * Makes a value that a schema accepts. Schemas are read as JSON Schema, so refinements and patterns are not known to it.
 *
 * @param schema A schema of zod, or another Standard Schema that has `~standard.jsonSchema`. Without one the sample is a text.
 * @param nth Number of the sample: another number gives another value, if the schema has one. @default 1
 * @throws PhasegateError `SCRIPT_INVALID` if the schema cannot be read, or refuses the sample.
 */
export function sample(schema?: StandardSchemaV1, nth = 1): unknown {
  if (!schema) return `sample ${nth}`;
  const root = jsonSchemaOf(schema);
  const value = valueOf(root, { root, nth, depth: 0 });
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise || !result.issues) return value;
  const [issue] = result.issues;
  throw noSample(`the schema refuses ${cutText(JSON.stringify(value))}: ${issue?.message ?? ''}`);
}

/** A sample of the answer of a person who is a task. */
export function sampleAnswer(work: Work, { about, task = '', choices }: InboxItem, nth: number): unknown {
  if (choices) return choices[nth % choices.length];
  const its = work.phases.get(about)?.tasks.get(task);
  return sample(its?.output ?? questionOf(its?.runner)?.schema, nth);
}

// --- internal ---

type Node = Readonly<Record<string, unknown>>;

interface Place {
  readonly root: Node;
  readonly nth: number;
  readonly depth: number;
}

/** Deepest nesting of a sample, for schemas that refer to themselves. */
const DEEPEST = 20;

/** Texts of well-known formats. */
const FORMATS: Readonly<Record<string, (nth: number) => string>> = {
  date: (nth) => new Date(Date.UTC(2026, 0, nth)).toISOString().slice(0, 10),
  'date-time': (nth) => new Date(Date.UTC(2026, 0, nth)).toISOString(),
  time: (nth) => `00:00:${String(nth % 60).padStart(2, '0')}Z`,
  email: (nth) => `sample${nth}@example.com`,
  uri: (nth) => `https://example.com/${nth}`,
  uuid: (nth) => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`,
};

function jsonSchemaOf(schema: StandardSchemaV1): Node {
  try {
    if (isZod(schema)) return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    const convert: unknown = Reflect.get(Object(Reflect.get(schema['~standard'], 'jsonSchema')), 'input');
    if (typeof convert === 'function') return nodeOf(Reflect.apply(convert, undefined, [{ target: 'draft-2020-12' }]));
  } catch (cause) {
    throw noSample(`the schema has no JSON Schema: ${String(cause)}`);
  }
  throw noSample('it is no schema of zod, and has no JSON Schema');
}

/** True for a schema of any copy of zod 4. */
function isZod(schema: object): schema is z.core.$ZodType {
  return '_zod' in schema;
}

function valueOf(given: unknown, place: Place): unknown {
  if (place.depth > DEEPEST) return null;
  const node = resolved(nodeOf(given), place.root);
  const deeper = { ...place, depth: place.depth + 1 };
  if ('const' in node) return node['const'];
  if (Array.isArray(node['enum'])) return picked(node['enum'], place.nth);
  const options = node['anyOf'] ?? node['oneOf'];
  if (Array.isArray(options)) return valueOf(picked(options, place.nth), deeper);
  if (Array.isArray(node['allOf']))
    return Object.assign({}, ...node['allOf'].map((part) => valueOf(part, deeper))) as unknown;
  const type: unknown = Array.isArray(node['type']) ? node['type'][0] : node['type'];
  switch (type) {
    case 'object':
      return objectOf(node, deeper);
    case 'array':
      return listOf(node, deeper);
    case 'number':
    case 'integer':
      return numberOf(node, place.nth, type === 'integer');
    case 'boolean':
      return place.nth % 2 === 1;
    case 'null':
      return null;
    default:
      return textOf(node, place.nth);
  }
}

function objectOf(node: Node, place: Place): unknown {
  const required = Array.isArray(node['required']) ? node['required'] : [];
  const entries = Object.entries(nodeOf(node['properties'])).filter(([name]) => required.includes(name));
  return Object.fromEntries(entries.map(([name, one]) => [name, valueOf(one, place)]));
}

function listOf(node: Node, place: Place): unknown {
  const first = Array.isArray(node['prefixItems']) ? node['prefixItems'].map((one) => valueOf(one, place)) : [];
  const least = Math.max(amountOf(node['minItems'], 0), first.length);
  const most = amountOf(node['maxItems'], Infinity);
  const items = node['items'] === undefined || node['items'] === false ? undefined : node['items'];
  const count = items === undefined ? first.length : Math.min(most, Math.max(least, place.depth > DEEPEST / 2 ? 0 : 1));
  const rest = Array.from({ length: count - first.length }, (_, index) =>
    valueOf(items, { ...place, nth: place.nth + index }),
  );
  return [...first, ...rest];
}

function numberOf(node: Node, nth: number, isInteger: boolean): number {
  const step = amountOf(node['multipleOf'], 1);
  const least = Math.max(
    amountOf(node['minimum'], -Infinity),
    amountOf(node['exclusiveMinimum'], -Infinity) + (isInteger ? 1 : step / 1000),
  );
  const most = Math.min(
    amountOf(node['maximum'], Infinity),
    amountOf(node['exclusiveMaximum'], Infinity) - (isInteger ? 1 : step / 1000),
  );
  const start = Number.isFinite(least) ? Math.ceil(least / step) * step : Math.min(0, most);
  const width = most - start;
  if (width < step) return Number.isFinite(least) && start > most ? least : start;
  return start + (Number.isFinite(width) ? (nth * step) % (Math.floor(width / step) * step + step) : nth * step);
}

function textOf(node: Node, nth: number): string {
  const format = typeof node['format'] === 'string' ? FORMATS[node['format']] : undefined;
  if (format) return format(nth);
  const text = `sample ${nth}`.padEnd(amountOf(node['minLength'], 0), '.');
  const most = amountOf(node['maxLength'], Infinity);
  return text.length > most
    ? String(nth)
        .padStart(most, '0')
        .slice(-most || undefined)
    : text;
}

function resolved(node: Node, root: Node): Node {
  const name = typeof node['$ref'] === 'string' ? node['$ref'] : undefined;
  if (name === undefined) return node;
  const path = name.startsWith('#/') ? name.slice(2).split('/') : [];
  return path.reduce((at, key) => nodeOf(at[key.replaceAll('~1', '/').replaceAll('~0', '~')]), root);
}

function picked(list: readonly unknown[], nth: number): unknown {
  return list[(nth - 1) % list.length];
}

function amountOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : otherwise;
}

function nodeOf(value: unknown): Node {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function noSample(why: string): PhasegateError {
  return new PhasegateError('SCRIPT_INVALID', `Cannot make a sample of a schema as ${why}`, {
    hint: 'Script the values of this task or input yourself.',
  });
}
