/**
 * Use of functions that mask events, such as that of a caller.
 *
 * @module
 */
import { knowsSecrets, MASK, maskKnown } from '../values/known-secrets.ts';
import type { RunEvent } from './event.ts';
import { withMaskFlag, withoutInput } from './masked-input.ts';
import { mapTexts, type Redact } from './redact.ts';

/** Masks every free text of an event, so that any two texts count as equal. The input of the run is kept. */
export function maskTexts(event: RunEvent): RunEvent {
  return mapTexts(event, () => MASK);
}

/**
 * Wraps `redact` so that it never throws. If it throws, or returns another type of event, every text is masked, and so is the input of
 * the run. Secrets that the process knows are always masked.
 */
export function guardRedact(redact: Redact): Redact {
  return (event) => {
    try {
      const redacted: unknown = redact(event);
      if (isOfType(redacted, event.type))
        return flagged(event, knowsSecrets() ? mapTexts(redacted, maskKnown) : redacted);
    } catch {
      // An event that cannot be redacted is masked as a whole.
    }
    return event.type === 'run.started' ? withoutInput(event) : maskTexts(event);
  };
}

// --- internal ---

/** Flags the event if its input was masked. */
function flagged(event: RunEvent, kept: RunEvent): RunEvent {
  return event.type === 'run.started' && kept.type === event.type ? withMaskFlag(event, kept) : kept;
}

function isOfType(value: unknown, type: RunEvent['type']): value is RunEvent {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === type;
}
