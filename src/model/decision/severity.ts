/**
 * Severities of issues. Apart from their schema, as pages for browsers need no schemas.
 *
 * @module
 */

/** The severities of an issue, worst first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;
