/**
 * The fields of a form for the input of a pipeline, made of its JSON Schema.
 *
 * The schema may come from any library and from other people. So it is read with bounds, and a form is made only of what it says plainly.
 *
 * @module
 */
import type { InputField } from './api-start.ts';
import { ofName } from '../model/values/by-name.ts';
import { isFields, type Fields } from '../model/values/json.ts';
import { cutEnd } from '../model/values/text-limits.ts';

/**
 * Returns a field for each property of an input, in the order of the schema.
 *
 * @param schema Plain JSON, as `inputSchemaOf` returns it.
 * @returns `undefined` if no form can hold every input that the schema requires: the input is no object, is a choice between objects, or
 *   has more than 40 properties.
 */
export function inputFieldsOf(schema: unknown): readonly InputField[] | undefined {
  if (!isFields(schema) || ofName(schema, 'type') !== 'object') return undefined;
  if (Object.keys(schema).some((key) => CONDITIONS.has(key))) return undefined;
  const properties = ofName(schema, 'properties');
  if (!isFields(properties)) return undefined;
  const entries = Object.entries(properties);
  const required = ofName(schema, 'required') ?? [];
  if (!Array.isArray(required) || entries.length === 0 || entries.length > MOST_FIELDS) return undefined;
  const names = new Set(entries.map(([name]) => name));
  // A form without a required property could never be sent.
  if (!required.every((name) => typeof name === 'string' && names.has(name))) return undefined;
  if (entries.some(([name]) => name.length > LONGEST_NAME)) return undefined;
  const wanted = new Set<unknown>(required);
  return entries.map(([name, value]) => fieldOf(name, resolved(schema, value), wanted.has(name)));
}

// --- internal ---

const MOST_FIELDS = 40;
const LONGEST_NAME = 200;
const MOST_CHOICES = 100;
const LONGEST_CHOICE = 200;
const LONGEST_HELP = 500;
/** A text of at most this many characters needs no field of several lines. */
const ONE_LINE = 200;
/** References from one definition to the next. */
const MOST_REFERENCES = 5;

/** Keywords by which a property depends on others. */
const CONDITIONS: ReadonlySet<string> = new Set([
  '$ref',
  'allOf',
  'anyOf',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'else',
  'if',
  'not',
  'oneOf',
  'then',
]);

function fieldOf(name: string, schema: unknown, isRequired: boolean): InputField {
  const given = isFields(schema) ? schema : {};
  const help = ofName(given, 'description');
  const byDefault = ofName(given, 'default');
  return {
    name,
    isRequired,
    ...(typeof help === 'string' && help.trim() !== '' && { help: cutEnd(help, LONGEST_HELP) }),
    ...(byDefault !== undefined && { byDefault: cutEnd(JSON.stringify(byDefault), LONGEST_HELP) }),
    ...kindOf(given),
  };
}

function kindOf(schema: Fields): Pick<InputField, 'kind' | 'choices'> {
  // Other conditions may refuse what a simple field offers, and JSON can hold anything.
  if (Object.keys(schema).some((key) => CONDITIONS.has(key))) return { kind: 'json' };
  const choices = choicesOf(schema);
  if (choices) return { kind: 'choice', choices };
  if (ofName(schema, 'enum') !== undefined) return { kind: 'json' };
  switch (ofName(schema, 'type')) {
    case 'string':
      return { kind: isOneLine(schema) ? 'text' : 'lines' };
    case 'number':
      return { kind: 'number' };
    case 'integer':
      return { kind: 'integer' };
    case 'boolean':
      return { kind: 'choice', choices: [true, false] };
    default:
      return { kind: 'json' };
  }
}

/** A text without a length may have several lines, and a field of one line would lose their ends. */
function isOneLine(schema: Fields): boolean {
  const most = ofName(schema, 'maxLength');
  if (typeof most === 'number') return most <= ONE_LINE;
  return ofName(schema, 'format') !== undefined || ofName(schema, 'pattern') !== undefined;
}

function choicesOf(schema: Fields): InputField['choices'] {
  const only = ofName(schema, 'const');
  const all = only === undefined ? ofName(schema, 'enum') : [only];
  if (!Array.isArray(all) || all.length === 0 || all.length > MOST_CHOICES || !all.every(isChoice)) return undefined;
  return [...new Set(all)];
}

function isChoice(value: unknown): value is string | number | boolean | null {
  if (typeof value === 'string') return value.length <= LONGEST_CHOICE;
  return value === null || typeof value === 'number' || typeof value === 'boolean';
}

/** Follows references to definitions of the same schema. */
function resolved(root: Fields, schema: unknown, left = MOST_REFERENCES): unknown {
  if (!isFields(schema)) return schema;
  const target = ofName(schema, '$ref');
  if (typeof target !== 'string') return schema;
  const [, place = '', name = ''] = /^#\/(\$defs|definitions)\/([\w.-]{1,200})$/u.exec(target) ?? [];
  const definitions = ofName(root, place);
  const found = isFields(definitions) ? ofName(definitions, name) : undefined;
  if (left === 0 || !isFields(found)) return schema;
  const { $ref: _, ...rest } = schema;
  const next = resolved(root, found, left - 1);
  return isFields(next) ? { ...next, ...rest } : schema;
}
