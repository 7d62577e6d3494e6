/**
 * What a failure says of itself about trying again.
 *
 * @module
 */

/** Whether another try may help, and how many milliseconds it should wait at least. */
export interface RetryHint {
  /** Whether the task that failed may be tried again by itself. */
  readonly retryable: boolean;
  /**
   * Whether nobody need try again, as nothing but a change of the pipeline or of an account helps. What is not retryable is
   * permanent, unless it says of itself that it is not: an answer that cannot be used is not asked for again by the task, and
   * may be by the gate.
   */
  readonly permanent: boolean;
  readonly afterMs: number;
}

/** The hint of anything that can be thrown; what says nothing may be tried again at any time. Never throws. */
export function retryHintOf(thrown: unknown): RetryHint {
  if (typeof thrown !== 'object' || thrown === null) return NO_HINT;
  try {
    const afterMs: unknown = Reflect.get(thrown, 'retryAfterMs');
    const retryable = Reflect.get(thrown, 'retryable') !== false;
    return {
      retryable,
      permanent: !retryable && Reflect.get(thrown, 'permanent') !== false,
      // It goes into records, where infinity has no place.
      afterMs: typeof afterMs === 'number' && afterMs > 0 ? Math.min(afterMs, Number.MAX_SAFE_INTEGER) : 0,
    };
  } catch {
    return NO_HINT;
  }
}

// --- internal ---

const NO_HINT: RetryHint = { retryable: true, permanent: false, afterMs: 0 };
