/**
 * Leases of runs: the duration of the first one, and the release. If the store fails to release them, they expire.
 *
 * @module
 */
import type { Lease, RunStore } from '../../store/port.ts';

/** Duration of the lease during replay, in milliseconds. It is renewed afterwards. */
export const REPLAY_LEASE_MS = 60_000;

/** The wait of a suspended run. */
export interface Wait {
  /** Milliseconds since 1970; `Infinity` if only a message can continue it. */
  readonly until: number;
  /** Place of the last message that it has received. Later ones continue it. */
  readonly heard: number;
}

/** Releases a lease, so that the run can be continued at once. */
export async function giveBack(store: Pick<RunStore, 'release'>, lease: Lease): Promise<void> {
  try {
    await store.release(lease);
  } catch {
    // The caller has a result or error of its own that matters more.
  }
}

/** Releases the lease of a run that only waits. If that fails, it is released as others are, and the run is resumed in vain. */
export async function suspendLease(
  store: Pick<RunStore, 'release' | 'suspend'>,
  lease: Lease,
  { until, heard }: Wait,
): Promise<void> {
  try {
    await store.suspend(lease, until, heard);
  } catch {
    await giveBack(store, lease);
  }
}
