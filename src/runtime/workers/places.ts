/**
 * Places of pools: so many tries work at once, over all workers of a store. A place is a lease, so that the death of a worker frees it.
 *
 * @module
 */
import { createSlots } from '../../actors/work/slots.ts';
import { ABORT_GRACE_MS } from '../../actors/work/work-scope.ts';
import { hasCode, PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Lease, RunStore } from '../../store/port.ts';
import { ofName } from '../../model/values/by-name.ts';

/** Sizes of pools by name: the most tries that work at once, from 1. */
export type PoolSizes = Readonly<Record<string, number | 'unlimited'>>;

/** Places of pools. */
export interface Places {
  /**
   * Works while it has a place of a pool, and waits for one before. First come, first served, within one process.
   *
   * @throws The reason of the signal if it is aborted before; an error of the store.
   */
  hold(pool: string, signal: AbortSignal, work: () => unknown): Promise<unknown>;
  /** Stops the renewal of places. */
  close(): void;
}

/** Creates the places of a worker. @param holder Its name, for people. */
export function createPlaces(store: RunStore, sizes: PoolSizes, holder: string): Places {
  const held = new Map<string, Lease>();
  const pools = new Map<string, Pool>();
  const timer = setInterval(() => void renewAll(), RENEW_MS);
  timer.unref();

  async function renewAll(): Promise<void> {
    for (const lease of held.values()) {
      try {
        await store.renew(lease, LEASE_MS);
      } catch (error) {
        // The work goes on: a place that is lost is one that another worker has, and only a limit is exceeded for some time.
        if (hasCode(error, 'LEASE_LOST')) held.delete(lease.token);
      }
    }
  }

  /** Takes a free place; `undefined` if a look at some of them finds none. */
  async function tryOne(pool: string, size: number): Promise<Lease | undefined> {
    const first = Math.floor(Math.random() * size);
    for (let at = 0; at < Math.min(size, MOST_TRIED); at += 1) {
      try {
        const lease = await store.acquire(placeName(pool, (first + at) % size), holder, LEASE_MS);
        held.set(lease.token, lease);
        return lease;
      } catch (error) {
        if (!hasCode(error, 'RUN_LEASED')) throw error;
      }
    }
    return undefined;
  }

  function poolOf(name: string): Pool {
    const pool = pools.get(name) ?? new Pool();
    pools.set(name, pool);
    return pool;
  }

  function take(name: string, size: number, signal: AbortSignal): Promise<Lease> {
    const pool = poolOf(name);
    return pool.slots.use(signal, async () => {
      for (;;) {
        signal.throwIfAborted();
        const lease = await tryOne(name, size);
        if (lease) return lease;
        await pool.freed(signal);
      }
    });
  }

  async function giveBack(pool: string, lease: Lease): Promise<void> {
    held.delete(lease.token);
    // A place that is not given back is free when its lease expires.
    await Promise.resolve(store.release(lease)).catch(() => undefined);
    poolOf(pool).free();
  }

  return {
    async hold(pool, signal, work) {
      const size = ofName(sizes, pool);
      if (size === undefined) throw sizeMissing('work', pool);
      if (size === 'unlimited') return work();
      const lease = await take(pool, size, signal);
      if (signal.aborted) {
        await giveBack(pool, lease);
        signal.throwIfAborted();
      }
      // A handler that does not end after its signal must not keep the place.
      let timeout: ReturnType<typeof setTimeout> | undefined;
      const release = () => {
        clearTimeout(timeout);
        if (held.has(lease.token)) void giveBack(pool, lease);
      };
      const onAbort = () => void (timeout = setTimeout(release, ABORT_GRACE_MS));
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        return await work();
      } finally {
        signal.removeEventListener('abort', onAbort);
        release();
      }
    },
    close: () => clearInterval(timer),
  };
}

/** The error for a pool without a size. @param action Such as `work`. */
export function sizeMissing(action: string, pool: string): PhasegateError {
  return new PhasegateError('INPUT_INVALID', `Cannot ${action} as pool "${pool}" has no size`, {
    hint: `Give the most tries that work at once: \`pools: { '${pool}': 8 }\`, or \`phasegate work --pool '${pool}=8'\`.`,
  });
}

// --- internal ---

/** Duration of the lease of a place, and the interval of its renewal, in milliseconds. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;

/** Milliseconds between looks for a free place. */
const POLL_MS = 250;

/** Most places that one look tries, as each is a statement. */
const MOST_TRIED = 8;

/** The id of the lease. No run has it, as ids of runs begin with a letter or a digit. */
function placeName(pool: string, at: number): string {
  return `:place/${encodeURIComponent(pool)}/${at}`;
}

/** Callers of this process that wait for a place of one pool. One of them looks at a time. */
class Pool {
  readonly slots = createSlots(1);
  #wake: (() => void) | undefined = undefined;

  /** Resolves after some time, or earlier if a place of this process is free. */
  freed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', go);
        resolve();
      };
      const timer = setTimeout(go, POLL_MS);
      signal.addEventListener('abort', go, { once: true });
      this.#wake = go;
    });
  }

  free(): void {
    this.#wake?.();
  }
}
