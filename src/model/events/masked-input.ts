/**
 * The start events of runs whose input `redact` has masked, so that the records differ from the handlers' input.
 *
 * @module
 */
import { isSameJson } from '../values/json.ts';
import { MASK } from '../values/known-secrets.ts';
import type { EventOf } from './event.ts';

/**
 * Flags the start of a run whose input was masked. The original input is dropped then, unless it was masked as well.
 *
 * @param event The event before masking.
 */
export function withMaskFlag(event: EventOf<'run.started'>, kept: EventOf<'run.started'>): EventOf<'run.started'> {
  if (isSameJson(event.input, kept.input)) return kept;
  const { given, ...rest } = kept;
  const hides = typeof given !== 'object' || !isSameJson(given, event.given);
  return { ...rest, ...(given !== undefined && hides && { given }), masked: true };
}

/** Masks the whole input in the start of a run, and drops its tags. A run without input has nothing to mask. */
export function withoutInput(event: EventOf<'run.started'>): EventOf<'run.started'> {
  const { tags: _tags, ...rest } = event;
  return withMaskFlag(event, { ...rest, input: event.input === null ? null : MASK });
}
