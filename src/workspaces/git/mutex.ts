/**
 * One caller at a time in this process. Other processes are kept apart by git's own locks.
 *
 * @module
 */

/** Calls a function when all earlier calls with the same key have ended. */
export async function exclusively<T>(key: string, call: () => Promise<T>): Promise<T> {
  const before = waiting.get(key);
  const { promise, resolve } = withResolvers();
  waiting.set(key, promise);
  try {
    await before;
    return await call();
  } finally {
    resolve();
    if (waiting.get(key) === promise) waiting.delete(key);
  }
}

// --- internal ---

const waiting = new Map<string, Promise<void>>();

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let release: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { promise, resolve: release };
}
