/**
 * Presence of workers: a lease for each version of a pipeline that some worker has. Its death ends it, as that of any other lease.
 *
 * @module
 */
import { hasCode } from '../../model/errors/phasegate-error.ts';
import type { Lease, ListedRun, RunStore } from '../../store/port.ts';

/** A version of a pipeline. */
export type Version = Pick<ListedRun, 'pipeline' | 'fingerprint'>;

/** Announces that a worker takes runs of some versions, until it is stopped. One worker of each version does. */
export function announceWorker(
  store: RunStore,
  versions: readonly Version[],
  holder: string,
): { stop(): Promise<void> } {
  const held = new Map<string, Lease>();
  const timer = setInterval(() => void (telling = tell()), RENEW_MS);
  timer.unref();
  let isStopped = false;
  let telling = tell();

  async function tell(): Promise<void> {
    for (const name of versions.map(nameOf)) {
      if (isStopped) return;
      const lease = held.get(name);
      try {
        held.set(name, await (lease ? store.renew(lease, LEASE_MS) : store.acquire(name, holder, LEASE_MS)));
      } catch {
        // Another worker has the lease, or the store fails. The next round tries again.
        held.delete(name);
      }
    }
  }

  return {
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await telling;
      for (const lease of held.values()) await Promise.resolve(store.release(lease)).catch(() => undefined);
    },
  };
}

/** True if a worker has announced that it takes runs of a version. False also if the store does not say. */
export async function hasWorker(store: RunStore, version: Version): Promise<boolean> {
  try {
    await store.release(await store.acquire(nameOf(version), 'a look for workers', 1));
    return false;
  } catch (error) {
    return hasCode(error, 'RUN_LEASED');
  }
}

// --- internal ---

/** Duration of the lease, and the interval of its renewal, in milliseconds. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;

/** The id of the lease. No run has it, as ids of runs begin with a letter or a digit. */
function nameOf({ pipeline, fingerprint }: Version): string {
  return `:worker/${encodeURIComponent(pipeline)}/${fingerprint}`;
}
