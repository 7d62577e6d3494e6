/**
 * The runs that the tasks of a stored run have started.
 *
 * @module
 */
import { starterIn, starterOf } from '../../model/handlers/work-key.ts';
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

/** Adds to runs the phases that wait for a person only in a run that a task has started. */
export async function withWaitsBelow(
  store: Pick<RunStore, 'runs'>,
  runs: readonly ListedRun[],
): Promise<readonly ListedRun[]> {
  const asking = new Map<string, Set<string>>();
  for (const { runId, waiting } of await store.runs({ status: ['running'] })) {
    if (waiting.length === 0) continue;
    for (let one = starterIn(runId); one; one = starterIn(one.run))
      asking.set(one.run, (asking.get(one.run) ?? new Set()).add(one.phase));
  }
  return runs.map((run) => {
    const below = asking.get(run.runId);
    return below ? { ...run, waiting: [...new Set([...run.waiting, ...below])] } : run;
  });
}
