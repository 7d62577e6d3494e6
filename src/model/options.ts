/**
 * Options of phases and tasks that are plain data.
 *
 * @module
 */
import { z } from 'zod';

/** The schema of {@link Mode}. */
export const modeSchema = z.enum(['dependencies', 'sequential', 'parallel']);

/** How the tasks of a phase run: as wide as their own `after` allows (`parallel` says the same), or one after the other. */
export type Mode = z.infer<typeof modeSchema>;

const many = 'expected a whole number from 1, or "unlimited"';

/** A count of what there is at least one of: tries of a task, phases at work. */
export const manySchema = z.union([z.int(many).min(1, many), z.literal('unlimited')], { error: many });

/** The schema of {@link Estimate}. */
export const estimateSchema = z
  .strictObject({
    /** US dollars. */
    costUsd: z.number().min(0).optional(),
    tokens: z.number().min(0).optional(),
  })
  .readonly();

/** What a task is expected to use per try, for worst-case cost. */
export type Estimate = z.infer<typeof estimateSchema>;
