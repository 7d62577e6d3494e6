/**
 * Whether an event is the one that a journal has.
 *
 * @module
 */
import { stringify } from 'safe-stable-stringify';
import type { PhaseReport, RunEvent } from './event.ts';
import { isSameJson } from './json.ts';

/** True for events that say the same. Where an error was made is not part of that. */
export function isSameEvent(one: RunEvent | PhaseReport, other: RunEvent | PhaseReport): boolean {
  if (one === other) return true;
  // A plan may be large, and its fingerprint is made for this.
  if (one.type === 'run.started' && other.type === one.type) {
    return isSameJson({ ...one, plan: null }, { ...other, plan: null });
  }
  return isSameJson(essenceOf(one), essenceOf(other));
}

/** Enough of an event to recognise it. */
export function shownEvent(event: RunEvent | PhaseReport): string {
  const text = stringify(event) ?? event.type;
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

// --- internal ---

const SHOWN = 300;

function essenceOf(event: RunEvent | PhaseReport): unknown {
  if (event.type !== 'phase.failed' && event.type !== 'run.ended') return event;
  return event.error ? { ...event, error: { ...event.error, stack: undefined } } : event;
}
