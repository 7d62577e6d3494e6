/**
 * Inputs of runs that a `redact` has masked, so that the records do not have what the handlers were given.
 *
 * @module
 */
import { isSameJson } from '../values/json.ts';
import { MASK } from '../values/known-secrets.ts';
import type { EventOf } from './event.ts';

/**
 * The start of a run as it is kept. It says so if its input was masked. What was given goes then, unless it was masked as well.
 *
 * @param said The event before it was masked.
 */
export function withMaskTold(said: EventOf<'run.started'>, kept: EventOf<'run.started'>): EventOf<'run.started'> {
  if (isSameJson(said.input, kept.input)) return kept;
  const { given, ...rest } = kept;
  const hides = typeof given !== 'object' || !isSameJson(given, said.given);
  return { ...rest, ...(given !== undefined && hides && { given }), masked: true };
}

/** The start of a run as it is kept if nothing of its input may be: one without input has nothing to mask. */
export function withoutInput(said: EventOf<'run.started'>): EventOf<'run.started'> {
  return withMaskTold(said, { ...said, input: said.input === null ? null : MASK });
}
