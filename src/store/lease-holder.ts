/**
 * Holders of stored runs, alive or gone.
 *
 * A lease expires, as a store cannot know of a machine that is off. An expired lease alone proves nothing: its holder may only
 * be suspended, and would later do the same work as the next holder.
 *
 * @module
 */
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { Lease, ListedRun, RunStore } from './port.ts';

/** True if a holder is alive; `undefined` if unknown, such as on another machine. */
export type IsAlive = (holder: string) => boolean | undefined;

/** State of the work on a run. */
export type Work =
  /** A process works on it, or is believed to. */
  | { readonly state: 'worked'; readonly lease: Lease }
  /** The process is alive, but has let its lease expire. */
  | { readonly state: 'hung'; readonly lease: Lease }
  /** The process is gone and has not released its lease. */
  | { readonly state: 'gone'; readonly lease: Lease }
  /** No process works on it, as far as known. */
  | { readonly state: 'free' };

/** Determines the state of the work on a run. */
export function workOn({ lease, lapsed }: Pick<ListedRun, 'lease' | 'lapsed'>, isAlive: IsAlive): Work {
  const held = lease ?? lapsed;
  if (!held) return { state: 'free' };
  const lives = isAlive(held.holder);
  if (lives === false) return { state: 'gone', lease: held };
  if (lease) return { state: 'worked', lease };
  return lives ? { state: 'hung', lease: held } : { state: 'free' };
}

/**
 * The run with its lease corrected. A holder that is gone loses it, and a holder that is alive still has it after its expiry.
 */
export function withLiveness(run: ListedRun, isAlive: IsAlive): ListedRun {
  const work = workOn(run, isAlive);
  if (work.state === 'free') return run;
  const { lease: _lease, lapsed: _lapsed, ...rest } = run;
  if (work.state === 'gone') return { ...rest, lease: undefined, lapsed: work.lease };
  return { ...rest, lease: work.lease };
}

/** Releases the lease of a holder that is gone, so that nobody has to wait for its expiry. */
export async function releaseGone(store: RunStore, run: ListedRun, isAlive: IsAlive): Promise<void> {
  const work = workOn(run, isAlive);
  if (work.state === 'gone') await store.release(work.lease);
}

/**
 * Releases the lease of a holder that is gone, so that nobody has to wait for its expiry.
 *
 * @param hint Advice if the holder does not respond.
 * @throws PhasegateError `RUN_LEASED` if the holder of an expired lease is alive, as the same work would be done twice.
 */
export async function releaseGoneLease(
  store: RunStore,
  run: ListedRun,
  { isAlive, hint = waitForIt }: { readonly isAlive: IsAlive; readonly hint?: (lease: Lease) => string },
): Promise<void> {
  const work = workOn(run, isAlive);
  await releaseGone(store, run, isAlive);
  if (work.state !== 'hung') return;
  const { runId, holder, expiresAt } = work.lease;
  const until = new Date(expiresAt).toISOString();
  const problem = `Cannot take run ${runId} from ${holder} as that process is alive but does not respond: its lease expired at ${until}`;
  throw new PhasegateError('RUN_LEASED', problem, { hint: hint(work.lease) });
}

// --- internal ---

function waitForIt(): string {
  return 'It is suspended, or a handler blocks its event loop. Wait until it continues, or end it.';
}
