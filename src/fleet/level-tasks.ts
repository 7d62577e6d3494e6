/**
 * Tasks that every level has besides its subtasks: the commit that it starts from, and the commit with the work of all.
 *
 * @module
 */
import type { TaskContext } from '../model/handlers/task.ts';
import { OWN_TASKS } from '../model/plan/level.ts';
import { isSameJson } from '../model/values/json.ts';
import { approvedMerge, rememberLevel } from './approved-work.ts';
import type { Delay } from './arrange-plan.ts';
import type { FleetOptions } from './fleet-options.ts';
import { inFoldOrder } from './fold-order.ts';
import {
  earlierIntegration,
  integrationIn,
  INTEGRATION,
  readBase,
  readSubtask,
  type BaseOutput,
  type IntegrationOutput,
} from './level-outputs.ts';
import { tellAtStart } from './start-notes.ts';
import { placeOf } from './subtask-work.ts';
import type { Subtask } from './work-plan.ts';

/** A level before another one. */
export interface LevelBefore {
  /** Name of its phase. */
  readonly phase: string;
  readonly subtasks: readonly Subtask[];
}

/**
 * Takes the commit that a level starts from. For the first level it is the base of the run. For a later one it is the work of the level
 * before, which is approved, so the branch of the run moves to it.
 *
 * @param before The level before; `undefined` for the first.
 * @param delays The waits of the plan, which people are told of at the start.
 */
export async function takeBase(
  options: FleetOptions,
  { before, delays }: { readonly before: LevelBefore | undefined; readonly delays: readonly Delay[] },
  context: TaskContext,
): Promise<BaseOutput> {
  const { workspace, branch } = options;
  const { run: id, signal } = context;
  const run = branch ?? id;
  // The first subtask begins next.
  const begun = await workspace.start({ run, ahead: before === undefined ? 1 : 0, signal });
  const notes = begun.notes.map(({ text }) => text);
  if (before === undefined) {
    tellAtStart(context, notes, delays);
    return { base: begun.base, notes };
  }
  const { commit } = await publishLast(options, before, context);
  return { base: commit, notes };
}

/** Moves the branch of a run to the work of a level that is approved, and remembers that work. */
export async function publishLast(
  options: FleetOptions,
  { phase, subtasks }: LevelBefore,
  context: TaskContext,
): Promise<{ readonly branch: string; readonly commit: string }> {
  const { run, inputs, signal } = context;
  const outputs = inputs[phase] ?? {};
  const { commit } = integrationIn(outputs);
  const published = await options.workspace.publish({ run: options.branch ?? run, commit, signal });
  await rememberLevel(options, { subtasks, outputs }, context);
  return published;
}

/** Folds the work of all subtasks into one commit. */
export async function integrate(
  options: FleetOptions,
  subtasks: readonly Subtask[],
  context: TaskContext,
): Promise<IntegrationOutput> {
  const { base } = readBase(context.context[OWN_TASKS.base]);
  const works = inFoldOrder(
    subtasks.map(({ id, title }) => {
      const { commit, start, contains } = readSubtask(context.context[id]);
      return { name: id, title, commit, start, contains };
    }),
  );
  const parts = Object.fromEntries(works.map(({ name, commit }) => [name, commit]));
  const previous = earlierIntegration(context.revision?.previousOutput);
  // The same work is the same commit, so that an attempt without changes is known as such.
  const isSame = previous?.base === base && isSameJson(previous.parts, parts);
  const output = isSame ? previous : await integrateAnew();
  context.report({ artifact: { name: INTEGRATION, content: output } });
  return output;

  async function integrateAnew(): Promise<IntegrationOutput> {
    const approved = await approvedMerge(options, { base, parts }, context);
    if (approved !== undefined) return { commit: approved, base, parts, conflicts: [] };
    const place = placeOf(context, options);
    const merged = await options.workspace.integrate({ place, base, parts: works, signal: context.signal });
    const conflicts = merged.conflicts.map(({ name, paths }) => ({ name, paths: [...paths] }));
    return { commit: merged.commit, base, parts, conflicts };
  }
}
