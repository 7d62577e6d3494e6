/**
 * Work plans: a goal, split into subtasks with dependencies.
 *
 * @module
 */
import { z } from 'zod';

/** Most characters, and most entries, of the parts of a plan. A longer part is a problem of the plan. */
export const PLAN_LIMITS = {
  goal: 10_000,
  markdown: 200_000,
  id: 64,
  title: 200,
  description: 50_000,
  path: 1000,
  files: 500,
  subtasks: 200,
} as const;

const { goal, markdown, id, title, description, path, files } = PLAN_LIMITS;

/** The schema of a subtask. Its texts are data: they reach prompts, and nothing executes them. */
const subtaskSchema = z
  .strictObject({
    /** Identifies the subtask in the plan and in reviews, such as `2a`. It is the name of its task. */
    id: z.string().trim().min(1).max(id),
    /** A short name for people. */
    title: z.string().trim().min(1).max(title),
    /** The work, in words. */
    description: z.string().max(description),
    /** Ids of the subtasks whose work it builds upon. @default [] */
    depends_on: z.array(z.string().trim().max(id)).max(PLAN_LIMITS.subtasks).readonly().default([]),
    /**
     * The files, folders or patterns that it is expected to change, relative to the top of the repository. Subtasks with a file in common
     * never work at the same time. @default [], which states nothing
     */
    files_touched: z.array(z.string().trim().min(1).max(path)).max(files).readonly().default([]),
  })
  .readonly();

/** The schema of a {@link WorkPlan}, for the architect that makes one. Unknown keys are refused, as their text would be lost. */
export const planSchema = z
  .strictObject({
    /** The goal of the whole work, in one sentence. */
    goal: z.string().trim().min(1).max(goal),
    /** The plan for readers: every agent gets it. @default '' */
    plan_markdown: z.string().max(markdown).default(''),
    /** The subtasks, in order. @default [], which is one session for the whole goal */
    subtasks: z.array(subtaskSchema).readonly().default([]),
    /** Ids by level. It is computed from the dependencies, so a list that differs is a problem. @default computed */
    phases: z.array(z.array(z.string().trim()).readonly()).readonly().optional(),
  })
  .readonly();

/** A goal, the plan in words, and its subtasks. */
export type WorkPlan = z.infer<typeof planSchema>;

/** A plan before its defaults are filled in. */
export type WorkPlanInput = z.input<typeof planSchema>;

/** One piece of work, which one agent does in a context of its own. */
export type Subtask = WorkPlan['subtasks'][number];
