/**
 * Validation of JSON Schemas in a pipeline file: every part of a schema must have an effect.
 *
 * @module
 */
import { z } from 'zod';
import { errorInfo } from '../../../model/errors/phasegate-error.ts';
import { isFields, type Fields } from '../../../model/values/json.ts';
import { patternDoubt, shownPattern } from '../patterns/pattern-doubt.ts';

/**
 * Finds the reason that a JSON Schema cannot be used: some part would have no effect, so that wrong outputs would pass.
 *
 * @returns `undefined` if the schema can be used.
 */
export function schemaProblem(schema: Fields): string | undefined {
  const problem = problemAt(schema, '');
  if (problem !== undefined) return problem;
  try {
    z.fromJSONSchema(schema);
    return undefined;
  } catch (error) {
    return errorInfo(error).message;
  }
}

// --- internal ---

/** Keywords that have an effect only next to the type that they constrain. */
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
/** Keywords next to which others have no effect. */
const ALONE = ['enum', 'const', '$ref'];
const KNOWN = new Set([...Object.values(OF_TYPE).flat(), ...COMBINING, ...NOTES, ...ALONE, 'type']);
/** Keywords whose values are objects of schemas. */
const BY_NAME = ['properties', 'patternProperties', '$defs', 'definitions'];
/** Keywords whose values are a schema or a list of schemas. */
const INNER = ['items', 'prefixItems', 'additionalProperties', 'propertyNames', 'contains', ...COMBINING];

function problemAt(schema: unknown, path: string): string | undefined {
  if (!isFields(schema)) return undefined;
  const where = path === '' ? '' : ` (at ${path})`;
  const keys = Object.keys(schema);
  const unknown = keys.find((key) => !KNOWN.has(key));
  if (unknown !== undefined) return `"${unknown}" is not known${where}`;
  const type = schema['type'] === 'integer' ? 'number' : schema['type'];
  for (const [wanted, own] of Object.entries(OF_TYPE)) {
    const key = keys.find((one) => own.includes(one));
    if (key !== undefined && type !== wanted) return `"${key}" needs "type: ${wanted}" next to it${where}`;
  }
  const alone = keys.find((key) => ALONE.includes(key));
  const idle = keys.find((key) => key !== alone && key !== 'type' && !NOTES.includes(key));
  if (alone !== undefined && idle !== undefined) return `"${idle}" has no effect next to "${alone}"${where}`;
  const { properties } = schema;
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const missing = required.find((name) => !isFields(properties) || !Object.hasOwn(properties, String(name)));
  if (missing !== undefined) return `"required" names ${JSON.stringify(missing)}, which is not in "properties"${where}`;
  const sized = keys.find((key) => key === 'minItems' || key === 'maxItems');
  if (sized !== undefined && !keys.includes('items') && !keys.includes('prefixItems'))
    return `"${sized}" needs "items" next to it${where}`;
  return patternProblem(schema, where) ?? problemWithin(schema, path);
}

function problemWithin(schema: Fields, path: string): string | undefined {
  const named = BY_NAME.flatMap((key): [string, unknown][] => {
    const inner = schema[key];
    return isFields(inner) ? Object.entries(inner).map(([name, one]) => [`${path}/${key}/${name}`, one]) : [];
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

/** Finds a pattern that is not proven to be fast. */
function patternProblem(schema: Fields, where: string): string | undefined {
  const named = schema['patternProperties'];
  for (const pattern of [schema['pattern'], ...(isFields(named) ? Object.keys(named) : [])]) {
    const doubt = typeof pattern === 'string' ? patternDoubt(pattern, { everywhere: false }) : undefined;
    if (doubt !== undefined) return `cannot use the pattern ${shownPattern(String(pattern))} as ${doubt}${where}`;
  }
  return undefined;
}
