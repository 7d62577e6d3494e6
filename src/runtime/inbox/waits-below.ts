/**
 * Runs that wait for a person in the run of a task.
 *
 * @module
 */
import { starterIn } from '../../model/handlers/work-key.ts';
import type { ListedRun, RunStore } from '../../store/port.ts';

/** A run that knows of the runs below it. */
export interface RunAbove extends ListedRun {
  /** Ids of the runs below it that wait for a person. Absent if there is none. */
  readonly waitsIn?: readonly string[] | undefined;
}

/** Adds to runs the phases that wait for a person only in a run that a task has started, and the ids of these runs. */
export async function withWaitsBelow(
  store: Pick<RunStore, 'runs'>,
  runs: readonly ListedRun[],
): Promise<readonly RunAbove[]> {
  return withWaitsIn(await store.runs({ status: ['running'] }), runs);
}

/** Adds the same as {@link withWaitsBelow}. @param running All running runs. @param runs Those that get it. */
export function withWaitsIn(running: readonly ListedRun[], runs = running): readonly RunAbove[] {
  const asking = new Map<string, { readonly phases: Set<string>; readonly runs: Set<string> }>();
  for (const { runId, waiting } of running) {
    if (waiting.length === 0) continue;
    for (let one = starterIn(runId); one; one = starterIn(one.run)) {
      const known = asking.get(one.run) ?? { phases: new Set(), runs: new Set() };
      asking.set(one.run, known);
      known.phases.add(one.phase);
      known.runs.add(runId);
    }
  }
  return runs.map((run) => {
    const below = asking.get(run.runId);
    if (!below) return run;
    return { ...run, waiting: [...new Set([...run.waiting, ...below.phases])], waitsIn: [...below.runs] };
  });
}
