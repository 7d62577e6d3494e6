/**
 * Reading of runs, with the values that their records refer to.
 *
 * @module
 */
import { hasCode, PhasegateError } from '../model/errors/phasegate-error.ts';
import type { RunRecord } from '../model/events/event.ts';
import {
  hasPlan,
  isUnpacked,
  isWhole,
  referenceIn,
  unpackPlan,
  unpackRecord,
  unpackValues,
  type PackedRecord,
} from '../model/events/large-values.ts';
import type { Plan } from '../model/plan/plan.ts';
import { damageHint, PlanDamagedError } from './damage.ts';
import type { RunStore } from './port.ts';

/** The methods of a store that reading takes. */
type ReadStore = Pick<RunStore, 'read' | 'artifact'>;

/**
 * Reads records of a run, with references replaced by their values.
 *
 * @param from Number of the first. @default 1
 * @param limit Most records. @default no limit
 * @param plan A plan that the caller has, which replaces an equal one. @default none
 * @throws PhasegateError `STORE_UNREADABLE` if a value that a record refers to is missing, or does not match its hash.
 */
export async function readRun(
  store: ReadStore,
  runId: string,
  from = 1,
  limit?: number,
  plan?: Plan,
): Promise<readonly RunRecord[]> {
  // Few records have references, and awaiting each of the others would take longer than reading them.
  return unlessRemoved(store, runId, from, async () => {
    const records: RunRecord[] = [];
    for (const record of await store.read(runId, from, limit))
      records.push(isUnpacked(record) ? record : await wholeRecord(store, record, plan));
    return records;
  });
}

/** Reads records of a run with their plans, and leaves other references as they are. @throws PhasegateError `STORE_UNREADABLE` */
export async function readPlans(
  store: ReadStore,
  runId: string,
  from = 1,
  limit?: number,
): Promise<readonly RunRecord[]> {
  return unlessRemoved(store, runId, from, async () => {
    const records: RunRecord[] = [];
    for (const record of await store.read(runId, from, limit))
      records.push(hasPlan(record) ? record : await unpackPlan(record, find(store, record)));
    return records;
  });
}

/**
 * Returns a record with references replaced by their values.
 *
 * @param plan A plan that the caller has, which replaces an equal one. @default none
 * @throws PhasegateError `STORE_UNREADABLE`
 */
export async function wholeRecord(
  store: Pick<RunStore, 'artifact'>,
  record: PackedRecord,
  plan?: Plan,
): Promise<RunRecord> {
  return unpackRecord(record, find(store, record), plan);
}

/**
 * Reads the content with a hash; `undefined` if there is none.
 *
 * @throws PhasegateError `STORE_UNREADABLE` if the content does not match its hash.
 */
export async function readContent(store: Pick<RunStore, 'artifact'>, hash: string): Promise<string | undefined> {
  const content = await store.artifact(hash);
  if (content === undefined || isWhole({ hash, content })) return content;
  throw new PhasegateError('STORE_UNREADABLE', `Cannot read the content ${hash} as it was changed`, {
    hint: 'Restore the store from a copy of it, or run again what has made the content.',
  });
}

/** Returns a record with its values, and leaves its plan as a reference. @throws PhasegateError `STORE_UNREADABLE` */
export async function withValues(store: Pick<RunStore, 'artifact'>, record: PackedRecord): Promise<PackedRecord> {
  return unpackValues(record, find(store, record));
}

// --- internal ---

/** Reads records; none if the run is removed between the reading of its records and of their values, as those are removed with it. */
async function unlessRemoved(
  store: ReadStore,
  runId: string,
  from: number,
  read: () => Promise<readonly RunRecord[]>,
): Promise<readonly RunRecord[]> {
  try {
    return await read();
  } catch (error) {
    if (!hasCode(error, 'STORE_UNREADABLE')) throw error;
    const left = await store.read(runId, from, 1);
    if (left.length === 0) return [];
    throw error;
  }
}

function find(
  store: Pick<RunStore, 'artifact'>,
  { runId, seq, event }: PackedRecord,
): (hash: string) => Promise<string> {
  return async (hash) => {
    const content = await store.artifact(hash);
    if (content !== undefined && isWhole({ hash, content })) return content;
    const found = content === undefined ? 'is missing' : 'was changed';
    const problem = `Cannot read record ${seq} of run ${runId} as the`;
    if ('plan' in event && referenceIn(event.plan) === hash)
      throw new PlanDamagedError(`${problem} plan that it shares with other runs, the content ${hash}, ${found}`);
    throw new PhasegateError('STORE_UNREADABLE', `${problem} content ${hash} that it refers to ${found}`, {
      hint: damageHint(runId, seq - 1),
    });
  };
}
