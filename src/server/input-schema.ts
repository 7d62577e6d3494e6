/**
 * The JSON Schema of the input of a pipeline, as far as its schema can say it.
 *
 * @module
 */
import { z } from 'zod';

/** Most characters of a schema that browsers get. */
const MOST_CHARS = 100_000;

/**
 * Returns the JSON Schema of an input, as plain JSON. Schemas of zod 4 have one, and those of Standard JSON Schema.
 *
 * @returns `undefined` if there is none, or if it is longer than 100 000 characters.
 */
export function inputSchemaOf(schema: object): unknown {
  try {
    // A schema may come from any library. The copy has no getters, cycles or own methods.
    const text = JSON.stringify(converted(schema));
    return text === undefined || text.length > MOST_CHARS ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

// --- internal ---

function converted(schema: object): unknown {
  if (isZod(schema)) return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const standard: unknown = Reflect.get(schema, '~standard');
  const convert: unknown = Reflect.get(Object(Reflect.get(Object(standard), 'jsonSchema')), 'input');
  if (typeof convert !== 'function') return undefined;
  const json: unknown = Reflect.apply(convert, undefined, [{ target: 'draft-2020-12' }]);
  return json;
}

/** True for a schema of any copy of zod 4. */
function isZod(schema: object): schema is z.core.$ZodType {
  return '_zod' in schema;
}
