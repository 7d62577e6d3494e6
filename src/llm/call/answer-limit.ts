/**
 * The end of an answer that becomes too long, while it comes.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { ModelError } from './model-error.ts';

/** Watches one answer. */
export interface AnswerLimit {
  /** Aborted where the answer is not wanted any more, or is too long. */
  readonly signal: AbortSignal;
  /** Counts a piece. @throws `TEXT_TOO_LONG` for the one that is too much, and for each after it. */
  count(piece: string): void;
  /** The answer, or the error as soon as it is too long, whatever whoever is asked makes of the signal. */
  first<T>(asked: Promise<T>): Promise<T>;
}

/** @param signal Aborted when nobody waits for the answer. */
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
 * An answer that goes on and on. Another try of the same would cost as much; a gate asks again, and another model may be asked.
 *
 * @param whose Such as `model "m"`.
 */
export function answerTooLong(whose: string, most: number): ModelError {
  return new ModelError('TEXT_TOO_LONG', `Cannot use the answer of ${whose} as it has more than ${most} characters`, {
    hint: 'Ask for less, or bound the answer by `params`, such as `max_tokens`. `maxAnswerChars` says how much is taken.',
    retryable: false,
    permanent: false,
  });
}

/** @throws PhasegateError `DEFINITION_INVALID` where it is no number that an answer could have. */
export function refuseMaxAnswer(name: string, maxAnswerChars: unknown): void {
  if (Number.isSafeInteger(maxAnswerChars) && Number(maxAnswerChars) > 0) return;
  const found = `\`maxAnswerChars\` is ${String(maxAnswerChars)}, not a whole number from 1`;
  throw new PhasegateError('DEFINITION_INVALID', `Cannot let a model do "${name}" as ${found}`, {
    hint: 'Give it in characters, such as 200000.',
  });
}
