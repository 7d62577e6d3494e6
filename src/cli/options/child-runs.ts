/**
 * The runs that the tasks of a stored run have started.
 *
 * @module
 */
import { runsAbove, starterOf } from '../../model/handlers/work-key.ts';
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

/**
 * Groups all runs of a store, in their order: those that no task of another one has started, each with those below it, as {@link upTo} lists
 * them.
 */
export function familiesIn(runs: readonly ListedRun[]): readonly (readonly ListedRun[])[] {
  const ids = new Set(runs.map(({ runId }) => runId));
  return runs.filter(({ runId }) => !runsAbove(runId).some((id) => ids.has(id))).map(upTo(runs));
}

/**
 * Sorts all runs of a store, in one pass. Returns a function that lists the runs that the tasks of a run have started, and theirs, each
 * before its parent; the run itself comes last.
 */
export function upTo(runs: readonly ListedRun[]): (run: ListedRun) => readonly ListedRun[] {
  const below = new Map<string, ListedRun[]>();
  // The id of a run contains that of its parent, so it is longer.
  for (const run of runs.toSorted((one, other) => other.runId.length - one.runId.length))
    for (const id of runsAbove(run.runId)) {
      const others = below.get(id);
      if (others) others.push(run);
      else below.set(id, [run]);
    }
  return (run) => [...(below.get(run.runId) ?? []), run];
}
