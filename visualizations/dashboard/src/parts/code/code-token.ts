/**
 * Code as lines of tokens, and the messages of the worker that finds them.
 *
 * @module
 */

/** The kind of a token, which has a colour. */
export type TokenKind = 'keyword' | 'string' | 'number' | 'comment' | 'name' | 'type';

/** A part of a line. */
export interface Token {
  /** `null` for text without a colour. */
  readonly kind: TokenKind | null;
  readonly text: string;
}

/** The tokens of each line. */
export type CodeLines = readonly (readonly Token[])[];

/** A request to the worker. */
export interface HighlightRequest {
  readonly text: string;
  /** A language or a file extension, such as `ts`. */
  readonly language: string;
}

/** A message of the worker: it is loaded, or it has answered. `null` for an unknown language. */
export type HighlightMessage = 'ready' | { readonly lines: CodeLines | null };
