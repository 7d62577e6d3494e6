/**
 * Plain objects whose keys are names that a user chose.
 *
 * @module
 */

/**
 * An ordinary object in every respect but one: V8 derives its hidden classes from a root of their own.
 *
 * The root of `{}` has room for some 1 500 different first keys. A run with more phases than that would use it up with
 * their names, and from then on objects of the whole process that begin as `{}` with a key that is new to it, XState's own
 * included, get a hidden class each, and are slow to make and to read.
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

// --- internal ---

const Names = namesConstructor();

/** A constructor whose instances have the prototype of `{}`, so that nothing can tell them from it. */
function namesConstructor(): new <T>() => Record<string, T> {
  function Made(): void {}
  Made.prototype = Object.prototype;
  return Made as unknown as new <T>() => Record<string, T>;
}
