/**
 * Whether an event is the one that a journal has.
 *
 * @module
 */
import { stringify } from 'safe-stable-stringify';
import type { PhaseReport, RunEvent } from './event.ts';

/** True for events that say the same. Where an error was made is not part of that. */
export function isSameEvent(one: RunEvent | PhaseReport, other: RunEvent | PhaseReport): boolean {
  if (one === other) return true;
  if (one.type !== other.type) return false;
  return stringify(essenceOf(one, other)) === stringify(essenceOf(other, one));
}

/** Enough of an event to recognise it. */
export function shownEvent(event: RunEvent | PhaseReport): string {
  const text = stringify(event) ?? event.type;
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

// --- internal ---

const SHOWN = 300;

function essenceOf(event: RunEvent | PhaseReport, other: RunEvent | PhaseReport): unknown {
  // Outputs may be large, and mostly are the very same object.
  if (event.type === 'phase.approved' && other.type === event.type && event.outputs === other.outputs) {
    return { ...event, outputs: null };
  }
  if (event.type !== 'phase.failed' && event.type !== 'run.ended') return event;
  return event.error ? { ...event, error: { ...event.error, stack: undefined } } : event;
}
