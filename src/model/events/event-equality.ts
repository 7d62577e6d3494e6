/**
 * Whether an event is the one that a journal has.
 *
 * @module
 */
import { stringify } from 'safe-stable-stringify';
import type { ErrorInfo } from '../errors/phasegate-error.ts';
import { isSameJson } from '../values/json.ts';
import { MASK } from '../values/known-secrets.ts';
import type { PhaseReport, RunEvent } from './event.ts';

/**
 * True for events that say the same. Left out are:
 *
 * - sentences that phasegate makes of what codes, names and records before say already, as another version may word them otherwise;
 * - where an error was made, and the cause of one that another record has;
 * - texts in which something was masked: what follows from a text without its secrets need not have them masked at the same places.
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
  const { type } = event;
  if (type === 'phase.escalated' || type === 'phase.rejected') return { ...event, reason: '' };
  if (type === 'phase.warned') return { ...event, message: '' };
  if (type === 'phase.skipped' || type === 'phase.cancelled') return { ...event, because: '' };
  if (type === 'phase.failed') return { ...event, error: withoutWords(event.error) };
  if (type !== 'run.ended') return event;
  return { ...event, reason: event.reason && '', error: event.error && withoutWords(event.error) };
}

/** An error without its sentence and its place. The cause of `PREDECESSOR_FAILED` is in the record of the phase above; older records have it there alone. */
function withoutWords({ cause, ...error }: ErrorInfo): unknown {
  return { ...error, message: '', stack: undefined, cause: error.code === 'PREDECESSOR_FAILED' ? undefined : cause };
}
