/**
 * How long models are waited for, and how often they are asked, where nothing else is said.
 *
 * @module
 */
import type { RetryPolicy } from '../model/task-types.ts';

/** Milliseconds per try: ten minutes. */
export const MODEL_TIMEOUT = 600_000;

/** Rate limits are the rule and not the exception, so a model is asked again by default. */
export const MODEL_RETRY: RetryPolicy = { attempts: 5, backoff: { first: 1000, factor: 2, max: 300_000 } };
