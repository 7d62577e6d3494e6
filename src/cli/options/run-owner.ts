/**
 * The process that works on a run. A lease of a dead process on this machine is released; a lease of a live one is respected.
 *
 * @module
 */
import { holderIsAlive, readHolder } from '../../store/holder.ts';
import { withLiveness as asRunStands, releaseGoneLease, workOn, type Work } from '../../store/lease-holder.ts';
import type { Lease, ListedRun } from '../../store/port.ts';
import type { OpenStore } from './store-option.ts';
import { argument } from '../terminal/text.ts';

/**
 * Releases the lease of a process of this machine that was killed; otherwise the caller would have to wait until it expires.
 *
 * @throws PhasegateError `RUN_LEASED` if the process lives although its lease has expired: both processes would do the same work.
 */
export function releaseDeadLease({ store }: Pick<OpenStore, 'store'>, run: ListedRun): Promise<void> {
  return releaseGoneLease(store, run, { isAlive: holderIsAlive, hint: (lease) => howToEnd(lease, run.seq) });
}

/** Returns the run with its lease checked against the processes of this machine. */
export function withLiveness(run: ListedRun): ListedRun {
  return asRunStands(run, holderIsAlive);
}

/** Tells which process works on a run, after a check of the processes of this machine. */
export function workHere(run: Pick<ListedRun, 'lease' | 'lapsed'>): Work {
  return workOn(run, holderIsAlive);
}

// --- internal ---

/** Advises what to do if a live process does not renew its lease. */
function howToEnd({ runId, holder }: Lease, seq: number): string {
  const { pid, start } = readHolder(holder) ?? {};
  const kill = process.platform === 'win32' ? `taskkill /F /PID ${pid}` : `kill -9 ${pid}`;
  const other = `, or, if that process id now belongs to another program, continue in a new run: phasegate fork ${argument(runId)} --at ${seq}`;
  return `The process was stopped, or a handler blocks its event loop. Wait until it continues, or end it with: ${kill}${start === undefined ? other : ''}`;
}
