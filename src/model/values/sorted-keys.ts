/**
 * Order of keys in JSON values.
 *
 * @module
 */

/**
 * True if a value is plain JSON, and the keys of each object in it are in ascending order. Then `JSON.stringify` returns the text
 * that sorting would give. False for anything else, and for values of more than 20 levels.
 */
export function hasSortedKeys(value: unknown, levels = DEEPEST): boolean {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return true;
    case 'object':
      if (value === null) return true;
      if (levels === 0) return false;
      return Array.isArray(value) ? areSorted(value, levels - 1) : isSorted(value, levels - 1);
    case 'undefined':
    case 'function':
    case 'symbol':
    case 'bigint':
      return false;
  }
}

// --- internal ---

/** Deepest level at which keys are compared. Objects that contain themselves have no end. */
const DEEPEST = 20;

function areSorted(list: readonly unknown[], levels: number): boolean {
  for (const item of list) if (!hasSortedKeys(item, levels)) return false;
  // A list may have a method that JSON asks for.
  return !('toJSON' in list);
}

function isSorted(value: object, levels: number): boolean {
  if (!isPlain(value)) return false;
  let last = '';
  for (const key in value) {
    if (key < last || !hasSortedKeys(value[key], levels)) return false;
    last = key;
  }
  return value['toJSON'] === undefined;
}

function isPlain(value: object): value is Readonly<Record<string, unknown>> {
  return Object.getPrototypeOf(value) === Object.prototype;
}
