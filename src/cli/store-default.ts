/**
 * Where runs are kept when nothing else is said.
 *
 * @module
 */

/** A file in the working folder. */
export const DEFAULT_STORE = '.phasegate/runs.db';

/** The variable that says it for all commands. */
export const STORE_VARIABLE = 'PHASEGATE_STORE';
