/**
 * Drafts of inputs: the texts of fields, or JSON, and the inputs made from them.
 *
 * @module
 */
import type { InputField, UiPipeline } from '../../../../src/server/api.ts';
import { readTyped, type Typed } from '../inbox/answer-draft.ts';

/** A draft. The texts of the other way to write it are kept. */
export interface InputDraft {
  /** True to write the input as a whole: as JSON or text. */
  readonly isRaw: boolean;
  /** The text of each field. That of a choice is its value as JSON; '' for nothing. */
  readonly texts: readonly string[];
  readonly typed: Typed;
}

/** An input, or what is wrong with it. */
export type ReadInput =
  | { readonly input?: unknown }
  /** Problems of fields, by index. */
  | { readonly problems: ReadonlyMap<number, string> }
  /** The problem of the input as a whole. */
  | { readonly problem: string };

/** The empty draft. */
export function emptyDraft({ fields, schema }: Pick<UiPipeline, 'fields' | 'schema'>): InputDraft {
  return {
    isRaw: fields === undefined,
    texts: (fields ?? []).map(() => ''),
    typed: { as: wantsText(schema) ? 'text' : 'json', text: '' },
  };
}

/** Reads the input of a draft. An empty field is no property, and an empty text is no input. */
export function readDraft({ isRaw, texts, typed }: InputDraft, fields: readonly InputField[]): ReadInput {
  if (!isRaw) return readFields(texts, fields);
  if (typed.text.trim() === '') return {};
  const read = readTyped(typed);
  return 'value' in read ? { input: read.value } : read;
}

/**
 * Changes between fields and JSON, and takes the input along.
 *
 * @returns `undefined` if something would be lost: the fields cannot hold the JSON, or a field has a text that is no value.
 */
export function switched(draft: InputDraft, fields: readonly InputField[], isRaw: boolean): InputDraft | undefined {
  if (isRaw) {
    if (fields.some((field, at) => 'problem' in readField(field, draft.texts[at] ?? ''))) return undefined;
    const input = inputOf(fields, draft.texts);
    const isEmpty = Object.keys(input).length === 0;
    return { ...draft, isRaw, typed: { as: 'json', text: isEmpty ? '' : JSON.stringify(input, null, 2) } };
  }
  const read = draft.typed.text.trim() === '' ? { value: {} } : readTyped(draft.typed);
  const texts = 'value' in read ? textsOf(fields, read.value) : undefined;
  return texts && { ...draft, isRaw, texts };
}

/** Reads the text of a field. @returns Nothing if it is empty. */
export function readField(
  { kind, choices }: InputField,
  text: string,
): { readonly value?: unknown } | { readonly problem: string } {
  if (text === '') return {};
  switch (kind) {
    case 'text':
    case 'lines':
      return { value: text };
    case 'number':
    case 'integer':
      return numberIn(text.trim(), kind);
    case 'choice':
      return { value: choices?.find((one) => JSON.stringify(one) === text) };
    case 'json':
      return text.trim() === '' ? {} : readTyped({ as: 'json', text });
  }
}

// --- internal ---

function readFields(texts: readonly string[], fields: readonly InputField[]): ReadInput {
  const problems = new Map<number, string>();
  for (const [at, field] of fields.entries()) {
    const read = readField(field, texts[at] ?? '');
    if ('problem' in read) problems.set(at, read.problem);
    else if (read.value === undefined && field.isRequired) problems.set(at, MISSING[field.kind]);
  }
  return problems.size > 0 ? { problems } : { input: inputOf(fields, texts) };
}

/** Makes an object whose names may be any text: also `__proto__` becomes a property. */
function inputOf(fields: readonly InputField[], texts: readonly string[]): object {
  return Object.fromEntries(
    fields.flatMap((field, at) => {
      const read = readField(field, texts[at] ?? '');
      return 'value' in read && read.value !== undefined ? [[field.name, read.value]] : [];
    }),
  );
}

const MISSING: Readonly<Record<InputField['kind'], string>> = {
  text: 'Enter a text. An empty one can be sent as JSON.',
  lines: 'Enter a text. An empty one can be sent as JSON.',
  number: 'Enter a number.',
  integer: 'Enter a whole number.',
  choice: 'Choose a value.',
  json: 'Enter JSON. An empty text is "".',
};

/** Takes linear time: no part of it can match in two ways. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/iu;

function numberIn(text: string, kind: 'number' | 'integer'): ReturnType<typeof readField> {
  const value = text.length <= LONGEST_NUMBER && NUMBER.test(text) ? Number(text) : Number.NaN;
  if (kind === 'number') return Number.isFinite(value) ? { value } : { problem: 'This is not a number, such as 2.5.' };
  return Number.isSafeInteger(value) ? { value } : { problem: 'This is not a whole number, such as 3.' };
}

const LONGEST_NUMBER = 400;

/** Returns the texts of fields for an input; `undefined` if they cannot hold all of it. */
function textsOf(fields: readonly InputField[], value: unknown): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const given = new Map<string, unknown>(Object.entries(value));
  const texts = fields.map((field) => (given.has(field.name) ? textOf(field, given.get(field.name)) : ''));
  const isHeld = [...given.keys()].every((name) => fields.some((field) => field.name === name));
  return isHeld && isTexts(texts) ? texts : undefined;
}

/** The text of a field from which its value can be read again; `undefined` if there is none. */
function textOf(field: InputField, value: unknown): string | undefined {
  const isJson = field.kind === 'choice' || field.kind === 'json';
  const text = isJson ? JSON.stringify(value, null, field.kind === 'json' ? 2 : 0) : String(value);
  if (field.kind === 'text' && /[\r\n]/u.test(text)) return undefined;
  const read = readField(field, text);
  const again = 'value' in read ? JSON.stringify(read.value) : undefined;
  return again === JSON.stringify(value) ? text : undefined;
}

function isTexts(texts: readonly (string | undefined)[]): texts is readonly string[] {
  return !texts.includes(undefined);
}

/** True if the schema accepts text, which then needs no quotes. */
function wantsText(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'string';
}
