/**
 * Waits with a limit.
 *
 * @module
 */

/**
 * Waits for a promise.
 *
 * @param ends Gets a function that ends the wait at once, for as long as it lasts.
 * @throws an error with the code `ETIMEDOUT` after some milliseconds, or when the wait is ended
 */
export async function inTime<T>(promise: Promise<T>, ms: number, ends = new Set<() => void>()): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let end = (): void => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    end = () => reject(Object.assign(new Error(`no answer within ${ms / 1000} s`), { code: 'ETIMEDOUT' }));
    timer = setTimeout(end, ms);
    ends.add(end);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
    ends.delete(end);
  }
}

/** Waits before another try: longer each time, and not as long as other processes do. */
export function pause(tries: number): Promise<void> {
  const most = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** tries);
  return new Promise((resolve) => setTimeout(resolve, most * (0.5 + Math.random() / 2)));
}

/** Waits for some milliseconds, or until a signal is aborted. A process need not stay alive for that. */
export function rest(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    }
    const timer = setTimeout(end, ms);
    if (typeof timer === 'object') timer.unref();
    signal.addEventListener('abort', end);
  });
}

// --- internal ---

const SHORTEST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1000;
