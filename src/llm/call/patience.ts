/**
 * How long models are waited for, and how often they are asked, where nothing else is said.
 *
 * @module
 */
import type { RetryPolicy } from '../../model/handlers/task.ts';

/** Milliseconds per try: ten minutes. */
export const MODEL_TIMEOUT = 600_000;

/**
 * The policy of a model: rate limits are the rule and not the exception, so it is asked again by default. The waits have jitter: tasks that a
 * server has refused together would be refused together again.
 */
export function modelRetry({ attempts = 5, backoff, jitter = true, retryable }: RetryPolicy = {}): RetryPolicy {
  return { attempts, backoff: { first: 1000, factor: 2, max: 300_000, ...backoff }, jitter, retryable };
}
