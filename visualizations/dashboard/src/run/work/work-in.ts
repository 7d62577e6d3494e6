/**
 * The work of agents in outputs of tasks: commits of a fleet.
 *
 * @module
 */
import { referenceIn } from '../../../../../src/model/events/large-values.ts';
import type { IntegrationOutput, SubtaskOutput } from '../../../../../src/fleet/level-outputs.ts';
import type { TaskHistory } from '../phase/task-history.ts';

/** The part of such an output that is shown without reading the repository. */
export type Work = Partial<
  Pick<SubtaskOutput, 'files' | 'fileCount' | 'outOfScope' | 'summary'> & Pick<IntegrationOutput, 'conflicts'>
>;

/**
 * Reads an output; `undefined` if it is not the work of an agent, or of a level. Outputs may come from anyone.
 *
 * @param isLevel True for a task of a level. Its output is work that is not known yet if it is stored apart.
 */
export function workIn(output: unknown, isLevel: boolean): Work | undefined {
  if (isLevel && referenceIn(output) !== undefined) return {};
  if (!isObject(output)) return undefined;
  const { commit, base, tree, files, fileCount, outOfScope, summary, conflicts } = output;
  if (typeof commit !== 'string' || typeof base !== 'string') return undefined;
  if (Array.isArray(conflicts)) return { conflicts: conflicts.filter(isConflict) };
  if (typeof tree !== 'string' || typeof fileCount !== 'number' || typeof summary !== 'string') return undefined;
  return isTexts(outOfScope) && isTexts(files) ? { files, fileCount, outOfScope, summary } : undefined;
}

/** A subtask whose work is left out, as it changes the same lines as others. */
export interface ConflictOfWork extends Readonly<Conflict> {
  /** Other subtasks that change one of the paths. */
  readonly others: readonly string[];
}

/** Returns the conflicts between the tasks of an attempt. */
export function conflictsIn(tasks: readonly Pick<TaskHistory, 'name' | 'output'>[]): readonly ConflictOfWork[] {
  const works = tasks.map(({ name, output }) => ({ name, ...workIn(output?.value, false) }));
  return works
    .flatMap(({ conflicts = [] }) => conflicts)
    .map(({ name, paths }) => {
      const wanted = new Set(paths);
      const others = works.filter((one) => one.name !== name && one.files?.some((path) => wanted.has(path)));
      return { name, paths, others: others.map((one) => one.name) };
    });
}

// --- internal ---

type Conflict = IntegrationOutput['conflicts'][number];

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isConflict(value: unknown): value is Conflict {
  return isObject(value) && typeof value['name'] === 'string' && isTexts(value['paths']);
}
