/**
 * Which of several models an attempt asks.
 *
 * @module
 */
import type { Caller } from './call.ts';

/** The callers of a task, one for each attempt, the last one for all that follow. */
export type Callers = readonly [Caller, ...Caller[]];

/** The caller of an attempt, from 0. */
export function callerAt(callers: Callers, attempt: number): Caller {
  return callers[Math.min(attempt, callers.length - 1)] ?? callers[0];
}
