/**
 * Work that a gate has approved, by its content: a revised plan with the same subtasks need not have it done again.
 *
 * @module
 */
import type { Outputs, TaskContext } from '../model/handlers/task.ts';
import { OWN_TASKS } from '../model/plan/level.ts';
import { contentHash } from '../model/values/content-hash.ts';
import type { AttemptPlace, Integration, Snapshot } from '../workspaces/port.ts';
import type { FleetOptions } from './fleet-options.ts';
import { integrationIn, readSubtask, type IntegrationOutput } from './level-outputs.ts';
import type { Subtask } from './work-plan.ts';

/** A level that is approved, and the outputs of its tasks. */
export interface ApprovedLevel {
  readonly subtasks: readonly Subtask[];
  readonly outputs: Outputs;
}

/** A phase that is approved, and the commit with its work. */
export interface ApprovedPart {
  /** Name of the phase. */
  readonly name: string;
  readonly commit: string;
}

/** The part of a context that names a run. */
type RunContext = Pick<TaskContext, 'run' | 'signal'>;

/**
 * Remembers the work of an approved level. Work that was left out, or that was made on top of other subtasks, is not remembered, as it
 * depends on more than its subtask and the base.
 */
export async function rememberLevel(
  options: FleetOptions,
  { subtasks, outputs }: ApprovedLevel,
  context: RunContext,
): Promise<void> {
  const merged = integrationIn(outputs);
  const { base, commit, conflicts } = merged;
  for (const subtask of subtasks) {
    const work = readSubtask(outputs[subtask.id]);
    if (work.start !== base || conflicts.some(({ name }) => name === subtask.id)) continue;
    await options.workspace.remember(subtaskPlace(options, subtask, base, context), work.commit, context.signal);
  }
  if (conflicts.length === 0) {
    await options.workspace.remember(mergedPlace(options, merged, context), commit, context.signal);
  }
}

/** Returns the approved work of a subtask with the same text on the same base; `undefined` if there is none. */
export function approvedSubtask(
  options: FleetOptions,
  subtask: Subtask,
  base: string,
  context: RunContext,
): Promise<Snapshot | undefined> {
  return options.workspace.kept(subtaskPlace(options, subtask, base, context), context.signal);
}

/** Returns the approved commit with the same parts, so that the next level has the same base; `undefined` if there is none. */
export async function approvedMerge(
  options: FleetOptions,
  merged: Pick<IntegrationOutput, 'base' | 'parts'>,
  context: RunContext,
): Promise<string | undefined> {
  return (await options.workspace.kept(mergedPlace(options, merged, context), context.signal))?.commit;
}

/**
 * Folds the work of approved phases into one commit, in order. A part that conflicts is left out and named. Equal parts of a run become the
 * same commit in every process, so that a branch that was moved to it can move on to what is built on it.
 */
export async function foldApproved(
  { workspace, branch }: Pick<FleetOptions, 'workspace' | 'branch'>,
  [first, ...others]: readonly [ApprovedPart, ...ApprovedPart[]],
  { run, signal }: RunContext,
): Promise<Integration> {
  const base = first.commit;
  if (others.length === 0) return { commit: base, conflicts: [] };
  const parts = others.map(({ name, commit }) => ({ name, title: name, commit }));
  const place = approvedPlace({ branch }, OWN_TASKS.integrate, { base, parts }, { run });
  return workspace.integrate({ place, base, parts, signal });
}

// --- internal ---

function subtaskPlace(options: FleetOptions, subtask: Subtask, base: string, context: RunContext): AttemptPlace {
  const { id, title, description, files_touched } = subtask;
  return approvedPlace(options, id, { id, title, description, files_touched, base }, context);
}

function mergedPlace(
  options: FleetOptions,
  { base, parts }: Pick<IntegrationOutput, 'base' | 'parts'>,
  context: RunContext,
): AttemptPlace {
  return approvedPlace(options, OWN_TASKS.integrate, { base, parts }, context);
}

function approvedPlace(
  { branch }: Pick<FleetOptions, 'branch'>,
  task: string,
  content: Readonly<Record<string, unknown>>,
  { run }: Pick<RunContext, 'run'>,
): AttemptPlace {
  return { run: branch ?? run, phase: 'approved', generation: 0, attempt: 0, task, key: contentHash(content) };
}
