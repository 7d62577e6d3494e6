/**
 * Ends of turns of the event loop.
 *
 * @module
 */

/** Calls a job at the end of this turn: after the current synchronous work and its microtasks. */
export function atEndOfTurn(job: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(job);
  else setTimeout(job, 0);
}

/** Resolves at the end of this turn. */
export function endOfTurn(): Promise<void> {
  return new Promise(atEndOfTurn);
}
