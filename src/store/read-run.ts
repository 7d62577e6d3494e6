/**
 * Whole runs, as they were said.
 *
 * @module
 */
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { RunRecord } from '../model/events/event.ts';
import { hasReferences, unpackRecord } from '../model/events/large-values.ts';
import type { RunStore } from './port.ts';

/**
 * Records of a run with everything that is kept beside them.
 *
 * @param from Number of the first. @default 1
 * @param limit At most so many. @default no limit
 * @throws PhasegateError `STORE_UNREADABLE` where something that a record refers to is not there.
 */
export async function readRun(
  store: Pick<RunStore, 'read' | 'artifact'>,
  runId: string,
  from = 1,
  limit?: number,
): Promise<readonly RunRecord[]> {
  const packed = await store.read(runId, from, limit);
  const records: RunRecord[] = [];
  // Few have something kept beside them: to wait for each that could costs more than to look.
  for (const record of packed)
    records.push(mayRefer(record) && hasReferences(record) ? await unpackRecord(record, find(store, record)) : record);
  return records;
}

// --- internal ---

/** Kinds of records that may have something kept beside them. */
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
    if (content !== undefined) return content;
    const problem = `Cannot read record ${seq} of run ${runId} as the content ${hash} that it refers to is missing`;
    throw new PhasegateError('STORE_UNREADABLE', problem, { hint: 'Restore the store from a copy of it.' });
  };
}
