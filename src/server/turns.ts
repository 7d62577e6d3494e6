/**
 * Turns for work of many clients: each begins one piece of work at a time, round and round, with the rest of the process in between.
 *
 * @module
 */

/** Resolves when it is the caller's turn. Then the caller does one piece of synchronous work. */
export type Turns = () => Promise<void>;

/** Creates turns. Sockets, timers and requests are served between any two of them. */
export function createTurns(): Turns {
  const waiting: (() => void)[] = [];
  function next(): void {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(next);
  }
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(next);
    });
}
