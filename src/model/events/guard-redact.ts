/**
 * Use of functions that mask events, such as that of a caller.
 *
 * @module
 */
import { knowsSecrets, MASK, maskKnown } from '../values/known-secrets.ts';
import type { RunEvent, RunRecord } from './event.ts';
import { withMaskFlag, withoutInput } from './masked-input.ts';
import { mapFields, mapTexts, maskValue, redactSecrets, type Redact } from './redact.ts';

/** Masks every free text of an event, so that any two texts count as equal. The input of the run is kept. */
export function maskTexts(event: RunEvent): RunEvent {
  return mapTexts(event, () => MASK);
}

/**
 * Masks every text of an event that a function of the program may mask in this event and not in the next, so that any two count as
 * equal. Those are free texts and the outputs of an approved phase.
 */
export function maskAll(event: RunEvent): RunEvent {
  if (event.type !== 'phase.approved') return maskTexts(event);
  return { ...event, outputs: mapFields(event.outputs, (output) => maskValue(output, () => MASK)) };
}

/** True if a function of the program has masked texts of these records. */
export function isRedacted(records: readonly Pick<RunRecord, 'event'>[]): boolean {
  return records.some(({ event }) => 'redacted' in event && event.redacted);
}

/**
 * Wraps `redact` so that it never throws. If it throws, or returns another type of event, every text is masked, and so is the input of
 * the run. Secrets that the process knows are always masked. Starts and resumes are flagged if it is a function of the program.
 */
export function guardRedact(redact: Redact): Redact {
  if (redact !== redactSecrets) return (event) => flaggedOwn(guarded(redact, event));
  return (event) => guarded(redact, event);
}

// --- internal ---

function guarded(redact: Redact, event: RunEvent): RunEvent {
  try {
    const redacted: unknown = redact(event);
    if (isOfType(redacted, event.type))
      return flagged(event, knowsSecrets() ? mapTexts(redacted, maskKnown) : redacted);
  } catch {
    // An event that cannot be redacted is masked as a whole.
  }
  return event.type === 'run.started' ? withoutInput(event) : maskTexts(event);
}

function flaggedOwn(event: RunEvent): RunEvent {
  return event.type === 'run.started' || event.type === 'run.resumed' ? { ...event, redacted: true } : event;
}

/** Flags the event if its input was masked. */
function flagged(event: RunEvent, kept: RunEvent): RunEvent {
  return event.type === 'run.started' && kept.type === event.type ? withMaskFlag(event, kept) : kept;
}

function isOfType(value: unknown, type: RunEvent['type']): value is RunEvent {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === type;
}
