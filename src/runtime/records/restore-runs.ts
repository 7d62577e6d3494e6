/**
 * Storing of a run of another store, with those that its tasks have started.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { RunRecord } from '../../model/events/event.ts';
import { sealOf } from '../../model/events/seal.ts';
import { renamedBelow } from '../../model/handlers/work-key.ts';
import { contentHash } from '../../model/values/content-hash.ts';
import type { RunOrigin } from '../../projections/run/run-info.ts';
import { thisHolder } from '../../store/holder.ts';
import type { Lease, RunStore } from '../../store/port.ts';
import { readRun } from '../../store/read-run.ts';
import { batchOf } from './copy-run.ts';
import { patientStore, type PatientStore } from './patient-store.ts';
import { giveBack, suspendLease } from './release-lease.ts';

/** A run to store, with the id that it has. */
export interface RunCopy {
  readonly runId: string;
  readonly records: readonly RunRecord[];
  readonly origin: RunOrigin;
  /** The time until which it only waits, in milliseconds since 1970. Absent if it may be continued at once. */
  readonly until?: number | undefined;
}

/** The id that a run was stored with. */
export interface Restored {
  readonly runId: string;
  /** The id that the store had already, for which all have got others. */
  readonly taken?: string | undefined;
}

/**
 * Stores a run, with those that its tasks have started. The run itself comes last, and nobody can continue the others before.
 *
 * All get other ids if the store has the id of the run, or another run with the id of one of the others. Those that it has already stay, so
 * the same call completes one that was cut off.
 *
 * @param runs The run is the first.
 * @param wanted Its id in the store.
 * @param isNamed True if it gets no other id.
 * @throws PhasegateError `RUN_EXISTS` if the id is taken, and it gets no other.
 */
export async function restoreRuns(
  given: RunStore,
  runs: readonly [RunCopy, ...RunCopy[]],
  wanted: string,
  isNamed: boolean,
): Promise<Restored> {
  const store = patientStore(given);
  let runId = wanted;
  let { missing, taken } = await placeFor(store, runs, runId);
  const first = taken;
  if (first !== undefined && isNamed) throw idTaken(first);
  // Each call tries the same ids, so it finds those of one that was cut off.
  for (let nth = 1; taken !== undefined; nth++) {
    runId = contentHash([sealOf(runs[0].records), nth]).slice(0, ID_LENGTH);
    ({ missing, taken } = await placeFor(store, runs, runId));
  }
  const leases: Lease[] = [];
  const waits = new Map<Lease, number>();
  let isOvertaken = false;
  try {
    // An id is longer than that of the run above.
    for (const copy of missing.toSorted((one, other) => other.runId.length - one.runId.length)) {
      const lease = await store.acquire(copy.runId, thisHolder(), RESTORE_MS);
      leases.push(lease);
      // Another import may have stored it before the lease.
      isOvertaken = (await store.run(copy.runId)) !== undefined;
      if (isOvertaken) break;
      await store.append(batchOf(copy.runId, copy.records, copy.origin), lease);
      if (copy.until !== undefined) waits.set(lease, copy.until);
    }
  } finally {
    for (const lease of leases) {
      const until = waits.get(lease);
      if (until === undefined) await giveBack(store, lease);
      else await suspendLease(store, lease, { until, heard: 0 });
    }
  }
  return isOvertaken ? restoreRuns(store, runs, wanted, isNamed) : { runId, taken: first };
}

// --- internal ---

/** Milliseconds for which runs are held. A store of this machine notices sooner that the process was killed. */
const RESTORE_MS = 60_000;

/** Characters of an id that is made. */
const ID_LENGTH = 26;

/** Finds the runs that a store has not yet under an id, and the first id that another run has. */
async function placeFor(store: PatientStore, runs: readonly [RunCopy, ...RunCopy[]], id: string) {
  const missing: RunCopy[] = [];
  let taken: string | undefined;
  for (const copy of renamed(runs, id)) {
    if (!(await store.run(copy.runId))) missing.push(copy);
    else if (copy.runId === id || !(await isCopy(store, copy))) taken ??= copy.runId;
  }
  return { missing, taken };
}

/** The runs with other ids, as the first has another one. */
function renamed(runs: readonly [RunCopy, ...RunCopy[]], to: string): readonly RunCopy[] {
  const idIn = (id: string) => renamedBelow(id, runs[0].runId, to) ?? id;
  return runs.map(({ runId, records, origin, until }) => ({
    runId: idIn(runId),
    records,
    until,
    origin: { ...origin, forkOf: origin.forkOf && idIn(origin.forkOf) },
  }));
}

/** True if a stored run has the same records. */
async function isCopy(store: PatientStore, { runId, records }: RunCopy): Promise<boolean> {
  return sealOf(await readRun(store, runId)) === sealOf(records.map((record) => ({ ...record, runId })));
}

function idTaken(id: string): PhasegateError {
  return new PhasegateError('RUN_EXISTS', `Cannot import run ${id} as the store has a run with that id`, {
    hint: 'Name another id, or leave --run-id out.',
  });
}
