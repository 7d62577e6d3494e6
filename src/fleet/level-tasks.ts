/**
 * Tasks that every level has besides its subtasks: the commit that it starts from, and the commit with the work of all.
 *
 * @module
 */
import type { TaskContext } from '../model/handlers/task.ts';
import { isSameJson } from '../model/values/json.ts';
import type { FleetOptions } from './fleet-options.ts';
import {
  earlierIntegration,
  integrationIn,
  INTEGRATION,
  OWN_TASKS,
  readBase,
  readSubtask,
  type BaseOutput,
  type IntegrationOutput,
} from './level-outputs.ts';
import { placeOf } from './subtask-work.ts';
import type { Subtask } from './work-plan.ts';

/**
 * Takes the commit that a level starts from. For the first level it is the base of the run. For a later one it is the work of the level
 * before, which is approved, so the branch of the run moves to it.
 *
 * @param before The level before; `undefined` for the first.
 */
export async function takeBase(
  { workspace, branch }: FleetOptions,
  before: string | undefined,
  { run: id, inputs, signal }: TaskContext,
): Promise<BaseOutput> {
  const run = branch ?? id;
  const begun = await workspace.start({ run, signal });
  const notes = begun.notes.map(({ text }) => text);
  if (before === undefined) return { base: begun.base, notes };
  const { commit } = integrationIn(inputs[before] ?? {});
  await workspace.publish({ run, commit, signal });
  return { base: commit, notes };
}

/** Moves the branch of a run to the work of its last level. */
export async function publishLast(
  { workspace, branch }: FleetOptions,
  last: string,
  { run, inputs, signal }: TaskContext,
): Promise<{ readonly branch: string; readonly commit: string }> {
  const { commit } = integrationIn(inputs[last] ?? {});
  return workspace.publish({ run: branch ?? run, commit, signal });
}

/** Folds the work of all subtasks into one commit, in the order of the plan. */
export async function integrate(
  options: FleetOptions,
  subtasks: readonly Subtask[],
  context: TaskContext,
): Promise<IntegrationOutput> {
  const { base } = readBase(context.context[OWN_TASKS.base]);
  const works = subtasks.map(({ id, title }) => ({ name: id, title, commit: readSubtask(context.context[id]).commit }));
  const parts = Object.fromEntries(works.map(({ name, commit }) => [name, commit]));
  const previous = earlierIntegration(context.revision?.previousOutput);
  // The same work is the same commit, so that an attempt without changes is known as such.
  const isSame = previous?.base === base && isSameJson(previous.parts, parts);
  const output = isSame ? previous : await integrateAnew();
  context.report({ artifact: { name: INTEGRATION, content: output } });
  return output;

  async function integrateAnew(): Promise<IntegrationOutput> {
    const place = placeOf(context, options);
    const merged = await options.workspace.integrate({ place, base, parts: works, signal: context.signal });
    const conflicts = merged.conflicts.map(({ name, paths }) => ({ name, paths: [...paths] }));
    return { commit: merged.commit, base, parts, conflicts };
  }
}
