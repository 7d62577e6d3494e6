/**
 * Limit on the length of an answer, applied while it streams.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { ModelError } from './model-error.ts';

/** The limit of one answer. */
export interface AnswerLimit {
  /** Aborted if the answer is no longer awaited, or is too long. */
  readonly signal: AbortSignal;
  /** Counts a piece. @throws `TEXT_TOO_LONG` for the piece that exceeds the limit, and for each one after it. */
  count(piece: string): void;
  /** Resolves with the answer, or rejects as soon as it is too long, even if the model's function ignores the signal. */
  first<T>(asked: Promise<T>): Promise<T>;
}

/** @param signal Aborted when the answer is no longer awaited. */
export function createAnswerLimit(whose: string, most: number, signal: AbortSignal): AnswerLimit {
  const ending = new AbortController();
  let length = 0;
  let error: ModelError | undefined;
  return {
    signal: AbortSignal.any([signal, ending.signal]),
    count(piece) {
      length += piece.length;
      if (length <= most) return;
      error ??= answerTooLong(whose, most);
      ending.abort(error);
      throw error;
    },
    first: (asked) =>
      new Promise((resolve, reject) => {
        ending.signal.addEventListener('abort', () => reject(error ?? answerTooLong(whose, most)), { once: true });
        asked.then(resolve, reject);
      }),
  };
}

/**
 * The error of an answer that is too long. The task does not try again, as another try would cost as much. A gate may ask
 * again, and a fallback model may be asked.
 *
 * @param whose Such as `model "m"`.
 */
export function answerTooLong(whose: string, most: number): ModelError {
  return new ModelError('TEXT_TOO_LONG', `Cannot use the answer of ${whose} as it has more than ${most} characters`, {
    hint: 'Ask for less, or bound the answer by `params`, such as `max_tokens`. `maxAnswerChars` sets the limit.',
    retryable: false,
    permanent: false,
  });
}

/** @throws PhasegateError `DEFINITION_INVALID` if it is not a whole number from 1. */
export function refuseMaxAnswer(name: string, maxAnswerChars: unknown): void {
  if (Number.isSafeInteger(maxAnswerChars) && Number(maxAnswerChars) > 0) return;
  const found = `\`maxAnswerChars\` is ${String(maxAnswerChars)}, not a whole number from 1`;
  throw new PhasegateError('DEFINITION_INVALID', `Cannot let a model do "${name}" as ${found}`, {
    hint: 'Give it in characters, such as 200000.',
  });
}
