/**
 * JSON texts of many objects that are much alike, such as the gates of a plan.
 *
 * @module
 */
import { hasSortedKeys } from './sorted-keys.ts';

/** Returns the JSON text of a value; `undefined` if it is not plain JSON with sorted keys, or not of the kind that it writes. */
export type Writer = (value: unknown) => string | undefined;

/** Writes a text. */
export function writeText(value: unknown): string | undefined {
  return typeof value === 'string' ? JSON.stringify(value) : undefined;
}

/** Writes a list of texts. */
export function writeTexts(value: unknown): string | undefined {
  if (!Array.isArray(value) || 'toJSON' in value) return undefined;
  for (let at = 0; at < value.length; at++) if (typeof value[at] !== 'string') return undefined;
  return JSON.stringify(value);
}

/** Makes a writer that writes a value again from memory if it was also the value before. */
export function writeOnce(write: Writer): Writer {
  let last: unknown;
  let text: string | undefined;
  return (value) => {
    if (value !== last || text === undefined) {
      text = write(value);
      last = value;
    }
    return text;
  };
}

/** Makes a writer of lists, given one of their items. */
export function writeList(write: Writer): Writer {
  return (value) => {
    if (!Array.isArray(value) || 'toJSON' in value) return undefined;
    let items = '';
    for (const item of value) {
      const text = write(item);
      if (text === undefined) return undefined;
      items += items === '' ? text : `,${text}`;
    }
    return `[${items}]`;
  };
}

/**
 * Makes a writer of objects that differ in few properties. If an object has the properties of the one before, and the others are
 * identical, then their texts are taken from that one.
 *
 * @param own Writers of the properties in which the objects differ, by name.
 */
export function writeSimilar(own: ReadonlyMap<string, Writer>): Writer {
  let last = templateOf({}, own);
  return (value) => {
    const text = fill(last, value);
    if (text !== undefined || !isPlain(value) || !hasSortedKeys(value)) return text;
    last = templateOf(value, own);
    return JSON.stringify(value);
  };
}

// --- internal ---

type Fields = Readonly<Record<string, unknown>>;

/** An object with places for some of its properties. Each list has an item for each property. */
interface Template {
  readonly names: readonly string[];
  readonly values: readonly unknown[];
  /** Writers of the places. */
  readonly writers: readonly (Writer | undefined)[];
  /** The text between the place before, or the beginning, and this place. */
  readonly before: readonly string[];
  /** The text after the last place. */
  readonly end: string;
}

/** @param value Plain JSON with sorted keys. */
function templateOf(value: Fields, own: ReadonlyMap<string, Writer>): Template {
  const names = Object.keys(value);
  const writers = names.map((name) => own.get(name));
  let text = '{';
  const before = names.map((name, at) => {
    text += `${at === 0 ? '' : ','}${JSON.stringify(name)}:`;
    if (!writers[at]) {
      text += JSON.stringify(value[name]);
      return '';
    }
    const part = text;
    text = '';
    return part;
  });
  return { names, values: names.map((name) => value[name]), writers, before, end: `${text}}` };
}

/** Returns the text of an object that fits a template; otherwise `undefined`. */
function fill({ names, values, writers, before, end }: Template, value: unknown): string | undefined {
  if (!isPlain(value) || value['toJSON'] !== undefined) return undefined;
  let at = 0;
  let text = '';
  for (const name in value) {
    if (name !== names[at]) return undefined;
    const item = value[name];
    const write = writers[at];
    if (write) {
      const part = write(item);
      if (part === undefined) return undefined;
      text += before[at] + part;
    } else if (item !== values[at]) return undefined;
    at += 1;
  }
  return at === names.length ? text + end : undefined;
}

function isPlain(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
