/**
 * What phasegate offers on Node only.
 *
 * @module
 */
export {};
