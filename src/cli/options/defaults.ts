/**
 * Default values of the command line.
 *
 * @module
 */

/** The folder of phasegate's own files, in the working folder. */
export const OWN_FOLDER = '.phasegate';

/** The default store: a file in the working folder. */
export const DEFAULT_STORE = `${OWN_FOLDER}/runs.db`;

/** The environment variable that names the store for all commands. */
export const STORE_VARIABLE = 'PHASEGATE_STORE';

/** The memory scope of runs from the command line. One scope suffices, as the store belongs to one user. */
export const DEFAULT_SCOPE = 'default';
