/**
 * Errors of models, with advice about another try.
 *
 * @module
 */
import { PhasegateError, type ErrorCode } from '../../model/errors/phasegate-error.ts';

/** Options of a {@link ModelError}. */
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
  /** True if another try by the task itself may help. */
  readonly retryable: boolean;
  /** True if no other question to the model may help either. */
  readonly permanent: boolean;
  /** Shortest delay before the next try, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** HTTP status of the server's response, if there is one. */
  readonly status: number | undefined;
  /** True if the model reports that its context is too small for the messages. */
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

/** The error of an unusable answer. It is never permanent, as the same question may get a usable answer another time. */
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
