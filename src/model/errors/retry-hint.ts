/**
 * Hints of a failure about trying again.
 *
 * @module
 */

/** Advice about another try. */
export interface RetryHint {
  /** True if the failed task may be tried again automatically. */
  readonly retryable: boolean;
  /**
   * True if no try helps, only a change of the pipeline or of an account. A failure that is not retryable is permanent, unless its
   * `permanent` is false. For example, a task does not retry an unusable answer, but its gate may ask again.
   */
  readonly permanent: boolean;
  readonly afterMs: number;
}

/** Reads the hint of any thrown value. Without a hint it may be tried again at any time. Never throws. */
export function retryHintOf(thrown: unknown): RetryHint {
  if (typeof thrown !== 'object' || thrown === null) return NO_HINT;
  try {
    const afterMs: unknown = Reflect.get(thrown, 'retryAfterMs');
    const retryable = Reflect.get(thrown, 'retryable') !== false;
    return {
      retryable,
      permanent: !retryable && Reflect.get(thrown, 'permanent') !== false,
      // Records have no place for infinity.
      afterMs: typeof afterMs === 'number' && afterMs > 0 ? Math.min(afterMs, Number.MAX_SAFE_INTEGER) : 0,
    };
  } catch {
    return NO_HINT;
  }
}

// --- internal ---

const NO_HINT: RetryHint = { retryable: true, permanent: false, afterMs: 0 };
