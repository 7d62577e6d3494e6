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
    /** Milliseconds. */
    durationMs: z.number().min(0).optional(),
  })
  .readonly();

/** What a task is expected to use at most per try: for the worst case, and so that no try begins that does not fit into the limits. */
export type Estimate = z.infer<typeof estimateSchema>;
