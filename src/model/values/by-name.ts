/**
 * Plain objects whose keys are names chosen by users.
 *
 * @module
 */

/**
 * Makes an ordinary object, except that V8 derives its hidden classes from a separate root.
 *
 * The root of `{}` has room for about 1 500 different first keys. A run with more phases than that would use it up with their names.
 * Then every object in the process that starts as `{}` and gets a new first key has its own hidden class. Such objects, also those of
 * XState, are slow to make and to read.
 */
export function byName<T>(entries: Iterable<readonly [string, T]> = []): Record<string, T> {
  const made = new Names<T>();
  for (const [name, value] of entries) {
    if (name === '__proto__')
      Object.defineProperty(made, name, { value, enumerable: true, writable: true, configurable: true });
    else made[name] = value;
  }
  return made;
}

/**
 * Makes an ordinary object for names that hardly another object has, such as those of the predecessors of a phase.
 *
 * V8 keeps it as a table, so it has no hidden class to make. With 10 000 phases that takes a third of the time of `byName`.
 */
export function byRareName<T>(): Record<string, T> {
  const made = { __proto__: null } as unknown as Record<string, T>;
  Object.setPrototypeOf(made, Object.prototype);
  return made;
}

/** Reads the value of a name. A record may be forged, and have the name of a property that every object has. */
export function ofName<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

// --- internal ---

const Names = namesConstructor();

/** Returns a constructor whose instances have the prototype of `{}`, so that they cannot be told apart from `{}`. */
function namesConstructor(): new <T>() => Record<string, T> {
  function Made(): void {}
  Made.prototype = Object.prototype;
  return Made as unknown as new <T>() => Record<string, T>;
}
