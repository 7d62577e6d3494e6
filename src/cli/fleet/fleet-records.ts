/**
 * The commits of a fleet, from the records of its run.
 *
 * @module
 */
import { readIntegration, earlierIntegration, earlierSubtask, type SubtaskOutput } from '../../fleet/level-outputs.ts';
import type { RunRecord } from '../../model/events/event.ts';
import { OWN_TASKS } from '../../model/plan/level.ts';
import type { RunInfo, RunStore } from '../../store/port.ts';
import { readRun } from '../../store/read-run.ts';
import { childRunsOf } from '../options/child-runs.ts';

/** The commits of a fleet so far. */
export interface FleetCommits {
  /** The commit that the first level started from, and the one with the latest work. */
  readonly base: string;
  readonly latest: string;
  /** The latest work of each subtask, by id. */
  readonly subtasks: ReadonlyMap<string, SubtaskOutput>;
}

/** Reads the commits of a run, or of the latest run that its tasks have started. @returns `undefined` if there are none. */
export async function readCommits(store: RunStore, run: RunInfo): Promise<FleetCommits | undefined> {
  const own = commitsIn(await readRun(store, run.runId));
  if (own) return own;
  for (const { runId: child } of (await childRunsOf(store, run)).toReversed()) {
    const commits = commitsIn(await readRun(store, child));
    if (commits) return commits;
  }
  return undefined;
}

// --- internal ---

function commitsIn(records: readonly RunRecord[]): FleetCommits | undefined {
  const subtasks = new Map<string, SubtaskOutput>();
  let base: string | undefined;
  let latest: string | undefined;
  for (const { event } of records) {
    if (event.type !== 'task.completed') continue;
    if (event.task === OWN_TASKS.integrate && earlierIntegration(event.output)) {
      const merged = readIntegration(event.output);
      base ??= merged.base;
      latest = merged.commit;
    }
    const work = earlierSubtask(event.output);
    if (work) subtasks.set(event.task, work);
  }
  const [first] = subtasks.values();
  if (!first) return undefined;
  return { base: base ?? first.base, latest: latest ?? first.commit, subtasks };
}
