import { byName } from './by-name.ts';

/** Anything that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** The reason why a value is not JSON, and its path. */
export interface JsonProblem {
  /** Path to the offending part, such as `$.rows[3].when`. */
  readonly path: string;
  /** The kind of value found there, such as `a Date`. */
  readonly found: string;
}

/** A deep-frozen JSON copy of a value, or the first reason why it cannot be copied. */
export type JsonCopy =
  { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: JsonProblem };

/** Most nested levels of arrays and objects in a value. Later readers, comparisons and hashes recurse as well. */
export const MAX_NESTING = 1000;

/** Most values in the repeated parts of a value. As JSON it has each part once for each reference, so few objects may be endless text. */
const MAX_REPEATED = 1_000_000;

/**
 * Copies a value as JSON, so that its maker cannot change it afterwards.
 *
 * `undefined` becomes `null` at the top and in arrays, and is left out of objects, as with `JSON.stringify`. Values that
 * `JSON.stringify` would change silently (dates, maps, class instances, `NaN`, functions) are refused instead. So are values nested
 * deeper than `MAX_NESTING`, or with too many repeated parts.
 */
export function toJson(value: unknown): JsonCopy {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return { ok: true, value };
  try {
    return { ok: true, value: copy(value, '$', { above: [], seen: new Set(), repeated: 0 }) };
  } catch (thrown) {
    if (thrown instanceof NotJson) return { ok: false, problem: { path: thrown.path, found: thrown.found } };
    return { ok: false, problem: { path: '$', found: 'a getter or proxy that throws' } };
  }
}

/**
 * True if two values are the same JSON: the order of keys does not matter, and `undefined` equals absent.
 *
 * @param isAlike Returns true if two different texts count as equal. @default none do
 */
export function isSameJson(one: unknown, other: unknown, isAlike: IsAlike = isNeverAlike): boolean {
  if (one === other) return true;
  if (typeof one === 'string' && typeof other === 'string') return isAlike(one, other);
  if (Array.isArray(one) && Array.isArray(other)) return isSameList(one, other, isAlike);
  return isFields(one) && isFields(other) && isSameFields(one, other, isAlike);
}

/** An object of JSON, which may have any properties. */
export type Fields = Readonly<Record<string, unknown>>;

/** True for an object that is no list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// --- internal ---

type IsAlike = (one: string, other: string) => boolean;

// These compare plans and journals with many phases, so they allocate nothing.

function isSameList(one: readonly unknown[], other: readonly unknown[], isAlike: IsAlike): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (!isSameJson(one[at], other[at], isAlike)) return false;
  return true;
}

function isSameFields(one: Fields, other: Fields, isAlike: IsAlike): boolean {
  let left = 0;
  for (const key in other) if (Object.hasOwn(other, key) && other[key] !== undefined) left += 1;
  for (const key in one) {
    if (!Object.hasOwn(one, key) || one[key] === undefined) continue;
    if (!Object.hasOwn(other, key) || !isSameJson(one[key], other[key], isAlike)) return false;
    left -= 1;
  }
  return left === 0;
}

function isNeverAlike(): boolean {
  return false;
}

class NotJson extends Error {
  readonly path: string;
  readonly found: string;

  constructor(path: string, found: string) {
    super(found);
    this.path = path;
    this.found = found;
  }
}

/** State of a copy: the objects that contain the current value, and those that are copied already. */
interface Walk {
  readonly above: object[];
  readonly seen: Set<object>;
  repeated: number;
}

function copy(value: unknown, path: string, walk: Walk): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value)) return Object.is(value, -0) ? 0 : value;
      throw new NotJson(path, `the number ${value}`);
    case 'undefined':
      return null;
    case 'object':
      return value === null ? null : copyObject(value, path, walk);
    case 'bigint':
    case 'symbol':
    case 'function':
      throw new NotJson(path, `a ${typeof value}`);
  }
}

function copyObject(value: object, path: string, walk: Walk): Json {
  const { above, seen } = walk;
  if (above.includes(value)) throw new NotJson(path, 'a reference back to an object that contains it');
  if (above.length >= MAX_NESTING) throw new NotJson('$', `nested deeper than ${MAX_NESTING} levels`);
  if (seen.has(value)) walk.repeated += 1 + Object.keys(value).length;
  if (walk.repeated > MAX_REPEATED)
    throw new NotJson('$', `a value that repeats parts, over ${MAX_REPEATED} values in all`);
  seen.add(value);
  above.push(value);
  const done = Array.isArray(value) ? copyArray(value, path, walk) : copyRecord(value, path, walk);
  above.pop();
  return done;
}

function copyArray(value: readonly unknown[], path: string, walk: Walk): Json {
  return Object.freeze(Array.from(value, (item, index) => copy(item, `${path}[${index}]`, walk)));
}

function copyRecord(value: object, path: string, walk: Walk): Json {
  if (!isPlain(value)) throw new NotJson(path, `an instance of ${value.constructor?.name ?? 'a class'}`);
  const kept = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.freeze(byName(kept.map(([key, item]) => [key, copy(item, `${path}.${key}`, walk)])));
}

/** True for object literals, also of another realm, and for objects without a prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
