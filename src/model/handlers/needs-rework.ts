/**
 * The error by which a task sends an earlier phase back, as it cannot work with its outputs.
 *
 * @module
 */

import { elided, TEXT_LIMITS } from '../values/text-limits.ts';

const BRAND = Symbol.for('phasegate.needsRework');

/** Thrown by a task to send an earlier phase back. Made by `needsRework`. */
export class NeedsReworkError extends Error {
  readonly phase: string;
  readonly feedback: string;
  readonly [BRAND] = true;

  constructor(phase: string, feedback: string) {
    super(`"${phase}" has to be reworked: ${feedback}`);
    this.name = new.target.name;
    this.phase = phase;
    this.feedback = feedback;
  }
}

/**
 * Makes an error to throw in a task: it sends an earlier phase back, on the budget of the gate of the task's own phase.
 *
 * The phase fails with `REWORK_IMPOSSIBLE` if it has no gate, or if its gate may not send that phase back (any more).
 *
 * @param phase The name of the earlier phase.
 * @param feedback The changes that it should make.
 *
 * @example
 * ```ts
 * if (inputs.plan.steps.length === 0) throw needsRework('plan', 'List at least one step.');
 * ```
 */
export function needsRework(phase: string, feedback: string): NeedsReworkError {
  return new NeedsReworkError(phase, feedback);
}

/** A task's demand of an earlier phase. */
export interface Rework {
  readonly phase: string;
  /** Shortened to the length that records store. */
  readonly feedback: string;
}

/** Returns the demand if the thrown value is one, also one of another copy of this library. Safe for any thrown value. */
export function asRework(thrown: unknown): Rework | undefined {
  try {
    if (!isRework(thrown)) return undefined;
    return {
      phase: elided(thrown.phase, TEXT_LIMITS.name),
      feedback: elided(thrown.feedback, TEXT_LIMITS.feedback),
    };
  } catch {
    return undefined;
  }
}

// --- internal ---

function isRework(thrown: unknown): thrown is NeedsReworkError {
  if (typeof thrown !== 'object' || thrown === null || !(BRAND in thrown)) return false;
  return [Reflect.get(thrown, 'phase'), Reflect.get(thrown, 'feedback')].every((part) => typeof part === 'string');
}
