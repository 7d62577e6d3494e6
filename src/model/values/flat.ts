/**
 * Flattened types for readable editor hints.
 *
 * @module
 */

/** The same type with its properties written out, instead of the names of the types that it combines. */
export type Flat<T> = { readonly [K in keyof T]: T[K] } & {};
