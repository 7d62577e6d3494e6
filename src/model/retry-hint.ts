/**
 * What a failure says of itself about trying again.
 *
 * @module
 */

/** Whether another try may help, and how many milliseconds it should wait at least. */
export interface RetryHint {
  readonly retryable: boolean;
  readonly afterMs: number;
}

/** The hint of anything that can be thrown; what says nothing may be tried again at any time. Never throws. */
export function retryHintOf(thrown: unknown): RetryHint {
  if (typeof thrown !== 'object' || thrown === null) return NO_HINT;
  try {
    const afterMs: unknown = Reflect.get(thrown, 'retryAfterMs');
    return {
      retryable: Reflect.get(thrown, 'retryable') !== false,
      afterMs: typeof afterMs === 'number' && afterMs > 0 ? afterMs : 0,
    };
  } catch {
    return NO_HINT;
  }
}

// --- internal ---

const NO_HINT: RetryHint = { retryable: true, afterMs: 0 };
