/**
 * What stands for the usual: where runs are kept, whose memory they share, and which one is meant.
 *
 * @module
 */

/** A file in the working folder. */
export const DEFAULT_STORE = '.phasegate/runs.db';

/** The variable that says it for all commands. */
export const STORE_VARIABLE = 'PHASEGATE_STORE';

/** Whose memory runs of the command line share: their store is a file of whoever starts them. */
export const DEFAULT_SCOPE = 'default';

/** Stands for the run that was started last. */
export const LATEST = 'latest';
