/**
 * The body of a refused request. It has types only, as the browser imports them too.
 *
 * @module
 */

/** The error of a refused request. */
export interface Refusal {
  readonly error: {
    /** A code of docs/errors.md. */
    readonly code: string;
    readonly message: string;
    readonly hint?: string | undefined;
  };
}
