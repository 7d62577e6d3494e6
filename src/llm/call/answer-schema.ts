/**
 * Conversion of a zod schema to JSON Schema for a model, and of the model's text to a value.
 *
 * @module
 */
import { z } from 'zod';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { excerpt, unusable } from './model-error.ts';
import type { AnswerSchema } from './port.ts';

/** A schema in the form that a model gets. */
export interface AnswerForm {
  readonly schema: AnswerSchema;
  /** True if the value is wrapped in an object, as models answer with objects only. */
  readonly isWrapped: boolean;
}

/** Creates the form of an answer. @throws `DEFINITION_INVALID` if JSON Schema cannot express the schema. */
export function answerForm(name: string, schema: z.ZodType): AnswerForm {
  const own = jsonSchemaOf(name, schema);
  const isWrapped = own['type'] !== 'object';
  const json = isWrapped ? jsonSchemaOf(name, z.object({ value: schema })) : own;
  return { schema: { name, schema: json, strict: isStrict(json) }, isWrapped };
}

/**
 * Parses an answer. The whole text must be one JSON value, optionally in a code fence.
 *
 * @throws `MODEL_ANSWER_INVALID` if it is not.
 */
export function readJson(text: string, who: string, retryable: boolean): unknown {
  try {
    return JSON.parse(withoutFence(text));
  } catch (cause) {
    throw unusable(who, `it is not JSON: ${excerpt(text)}`, {
      hint: 'Use a model with structured output, or state in the instructions that the answer is JSON only.',
      retryable,
      cause,
    });
  }
}

/** Finds a key that occurs twice in one object of a JSON text. `JSON.parse` would return only the last value. */
export function repeatedKey(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at];
    if (mark === '{' || mark === '[') open.push(new Set());
    else if (mark === '}' || mark === ']') open.pop();
    else if (mark === '"') {
      const end = stringEnd(text, at);
      if (isKey(text, end)) {
        const name = String(JSON.parse(text.slice(at, end)));
        const seen = open.at(-1);
        if (seen?.has(name)) return name;
        seen?.add(name);
      }
      at = end - 1;
    }
  }
  return undefined;
}

/** The value without the object that wraps it. */
export function unwrapped({ isWrapped }: AnswerForm, value: unknown): unknown {
  if (!isWrapped || typeof value !== 'object' || value === null || !('value' in value)) return value;
  return value.value;
}

// --- internal ---

/** The content of a code fence that encloses the whole text, otherwise the text. */
function withoutFence(text: string): string {
  const lines = text.trim();
  const [begin, end] = [lines.indexOf('\n'), lines.lastIndexOf('\n')];
  const [first, last] = [lines.slice(0, begin).trimEnd(), lines.slice(end).trim()];
  const isFenced = begin !== -1 && begin < end && last === '```' && (first === '```' || first === '```json');
  return isFenced ? lines.slice(begin, end) : text;
}

/** The index after the end of a JSON string that starts at an index. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '"') return at + 1;
    if (text[at] === '\\') at += 1;
  }
  return text.length;
}

/** True if the string before an index is a key. */
function isKey(text: string, end: number): boolean {
  for (let at = end; at < text.length; at += 1) {
    const mark = text.charAt(at);
    if (mark === ':') return true;
    if (!' \t\r\n'.includes(mark)) return false;
  }
  return false;
}

function jsonSchemaOf(name: string, schema: z.ZodType): Readonly<Record<string, unknown>> {
  try {
    const { $schema: _, ...json } = z.toJSONSchema(schema, {
      io: 'input',
      override: ({ jsonSchema }) => {
        if (jsonSchema.type === 'object') jsonSchema.additionalProperties ??= false;
        if (jsonSchema.oneOf) {
          // Strict structured output supports `anyOf` only. The zod schema validates the answer afterwards.
          jsonSchema.anyOf = jsonSchema.oneOf;
          delete jsonSchema.oneOf;
        }
      },
    });
    return json;
  } catch (cause) {
    throw new PhasegateError(
      'DEFINITION_INVALID',
      `Cannot describe the schema of "${name}" to a model as JSON Schema cannot express it: ${String(cause)}`,
      { hint: 'Use a schema of plain JSON, and convert the answer in a later task.', cause },
    );
  }
}

/** Keywords that strict structured output refuses. */
const NOT_STRICT = [
  'allOf',
  'not',
  'default',
  'prefixItems',
  'propertyNames',
  'patternProperties',
  'minLength',
  'maxLength',
];

function isStrict(json: unknown): boolean {
  if (Array.isArray(json)) return json.every(isStrict);
  const node = fieldsOf(json);
  if (NOT_STRICT.some((keyword) => node.has(keyword))) return false;
  if (node.get('type') === 'object') {
    const required: unknown = node.get('required') ?? [];
    if (node.get('additionalProperties') !== false || !Array.isArray(required)) return false;
    if (![...fieldsOf(node.get('properties')).keys()].every((name) => required.includes(name))) return false;
  }
  return [...node].every(([key, value]) =>
    // The keys under these are chosen by the author of the schema and are not keywords.
    key === 'properties' || key === '$defs' ? [...fieldsOf(value).values()].every(isStrict) : isStrict(value),
  );
}

function fieldsOf(json: unknown): ReadonlyMap<string, unknown> {
  return new Map<string, unknown>(typeof json === 'object' && json !== null ? Object.entries(json) : []);
}
