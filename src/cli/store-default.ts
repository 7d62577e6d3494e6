/**
 * What stands for the usual: where runs are kept, and which one is meant.
 *
 * @module
 */

/** A file in the working folder. */
export const DEFAULT_STORE = '.phasegate/runs.db';

/** The variable that says it for all commands. */
export const STORE_VARIABLE = 'PHASEGATE_STORE';

/** Stands for the run that was started last. */
export const LATEST = 'latest';
