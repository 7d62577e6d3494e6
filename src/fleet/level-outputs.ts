/**
 * Outputs of the tasks of a level, as later tasks read them.
 *
 * @module
 */
import { z } from 'zod';
import type { Outputs, TaskContext } from '../model/handlers/task.ts';
import { OWN_TASKS } from '../model/plan/level.ts';

const baseSchema = z.object({
  /** The commit that the level starts from. */
  base: z.string(),
  /** Facts about the repository, as sentences for agents. */
  notes: z.array(z.string()),
});

const subtaskSchema = z.object({
  /** The commit with the work of the subtask alone. */
  commit: z.string(),
  /** Its tree: equal trees have equal files. */
  tree: z.string(),
  /** The commit that its level starts from. */
  base: z.string(),
  /** The commit that it started from: the base, or the work of other subtasks after a conflict with them. */
  start: z.string(),
  /** Commits of the other subtasks whose work its start has, by id. */
  contains: z.record(z.string(), z.string()),
  /** Changed files: the first ones, and the number of all. */
  files: z.array(z.string()),
  fileCount: z.number(),
  /** Changed files that the plan does not expect. */
  outOfScope: z.array(z.string()),
  /** The agent's last words. */
  summary: z.string(),
});

const integrationSchema = z.object({
  /** The commit with the work of all subtasks that fit together. */
  commit: z.string(),
  base: z.string(),
  /** Commits of the subtasks, by id. */
  parts: z.record(z.string(), z.string()),
  /** Subtasks that are left out, as they conflict with earlier ones. */
  conflicts: z.array(z.object({ name: z.string(), paths: z.array(z.string()) })),
});

/** Output of the task that takes the base. */
export type BaseOutput = z.infer<typeof baseSchema>;

/** Output of a subtask. */
export type SubtaskOutput = z.infer<typeof subtaskSchema>;

/** Output of the task that integrates a level. */
export type IntegrationOutput = z.infer<typeof integrationSchema>;

/** Reads the base. */
export function readBase(output: unknown): BaseOutput {
  return baseSchema.parse(output);
}

/** Reads the output of a subtask. */
export function readSubtask(output: unknown): SubtaskOutput {
  return subtaskSchema.parse(output);
}

/** Reads an earlier output of a subtask; `undefined` if it has none, or that of another version. */
export function earlierSubtask(output: unknown): SubtaskOutput | undefined {
  return subtaskSchema.safeParse(output).data;
}

/** Reads an integration. */
export function readIntegration(output: unknown): IntegrationOutput {
  return integrationSchema.parse(output);
}

/** Reads an earlier integration; `undefined` if there is none. */
export function earlierIntegration(output: unknown): IntegrationOutput | undefined {
  return integrationSchema.safeParse(output).data;
}

/** The integration of the attempt that is revised, if it started from the same commit; `undefined` on a first attempt. */
export function integrationBefore(
  { artifacts, phase, revision }: Pick<TaskContext, 'artifacts' | 'phase' | 'revision'>,
  base: string,
): IntegrationOutput | undefined {
  const own = artifacts.find((one) => one.phase === phase && one.name === INTEGRATION);
  const merged = revision && earlierIntegration(own?.content);
  return merged?.base === base ? merged : undefined;
}

/** Returns the integration of a level from the outputs of its tasks. */
export function integrationIn(outputs: Outputs): IntegrationOutput {
  return readIntegration(outputs[OWN_TASKS.integrate]);
}

/** Name of the check, and of the reviewer, that judges if the subtasks of a level fit together. */
export const MERGES = 'merges';

/** The change that the check `merges` requires. */
export function fittingChange(conflicts: IntegrationOutput['conflicts']): string {
  return `Make the changes of ${conflicts.map(({ name }) => `"${name}"`).join(', ')} fit those of the other subtasks.`;
}

/** Name of the artifact with the integration of an attempt, which the next attempt reads. */
export const INTEGRATION = 'integration';
