/**
 * What the work of a run depends on beside the functions of its pipeline.
 *
 * @module
 */

/** Something that an earlier run has learned. */
export interface Recalled {
  readonly run: string;
  readonly reflection: string;
}

/** Where work is done. */
export interface WorkHost {
  /** Calls back once everything that the run has said so far is kept; at once where nothing is. */
  whenDurable(go: () => void): void;
  /** What earlier runs have learned in a phase of this name, oldest first. Absent where nothing is remembered. */
  recall?(phase: string): Promise<readonly Recalled[]>;
}

/** Keeps nothing, so nothing has to be waited for. */
export const inMemoryHost: WorkHost = { whenDurable: (go) => go() };
