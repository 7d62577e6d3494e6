/**
 * Default timeouts and retries of models.
 *
 * @module
 */
import type { RetryPolicy } from '../../model/handlers/task.ts';

/** Milliseconds per try: ten minutes. */
export const MODEL_TIMEOUT = 600_000;

/**
 * The retry policy of a model. It has several tries by default, as rate limits are common. The delays have jitter, as tasks that a server
 * has refused together would otherwise be refused together again.
 */
export function modelRetry({ attempts = 5, backoff, jitter = true, retryable }: RetryPolicy = {}): RetryPolicy {
  return { attempts, backoff: { first: 1000, factor: 2, max: 300_000, ...backoff }, jitter, retryable };
}
