/**
 * The request for the recent runs of the home page.
 *
 * @module
 */

/** The address of the latest runs. */
export const RECENT_RUNS = '/api/runs?limit=8';
