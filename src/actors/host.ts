/**
 * What the work of a run depends on beside the functions of its pipeline.
 *
 * @module
 */

/** Where work is done. */
export interface Host {
  /** Calls back once everything that the run has said so far is kept; at once where nothing is. */
  whenDurable(go: () => void): void;
}

/** Keeps nothing, so nothing has to be waited for. */
export const unkept: Host = { whenDurable: (go) => go() };
