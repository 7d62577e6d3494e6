/**
 * Who works on a run that is kept.
 *
 * The right to append is for a while only, as nobody can be told of a machine that is off. So one that has lapsed says nothing
 * yet: whoever had it may be held up, and would do the same work at the same time as the next one.
 *
 * @module
 */
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { Lease, ListedRun, RunStore } from './port.ts';

/** Whether a holder lives; `undefined` where that cannot be told, as of one on another machine. */
export type IsAlive = (holder: string) => boolean | undefined;

/** Who works on a run. */
export type Work =
  /** Somebody does, or is believed to. */
  | { readonly state: 'worked'; readonly lease: Lease }
  /** Whoever does lives, and has let their right lapse. */
  | { readonly state: 'hung'; readonly lease: Lease }
  /** Whoever did is gone without having given it back. */
  | { readonly state: 'gone'; readonly lease: Lease }
  /** Nobody does, as far as known. */
  | { readonly state: 'free' };

/** Who works on a run. */
export function workOn({ lease, lapsed }: Pick<ListedRun, 'lease' | 'lapsed'>, isAlive: IsAlive): Work {
  const held = lease ?? lapsed;
  if (!held) return { state: 'free' };
  const lives = isAlive(held.holder);
  if (lives === false) return { state: 'gone', lease: held };
  if (lease) return { state: 'worked', lease };
  return lives ? { state: 'hung', lease: held } : { state: 'free' };
}

/** The run as it stands: who is gone has no right to it, and who lives has it still, whenever that was to end. */
export function withLiveness(run: ListedRun, isAlive: IsAlive): ListedRun {
  const work = workOn(run, isAlive);
  if (work.state === 'free') return run;
  const { lease: _lease, lapsed: _lapsed, ...rest } = run;
  if (work.state === 'gone') return { ...rest, lease: undefined, lapsed: work.lease };
  return { ...rest, lease: work.lease };
}

/** Takes the right to append from who is gone, as it would have to be waited for otherwise. */
export async function releaseGone(store: RunStore, run: ListedRun, isAlive: IsAlive): Promise<void> {
  const work = workOn(run, isAlive);
  if (work.state === 'gone') await store.release(work.lease);
}

/**
 * Takes the right to append from who is gone, as it would have to be waited for otherwise.
 *
 * @param hint What to do where whoever has it does not answer.
 * @throws PhasegateError `RUN_LEASED` where whoever has let it lapse lives: the same work would be done twice.
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
  const problem = `Cannot take run ${runId} from ${holder} as that is alive, but has not answered: its right to the run ended at ${until}`;
  throw new PhasegateError('RUN_LEASED', problem, { hint: hint(work.lease) });
}

// --- internal ---

function waitForIt(): string {
  return 'It was stopped, or a handler holds up its event loop. Wait until it goes on, or end it.';
}
