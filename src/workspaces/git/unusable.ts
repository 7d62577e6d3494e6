/**
 * The error of a repository that cannot have workspaces.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';

/** Creates the error. Another try does not help, only a change by the user. */
export function unusable(problem: string, hint: string): PhasegateError {
  return Object.assign(new PhasegateError('REPOSITORY_UNUSABLE', problem, { hint }), { retryable: false });
}
