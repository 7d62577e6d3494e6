/**
 * Ids of runs that tasks have started, and the runs that they belong to.
 *
 * @module
 */
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { RunEvent } from '../model/events/event.ts';
import type { TaskContext } from '../model/handlers/task.ts';
import { runsAbove, starterIn, startOf, workKey } from '../model/handlers/work-key.ts';
import { planGraph, type Plan } from '../model/plan/plan.ts';
import { namesAbove } from '../model/values/graph.ts';
import type { RunStore } from '../store/port.ts';

/**
 * Returns the id of the run whose task has started a run; `undefined` for any other id. The id of a child run is the idempotency key
 * of its task, which begins with the id of its parent.
 */
export function parentOf(runId: string): string | undefined {
  return starterIn(runId)?.run;
}

/** Returns the id of the run that began a run: the parent, its parent, and so on, as far as the store has them. */
export async function rootOf(store: Pick<RunStore, 'run'>, runId: string): Promise<string> {
  const parent = parentOf(runId);
  return parent === undefined || !(await store.run(parent)) ? runId : rootOf(store, parent);
}

/** True if a run is another one, or was started by a task of it, or of a run that it has started. */
export function isWithin(runId: string, root: string): boolean {
  if (runId === root) return true;
  const parent = parentOf(runId);
  return parent !== undefined && isWithin(parent, root);
}

/** Returns the ids of the child runs of a run that have not ended. */
export async function openChildren(store: RunStore, runId: string): Promise<readonly string[]> {
  const running = await store.runs({ status: ['running'] });
  return running.flatMap((run) => (parentOf(run.runId) === runId ? run.runId : []));
}

/**
 * Returns the possible ids of the run of a task before its parent was retried, the latest first. Empty if the task has other inputs
 * since, or if its phase was rejected or sent back.
 */
export async function previousChildren(
  store: Pick<RunStore, 'run'>,
  { plan, events }: { readonly plan: Plan; readonly events: readonly RunEvent[] },
  { run, phase, task }: Pick<TaskContext, 'run' | 'phase' | 'task'>,
): Promise<readonly string[]> {
  const starts = startsBeforeRetry(plan, events, phase);
  if (starts.length === 0) return [];
  // Records of a fork were made under the id of the run that it is a fork of.
  const runs = [run];
  for (let one = await store.run(run); one?.forkOf !== undefined; one = await store.run(one.forkOf))
    runs.push(one.forkOf);
  return starts.flatMap(([start, attempt]) => runs.map((id) => workKey([id, phase, start, attempt, 'task', task])));
}

/**
 * Refuses to resume or retry a run without the one whose task has started it, which waits for its end.
 *
 * @throws PhasegateError `RUN_HAS_PARENT`
 */
export async function checkIsRoot(store: RunStore, runId: string, how: 'resume' | 'retry'): Promise<void> {
  const root = await rootOf(store, runId);
  if (root === runId) return;
  const what = how === 'resume' ? `resume run ${runId}` : `try run ${runId} again`;
  const ended = (await store.run(root))?.status;
  const next =
    ended === 'running'
      ? `Resume run ${root}, which resumes this one as well`
      : ended === 'completed'
        ? `Run ${root} was completed`
        : `Retry run ${root}`;
  throw new PhasegateError('RUN_HAS_PARENT', `Cannot ${what} alone as a task of run ${root} has started it`, {
    hint: `${next}. A fork of this run is a run of its own.`,
  });
}

/**
 * Refuses to remove a run that another one may need, as a task of that one has started it, or a run above it.
 *
 * @throws PhasegateError `RUN_HAS_PARENT`
 */
export async function checkUnneeded(store: Pick<RunStore, 'run'>, runId: string): Promise<void> {
  const root = await rootOf(store, runId);
  const above = runsAbove(runId);
  for (const id of above.slice(0, above.indexOf(root) + 1)) {
    if ((await store.run(id))?.status !== 'running') continue;
    const problem = `Cannot remove run ${runId} alone as a task of run ${id} has started it, and that run has not ended`;
    throw new PhasegateError('RUN_HAS_PARENT', problem, {
      hint: `Remove run ${root}, and this one with it, or end run ${id} first.`,
    });
  }
}

// --- internal ---

/** Starts of a phase that ended with their run, and whose work its latest start does again: the latest first, each with its attempt. */
function startsBeforeRetry(
  plan: Plan,
  events: readonly RunEvent[],
  phase: string,
): readonly (readonly [start: string | number, attempt: number])[] {
  const graph = planGraph(plan);
  const above = new Set(namesAbove(graph, graph.indexOf.get(phase) ?? 0));
  const starts = events.flatMap((event, at) =>
    event.type === 'phase.started' && event.phase === phase ? { ...event, at } : [],
  );
  const found: (readonly [string | number, number])[] = [];
  for (let last = starts.length - 1; last > 0; last--) {
    const [before, now] = [starts[last - 1], starts[last]];
    if (!before || !now || now.revision) break;
    const between = events.slice(before.at, now.at);
    const isNew = between.some(
      (event) =>
        (event.type === 'phase.approved' && above.has(event.phase)) ||
        (event.type === 'phase.rejected' && event.phase === phase),
    );
    if (isNew || !between.some(({ type }) => type === 'run.reopened')) break;
    const { generation, attempt } = before;
    const fresh = starts.slice(0, last).filter((one) => one.generation === generation && one.attempt === 0);
    found.push([startOf(generation, Math.max(0, fresh.length - 1)), attempt]);
  }
  return found;
}
