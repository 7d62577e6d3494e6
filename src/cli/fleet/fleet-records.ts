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
  /** The latest work of each task, by its phase and its name. */
  readonly works: ReadonlyMap<string, TaskWork>;
}

/** The latest work of a task. */
export interface TaskWork {
  /** Its name, which is the id of a subtask. Tasks of other phases may have the same. */
  readonly task: string;
  readonly work: SubtaskOutput;
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
  const works = new Map<string, TaskWork>();
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
    if (work) works.set(`${event.phase}/${event.task}`, { task: event.task, work });
  }
  const [first] = works.values();
  if (!first) return undefined;
  return { base: base ?? first.work.base, latest: latest ?? first.work.commit, works };
}
