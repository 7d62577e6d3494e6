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
    /** The first 100 problems of a refused input. */
    readonly problems?: readonly InputProblem[] | undefined;
  };
}

/** A problem of an input. */
export interface InputProblem {
  /** Names of properties and indexes, outermost first; empty for the input as a whole. At most 10, of at most 200 characters each. */
  readonly path: readonly string[];
  /** At most 500 characters. */
  readonly message: string;
}
