/**
 * The runs that the tasks of a stored run have started.
 *
 * @module
 */
import { runsAbove, starterIn, starterOf } from '../../model/handlers/work-key.ts';
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
