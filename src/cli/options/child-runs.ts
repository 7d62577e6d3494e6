/**
 * The runs that the tasks of a stored run have started.
 *
 * @module
 */
import { starterOf } from '../../model/handlers/work-key.ts';
import type { RunInfo } from '../../projections/run/run-info.ts';
import type { ListedRun, RunStore } from '../../store/port.ts';

/** Lists the runs that the tasks of a run have started, and theirs, in the order of their starts. */
export async function childRunsOf(
  store: Pick<RunStore, 'runs'>,
  { runId, startedAt }: Pick<RunInfo, 'runId' | 'startedAt'>,
): Promise<readonly ListedRun[]> {
  const later = await store.runs({ updatedAfter: startedAt - 1 });
  return later
    .filter((run) => starterOf(runId, run.runId))
    .toSorted((one, other) => one.startedAt - other.startedAt || one.runId.length - other.runId.length);
}
