/**
 * The time at which `limits.deadlineMs` ends a run that waits for an answer.
 *
 * @module
 */
import { hasCode } from '../../model/errors/phasegate-error.ts';
import type { RunRecord } from '../../model/events/event.ts';
import { definitionOf } from '../../model/events/run-definition.ts';
import { foldRunTimes } from '../../model/events/run-times.ts';
import { runsAbove } from '../../model/handlers/work-key.ts';
import type { RunStore } from '../../store/port.ts';
import { readPlans } from '../../store/read-run.ts';

/** The end of a run, and of those that its tasks have started. */
export interface Deadline {
  readonly runId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Returns the earliest deadline of a run and of those above it; `undefined` if none of them has one that ends it. */
export async function deadlineOf(store: RunStore, runId: string): Promise<Deadline | undefined> {
  let first: Deadline | undefined;
  for (const id of [runId, ...runsAbove(runId)]) {
    const at = (await store.run(id))?.status === 'running' ? deadlineIn(await recordsOf(store, id)) : undefined;
    if (at !== undefined && at < (first?.at ?? Infinity)) first = { runId: id, at };
  }
  return first;
}

// --- internal ---

/** Reads records. A damaged run hides no item, and has no deadline that is known. */
async function recordsOf(store: RunStore, runId: string): Promise<readonly RunRecord[]> {
  try {
    return await readPlans(store, runId);
  } catch (error) {
    if (hasCode(error, 'STORE_UNREADABLE')) return [];
    throw error;
  }
}

function deadlineIn(records: readonly RunRecord[]): number | undefined {
  const [first, last] = [records[0]?.event, records.at(-1)];
  if (!last || first?.type !== 'run.started') return undefined;
  const { limits, onLimit } = definitionOf(records, first).plan;
  if (limits.deadlineMs === undefined || onLimit === 'escalate') return undefined;
  const times = foldRunTimes();
  for (const record of records) times.apply(record);
  return last.time + limits.deadlineMs - times.at(last.time).elapsedMs;
}
