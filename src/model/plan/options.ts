/**
 * Options of phases and tasks that are plain data.
 *
 * @module
 */
import { z } from 'zod';

/** The schema of {@link Mode}. */
export const modeSchema = z.enum(['dependencies', 'sequential', 'parallel']);

/** The order in which a phase's tasks run: as parallel as their `after` allows (`dependencies`, `parallel`), or one after the other. */
export type Mode = z.infer<typeof modeSchema>;

const many = 'expected a whole number from 1, or "unlimited"';

/** A count of at least one: tries of a task, working phases. */
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

/** The expected maximum that one try uses. The worst case is computed from it, and a try only begins if it fits into the limits. */
export type Estimate = z.infer<typeof estimateSchema>;
