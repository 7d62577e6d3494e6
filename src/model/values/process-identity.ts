/**
 * Processes, as files keep them for a later process.
 *
 * @module
 */
import { z } from 'zod';

/** A process of some machine, which can be told from a later one with the same number. */
export const processSchema = z.object({
  pid: z.int().positive(),
  /** Start time in ticks since the start of the machine; empty if unknown. */
  start: z.string(),
  host: z.string(),
  /** Process namespace, as containers number their processes from 1; empty if unknown. */
  namespace: z.string(),
  /** Id of the machine's start; absent or empty if unknown. */
  boot: z.string().optional(),
});

/** A process of some machine. */
export type ProcessIdentity = Readonly<z.infer<typeof processSchema>>;

/** The note on a process group: the process that has started it, and the leader of the group. */
export const noteSchema = z.object({ owner: processSchema, group: processSchema });

/** A note on a process group. */
export type GroupNote = z.infer<typeof noteSchema>;
