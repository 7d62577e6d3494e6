/**
 * JSON Schemas in a pipeline file: those that are checked in every part.
 *
 * @module
 */
import { z } from 'zod';
import { errorInfo } from '../../../model/errors/phasegate-error.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Why a JSON Schema cannot be used: what it says would not be checked, and work would pass that it does not describe.
 *
 * @returns `undefined` where it can.
 */
export function schemaProblem(schema: JsonSchema): string | undefined {
  const unheeded = problemAt(schema, '');
  if (unheeded !== undefined) return unheeded;
  try {
    z.fromJSONSchema(schema);
    return undefined;
  } catch (error) {
    return errorInfo(error).message;
  }
}

// --- internal ---

/** Keywords that are heeded only beside the type that they are about. */
const OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
  ],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains'],
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};
const COMBINING = ['anyOf', 'oneOf', 'allOf'];
/** Keywords that check nothing. */
const NOTES = ['$schema', '$id', '$comment', 'title', 'description', 'examples', 'default', '$defs', 'definitions'];
/** Keywords beside which others are not heeded. */
const ALONE = ['enum', 'const', '$ref'];
const KNOWN = new Set([...Object.values(OF_TYPE).flat(), ...COMBINING, ...NOTES, ...ALONE, 'type']);
/** Keywords whose values are schemas by name; schemas, or a list of them. */
const BY_NAME = ['properties', 'patternProperties', '$defs', 'definitions'];
const INNER = ['items', 'prefixItems', 'additionalProperties', 'propertyNames', 'contains', ...COMBINING];

function problemAt(schema: unknown, path: string): string | undefined {
  if (!isObject(schema)) return undefined;
  const where = path === '' ? '' : ` (at ${path})`;
  const keys = Object.keys(schema);
  const strange = keys.find((key) => !KNOWN.has(key));
  if (strange !== undefined) return `"${strange}" is not known${where}`;
  const type = schema['type'] === 'integer' ? 'number' : schema['type'];
  for (const [wanted, own] of Object.entries(OF_TYPE)) {
    const key = keys.find((one) => own.includes(one));
    if (key !== undefined && type !== wanted) return `"${key}" needs "type: ${wanted}" beside it${where}`;
  }
  const alone = keys.find((key) => ALONE.includes(key));
  const beside = keys.find((key) => key !== alone && key !== 'type' && !NOTES.includes(key));
  if (alone !== undefined && beside !== undefined) return `"${beside}" is not heeded beside "${alone}"${where}`;
  const { properties } = schema;
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const missing = required.find((name) => !isObject(properties) || !Object.hasOwn(properties, String(name)));
  if (missing !== undefined) return `"required" names ${JSON.stringify(missing)}, which is not in "properties"${where}`;
  const sized = keys.find((key) => key === 'minItems' || key === 'maxItems');
  if (sized !== undefined && !keys.includes('items') && !keys.includes('prefixItems'))
    return `"${sized}" needs "items" beside it${where}`;
  return problemWithin(schema, path);
}

function problemWithin(schema: JsonSchema, path: string): string | undefined {
  const named = BY_NAME.flatMap((key): [string, unknown][] => {
    const inner = schema[key];
    return isObject(inner) ? Object.entries(inner).map(([name, one]) => [`${path}/${key}/${name}`, one]) : [];
  });
  const others = INNER.flatMap((key): [string, unknown][] => {
    const inner: unknown = schema[key];
    return Array.isArray(inner)
      ? inner.map((one: unknown, index) => [`${path}/${key}/${index}`, one])
      : [[`${path}/${key}`, inner]];
  });
  for (const [where, inner] of [...named, ...others]) {
    const problem = problemAt(inner, where);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
