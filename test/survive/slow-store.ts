/**
 * A slow store: it writes late, and completes reads in another order than that of their requests.
 *
 * @module
 */
import type { RunStore } from '../../src/store.ts';

/** Wraps a store. @param seed Determines the duration of each call, in turns of the event loop. */
export function slowStore(good: RunStore, seed: number): { readonly store: RunStore; readonly idle: () => boolean } {
  let calls = 0;
  let busy = 0;

  /** Delays an action, and then delays its result. */
  async function late<T>(act: () => T | Promise<T>): Promise<T> {
    calls += 1;
    const length = (Math.imul(calls + seed, 0x9e_37_79_b1) >>> 16) % 12;
    busy += 1;
    try {
      await turns(length % 4);
      const done = await act();
      await turns(Math.floor(length / 2));
      return done;
    } finally {
      busy -= 1;
    }
  }

  return {
    idle: () => busy === 0,
    store: {
      append: (...args) => late(() => good.append(...args)),
      read: (...args) => late(() => good.read(...args)),
      run: (...args) => late(() => good.run(...args)),
      runs: (...args) => late(() => good.runs(...args)),
      remove: (...args) => late(() => good.remove(...args)),
      acquire: (...args) => late(() => good.acquire(...args)),
      renew: (...args) => late(() => good.renew(...args)),
      release: (...args) => late(() => good.release(...args)),
      suspend: (...args) => late(() => good.suspend(...args)),
      ready: (...args) => late(() => good.ready(...args)),
      inbox: (...args) => late(() => good.inbox(...args)),
      item: (...args) => late(() => good.item(...args)),
      post: (...args) => late(() => good.post(...args)),
      messages: (...args) => late(() => good.messages(...args)),
      artifact: (...args) => late(() => good.artifact(...args)),
      close: (...args) => late(() => good.close(...args)),
    },
  };
}

// --- internal ---

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
