/**
 * Moving of runs to another store.
 *
 * @module
 */
import { hasCode, PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { RunRecord } from '../../model/events/event.ts';
import { sealOf } from '../../model/events/seal.ts';
import { thisHolder } from '../../store/holder.ts';
import type { Lease, ListedRun, RunMessage, RunStore } from '../../store/port.ts';
import { readRun } from '../../store/read-run.ts';
import { batchOf } from './copy-run.ts';
import { patientStore } from './patient-store.ts';
import { giveBack, suspendLease } from './release-lease.ts';

/** A run that is moved. */
interface Moved {
  readonly runId: string;
  readonly records: readonly RunRecord[];
}

/**
 * Moves runs that belong together: a run, and those that its tasks have started. Nobody can continue one of them meanwhile, in either store.
 * If the process is killed, the same call completes the move.
 *
 * Records, items, messages that wait, and memories of the runs are moved. They are compared before they are removed here.
 *
 * @param runs Each comes before the run whose task has started it, so that none stays without that one.
 * @param waitsIn Returns until when runs only wait, in milliseconds since 1970, by their ids.
 * @throws PhasegateError `RUN_LEASED` if a process works on one of them; `RUN_EXISTS` if the other store has other records of one;
 *   `STORE_UNREADABLE` if one of them is damaged.
 */
export async function moveRuns(
  givenFrom: RunStore,
  givenTo: RunStore,
  runs: readonly ListedRun[],
  waitsIn: (runs: readonly Moved[]) => ReadonlyMap<string, number>,
): Promise<void> {
  const [from, to] = [patientStore(givenFrom), patientStore(givenTo)];
  const held: (readonly [store: RunStore, lease: Lease])[] = [];
  const hold = async (store: RunStore, runId: string) => {
    const lease = await store.acquire(runId, thisHolder(), MOVE_MS);
    held.push([store, lease]);
    return lease;
  };
  try {
    const here = new Map<string, Lease>();
    for (const { runId } of runs) here.set(runId, await hold(from, runId));
    const copied: (Moved & { readonly lease: Lease })[] = [];
    let isTold = false;
    for (const run of runs) {
      const lease = await hold(to, run.runId);
      copied.push({ runId: run.runId, records: await copy(from, to, run, lease), lease });
      // A message to one of them continues those above it, too.
      isTold ||= (await to.messages(run.runId)).length > 0;
    }
    const waits = isTold ? new Map<string, number>() : waitsIn(copied);
    for (const { runId } of runs) {
      const lease = here.get(runId);
      // Between the end of the lease and the removal, no worker finds the run ready.
      if (lease) await from.suspend(lease, Infinity, Number.MAX_SAFE_INTEGER);
      await from.remove(runId);
    }
    for (const { runId, lease } of copied) {
      const until = waits.get(runId);
      if (until !== undefined) await suspendLease(to, lease, { until, heard: 0 });
    }
  } finally {
    for (const [store, lease] of held.toReversed()) await giveBack(store, lease);
  }
}

// --- internal ---

/** Milliseconds for which runs are held. A store of this machine notices sooner that the process was killed. */
const MOVE_MS = 120_000;

/** @returns The records. */
async function copy(from: RunStore, to: RunStore, run: ListedRun, lease: Lease): Promise<readonly RunRecord[]> {
  const { runId, forkOf, source, startedAt, status } = run;
  const records = await readRun(from, runId);
  if (!(await to.run(runId))) {
    const batch = batchOf(runId, records, { forkOf, source, startedAt }, { closed: true });
    const memories = (await from.memories?.({ runId })) ?? [];
    await to.append({ ...batch, memories }, lease);
  }
  // A message to a run that has ended was applied, or never will be.
  if (status === 'running') for (const message of await from.messages(runId)) await post(to, message);
  const there = await readRun(to, runId, 1, records.length);
  if (sealOf(there) === sealOf(records)) return records;
  throw new PhasegateError(
    'RUN_EXISTS',
    `Cannot move run ${runId} as the other store has a run with that id, and other records`,
    {
      hint: 'Remove the one that is not wanted, or export this one and import it with another id.',
    },
  );
}

/** Posts a message unless it is there, or its item is closed. */
async function post(to: RunStore, { runId, kind, item, body, by, time }: RunMessage): Promise<void> {
  try {
    const known = kind === 'cancel' ? await to.messages(runId) : [];
    if (known.some((one) => one.kind === 'cancel')) return;
    await to.post({ runId, kind, item, body, by, time });
  } catch (error) {
    if (!hasCode(error, 'ANSWERED')) throw error;
  }
}
