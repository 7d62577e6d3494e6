/**
 * Failures of models, with what they say about another try.
 *
 * @module
 */
import { PhasegateError, type ErrorCode } from '../model/errors.ts';

/** What a {@link ModelError} says beside its problem. */
export interface ModelErrorOptions {
  readonly hint: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A model could not be asked, or its answer could not be used. */
export class ModelError extends PhasegateError {
  /** Whether another try may help. */
  readonly retryable: boolean;
  /** Milliseconds that the next try should wait at least. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, problem: string, { hint, retryable, retryAfterMs, cause }: ModelErrorOptions) {
    super(code, problem, { hint, cause });
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
  }
}

/** An answer that cannot be used. */
export function unusable(who: string, found: string, options: Omit<ModelErrorOptions, 'retryAfterMs'>): ModelError {
  return new ModelError('MODEL_ANSWER_INVALID', `Cannot use the answer of the model of ${who} as ${found}`, options);
}

/** The beginning of a text, quoted, for messages. */
export function excerpt(text: string): string {
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}

// --- internal ---

const LONGEST = 200;
