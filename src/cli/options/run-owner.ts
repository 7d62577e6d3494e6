/**
 * Who works on a run: processes of this machine that are gone need not be waited for, and those that live are not robbed.
 *
 * @module
 */
import { holderIsAlive, readHolder } from '../../store/holder.ts';
import { withLiveness as asRunStands, releaseGoneLease, workOn, type Work } from '../../store/lease-holder.ts';
import type { Lease, ListedRun } from '../../store/port.ts';
import type { OpenStore } from './store-option.ts';

/**
 * Takes the right to append from a process of this machine that was killed, as it would have to be waited for otherwise.
 *
 * @throws PhasegateError `RUN_LEASED` where the process lives and has let its right expire: it would do the same work again.
 */
export function releaseDeadLease({ store }: Pick<OpenStore, 'store'>, run: ListedRun): Promise<void> {
  return releaseGoneLease(store, run, { isAlive: holderIsAlive, hint: (lease) => howToEnd(lease, run.seq) });
}

/** The run as it stands, by what is known of the processes of this machine. */
export function withLiveness(run: ListedRun): ListedRun {
  return asRunStands(run, holderIsAlive);
}

/** Who works on a run, by what is known of the processes of this machine. */
export function workHere(run: Pick<ListedRun, 'lease' | 'lapsed'>): Work {
  return workOn(run, holderIsAlive);
}

// --- internal ---

/** What to do where a process that lives does not answer. */
function howToEnd({ runId, holder }: Lease, seq: number): string {
  const { pid, start } = readHolder(holder) ?? {};
  const kill = process.platform === 'win32' ? `taskkill /F /PID ${pid}` : `kill -9 ${pid}`;
  const other = `, or, if that is another program by now, go on in a new run: phasegate fork ${runId} --at ${seq}`;
  return `It was stopped, or a handler holds up its event loop. Wait until it goes on, or end it with: ${kill}${start === undefined ? other : ''}`;
}
