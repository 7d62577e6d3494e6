/**
 * The host of the work of a stored run: work waits for storage, and has memories of other runs.
 *
 * @module
 */
import type { Recalled, WorkHost } from '../../actors/work/work-host.ts';
import type { RunStore } from '../../store/port.ts';
import type { RecordLog } from './record-log.ts';

/** Creates the host. @param run Calls back once all records so far are stored. */
export function durableHost(
  store: Pick<RunStore, 'memories'>,
  log: RecordLog,
  run: Pick<WorkHost, 'whenDurable'>,
): WorkHost {
  const whenDurable = (go: () => void) => run.whenDurable(go);
  return store.memories ? { whenDurable, recall: (phase) => recall(store, log, phase) } : { whenDurable };
}

// --- internal ---

/** Memories of other runs. The machine asks for them before this run has learned anything itself. */
async function recall(
  store: Pick<RunStore, 'memories'>,
  { events: [first] }: RecordLog,
  phase: string,
): Promise<readonly Recalled[]> {
  if (first?.type !== 'run.started' || first.memory === undefined) return [];
  const known = (await store.memories?.({ scope: first.memory, pipeline: first.plan.name, phase })) ?? [];
  return known.map(({ runId, text }) => ({ run: runId, reflection: text }));
}
