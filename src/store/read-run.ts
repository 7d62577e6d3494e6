/**
 * Reading of whole runs, with the values that their records refer to.
 *
 * @module
 */
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { RunRecord } from '../model/events/event.ts';
import { hasReferences, isWhole, unpackRecord } from '../model/events/large-values.ts';
import type { Plan } from '../model/plan/plan.ts';
import { damageHint } from './damage.ts';
import type { RunStore } from './port.ts';

/**
 * Reads records of a run, with references replaced by their values.
 *
 * @param from Number of the first. @default 1
 * @param limit Most records. @default no limit
 * @param plan A plan that the caller has, which may replace an equal one. @default none
 * @throws PhasegateError `STORE_UNREADABLE` if a value that a record refers to is missing, or does not match its hash.
 */
export async function readRun(
  store: Pick<RunStore, 'read' | 'artifact'>,
  runId: string,
  from = 1,
  limit?: number,
  plan?: Plan,
): Promise<readonly RunRecord[]> {
  const packed = await store.read(runId, from, limit, plan);
  // Few records have references. Awaiting, or adding, each of the others would cost more than the check.
  const first = packed.findIndex(isPacked);
  const records = packed.slice(0, first === -1 ? packed.length : first);
  for (const record of packed.slice(records.length))
    records.push(isPacked(record) ? await wholeRecord(store, record) : record);
  return records;
}

/** True if a record refers to values that are stored separately. */
export function isPacked(record: RunRecord): boolean {
  return mayRefer(record) && hasReferences(record);
}

/** Returns a record with references replaced by their values. @throws PhasegateError `STORE_UNREADABLE` */
export async function wholeRecord(store: Pick<RunStore, 'artifact'>, record: RunRecord): Promise<RunRecord> {
  return unpackRecord(record, find(store, record));
}

// --- internal ---

/** Types of events that may have references. */
const REFERRING: ReadonlySet<RunRecord['event']['type']> = new Set([
  'task.completed',
  'phase.approved',
  'task.reported',
  'run.started',
]);

function mayRefer({ event }: RunRecord): boolean {
  return REFERRING.has(event.type);
}

function find(store: Pick<RunStore, 'artifact'>, { runId, seq }: RunRecord): (hash: string) => Promise<string> {
  return async (hash) => {
    const content = await store.artifact(hash);
    if (content !== undefined && isWhole({ hash, content })) return content;
    const found = content === undefined ? 'is missing' : 'was changed';
    const problem = `Cannot read record ${seq} of run ${runId} as the content ${hash} that it refers to ${found}`;
    throw new PhasegateError('STORE_UNREADABLE', problem, { hint: damageHint(runId, seq - 1) });
  };
}
