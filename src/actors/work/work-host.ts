/**
 * Environment of the work of a run: services next to the functions of its pipeline.
 *
 * @module
 */

/** A reflection of an earlier run. */
export interface Recalled {
  readonly run: string;
  readonly reflection: string;
}

/** Environment of the work of a run. */
export interface WorkHost {
  /** Calls back once all records of the run so far are stored; at once without a store. */
  whenDurable(go: () => void): void;
  /** Counts handlers that begin (1) and have ended (-1), but for people. Absent if nobody needs to know. */
  count?(by: 1 | -1): void;
  /** Reflections of earlier runs on a phase of this name, oldest first. Absent if the store has no memories. */
  recall?(phase: string): Promise<readonly Recalled[]>;
}

/** The host of a run without a store: nothing waits for storage. */
export const inMemoryHost: WorkHost = { whenDurable: (go) => go() };
