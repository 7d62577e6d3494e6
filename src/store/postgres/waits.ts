/**
 * Waits with a limit.
 *
 * @module
 */

/** Waits for a promise. @throws an error with the code `ETIMEDOUT` after some milliseconds, or when the signal is aborted */
export async function inTime<T>(promise: Promise<T>, ms: number, signal?: AbortSignal): Promise<T> {
  const over = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const end = () => reject(Object.assign(new Error(`no answer within ${ms / 1000} s`), { code: 'ETIMEDOUT' }));
    timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { signal: over.signal });
    if (signal?.aborted) end();
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

/** Waits before another try: longer each time, and not as long as other processes do. */
export function pause(tries: number): Promise<void> {
  const most = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** tries);
  return new Promise((resolve) => setTimeout(resolve, most * (0.5 + Math.random() / 2)));
}

// --- internal ---

const SHORTEST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1000;
