/**
 * Errors of pipelines for which no paths can be made.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';

/** The error for a part of a pipeline that the model of decisions does not know. */
export function unknownPart(pipeline: string, found: string, hint: string): PhasegateError {
  return new PhasegateError('PATHS_UNKNOWN', `Cannot make paths of pipeline "${pipeline}" as ${found}`, { hint });
}
