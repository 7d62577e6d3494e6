/**
 * Inputs that the schema of a pipeline refuses.
 *
 * @module
 */
import type { Refusal } from '../values/standard-schema.ts';
import { PhasegateError } from './phasegate-error.ts';

/** Thrown for an input that a schema refuses, with each problem and its path. */
export class InputInvalidError extends PhasegateError {
  readonly problems: Refusal['problems'];

  /** @param subject The action that the error prevents, and the reason. */
  constructor(subject: string, { lines, problems }: Refusal, hint: string) {
    super('INPUT_INVALID', `${subject}:\n  ${lines.join('\n  ')}`, { hint });
    this.problems = problems;
  }
}
