/**
 * Whether an event is the one that a journal has.
 *
 * @module
 */
import { stringify } from 'safe-stable-stringify';
import type { PhaseReport, RunEvent } from './event.ts';
import { isSameJson } from './json.ts';
import { MASK } from './known-secrets.ts';

/**
 * True for events that say the same. Where an error was made is not part of that, nor what another record says is behind it, nor are texts in which something was
 * masked: what follows from a text without its secrets need not have them masked at the same places.
 */
export function isSameEvent(one: RunEvent | PhaseReport, other: RunEvent | PhaseReport): boolean {
  if (one === other) return true;
  // A plan may be large, and its fingerprint is made for this.
  if (one.type === 'run.started' && other.type === one.type) {
    return isSameJson({ ...one, plan: null }, { ...other, plan: null });
  }
  return isSameJson(essenceOf(one), essenceOf(other), isMasked);
}

/** Enough of an event to recognise it. */
export function shownEvent(event: RunEvent | PhaseReport): string {
  const text = stringify(event) ?? event.type;
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

// --- internal ---

const SHOWN = 300;

function isMasked(one: string, other: string): boolean {
  return one.includes(MASK) || other.includes(MASK);
}

function essenceOf(event: RunEvent | PhaseReport): unknown {
  if (event.type !== 'phase.failed' && event.type !== 'run.ended') return event;
  const { error } = event;
  if (!error) return event;
  const told = { ...error, stack: undefined };
  // Its cause is in the record of the phase above; older records have it there alone.
  return { ...event, error: error.code === 'PREDECESSOR_FAILED' ? { ...told, cause: undefined } : told };
}
