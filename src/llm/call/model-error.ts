/**
 * Failures of models, with what they say about another try.
 *
 * @module
 */
import { PhasegateError, type ErrorCode } from '../../model/errors/phasegate-error.ts';

/** What a {@link ModelError} says beside its problem. */
export interface ModelErrorOptions {
  readonly hint: string;
  readonly retryable: boolean;
  readonly permanent?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly status?: number | undefined;
  readonly tooLong?: boolean | undefined;
  readonly cause?: unknown;
}

/** A model could not be asked, or its answer could not be used. */
export class ModelError extends PhasegateError {
  /** Whether another try by the task itself may help. */
  readonly retryable: boolean;
  /** Whether no other question to the model may help either. */
  readonly permanent: boolean;
  /** Milliseconds that the next try should wait at least. */
  readonly retryAfterMs: number | undefined;
  /** What the server answered with, where it has answered. */
  readonly status: number | undefined;
  /** Whether the model says that it was given more than its context has room for. */
  readonly tooLong: boolean;

  constructor(code: ErrorCode, problem: string, options: ModelErrorOptions) {
    const { hint, retryable, permanent = !retryable, retryAfterMs, status, tooLong = false, cause } = options;
    super(code, problem, { hint, cause });
    this.retryable = retryable;
    this.permanent = permanent;
    this.retryAfterMs = retryAfterMs;
    this.status = status;
    this.tooLong = tooLong;
  }
}

/** An answer that cannot be used. It is never permanent: the same question may be answered well another time. */
export function unusable(
  who: string,
  found: string,
  options: Pick<ModelErrorOptions, 'hint' | 'retryable' | 'cause'>,
): ModelError {
  return new ModelError('MODEL_ANSWER_INVALID', `Cannot use the answer of the model of ${who} as ${found}`, {
    ...options,
    permanent: false,
  });
}

/** The beginning of a text, quoted, for messages. */
export function excerpt(text: string): string {
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}

// --- internal ---

const LONGEST = 200;
