/**
 * Slots: at most so many calls work at the same time.
 *
 * @module
 */
import type { Count } from '../../model/plan/policy-schema.ts';

/** Runs work in a slot. */
export interface Slots {
  /** Waits for a slot, and works in it. First come, first served. @throws The reason of the signal if it is aborted before a slot is free. */
  use<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

/** Creates slots. @param most Most of them, whatever `count` says. */
export function createSlots(count: Count, most = Infinity): Slots {
  let free = Math.min(count === 'unlimited' ? Infinity : count, most);
  const waiting = new Set<() => void>();

  function take(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', leave);
        waiting.delete(go);
        free -= 1;
        resolve();
      };
      const leave = () => {
        waiting.delete(go);
        reject(reasonOf(signal));
      };
      if (signal.aborted) leave();
      else if (free > 0) go();
      else {
        waiting.add(go);
        signal.addEventListener('abort', leave, { once: true });
      }
    });
  }

  return {
    async use(signal, work) {
      await take(signal);
      try {
        return await work();
      } finally {
        free += 1;
        const [next] = waiting;
        next?.();
      }
    },
  };
}

// --- internal ---

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('The work was stopped while it waited for a free slot.');
}
