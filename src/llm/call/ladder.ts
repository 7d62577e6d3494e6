/**
 * Selection of a model by attempt.
 *
 * @module
 */
import type { Caller } from './call.ts';

/** The callers of a task, one for each attempt. The last one serves all later attempts. */
export type Callers = readonly [Caller, ...Caller[]];

/** The caller of an attempt, from 0. */
export function callerAt(callers: Callers, attempt: number): Caller {
  return callers[Math.min(attempt, callers.length - 1)] ?? callers[0];
}
