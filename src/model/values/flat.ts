/**
 * Types as editors show them.
 *
 * @module
 */

/** The same type, with its properties in the place of the names of types that it is made from. */
export type Flat<T> = { readonly [K in keyof T]: T[K] } & {};
