/**
 * How a task says that it cannot work with what an earlier phase put out.
 *
 * @module
 */

import { elided, TEXT_LIMITS } from '../values/text-limits.ts';

const BRAND = Symbol.for('phasegate.needsRework');

/** What a task throws to send an earlier phase back. Made by `needsRework`. */
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
 * Throw this in a task to send an earlier phase back, on the budget of the gate of the task's own phase.
 *
 * Where that gate may not send the phase back (any more), and in a phase without a gate, the phase fails with
 * `REWORK_IMPOSSIBLE`.
 *
 * @param phase The name of the phase.
 * @param feedback What it should do differently.
 *
 * @example
 * ```ts
 * if (inputs.plan.steps.length === 0) throw needsRework('plan', 'List at least one step.');
 * ```
 */
export function needsRework(phase: string, feedback: string): NeedsReworkError {
  return new NeedsReworkError(phase, feedback);
}

/** What a task demands of an earlier phase. */
export interface Rework {
  readonly phase: string;
  /** As long as records keep it. */
  readonly feedback: string;
}

/** The demand, where what was thrown is one, also of another copy of this library. Safe for anything that can be thrown. */
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
