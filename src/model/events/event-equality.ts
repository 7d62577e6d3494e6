/**
 * Comparison of a replayed event with the one in a journal.
 *
 * @module
 */
import { stringify } from 'safe-stable-stringify';
import type { ErrorInfo } from '../errors/phasegate-error.ts';
import { isSameJson } from '../values/json.ts';
import { MASK } from '../values/known-secrets.ts';
import type { PhaseReport, RunEvent } from './event.ts';

/**
 * True if two events are equal for replay. It ignores:
 *
 * - sentences that phasegate composes from other recorded fields, as another version may word them differently;
 * - the stack of an error, and a cause that another record has;
 * - texts with a mask: a text derived from an unmasked one may have its secrets masked in other places.
 */
export function isSameEvent(one: RunEvent | PhaseReport, other: RunEvent | PhaseReport): boolean {
  if (one === other) return true;
  // A plan may be large, and its fingerprint is compared instead.
  if (one.type === 'run.started' && other.type === one.type) {
    return isSameJson({ ...one, plan: null }, { ...other, plan: null });
  }
  return isSameExceptMasks(essenceOf(one), essenceOf(other));
}

/** True for equal values. Texts with a mask count as equal to any text: one derived from another may be masked in other places. */
export function isSameExceptMasks(one: unknown, other: unknown): boolean {
  return isSameJson(one, other, isMasked);
}

/** Returns the beginning of an event as JSON, for messages. */
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
  // Why: DECISIONS.md#what-does-a-replay-compare
  if (type === 'phase.escalated' || type === 'phase.rejected') return { ...event, reason: '' };
  if (type === 'phase.warned') return { ...event, message: '' };
  // A phase, or the words of an end without approval.
  if (type === 'phase.skipped' || type === 'phase.cancelled' || type === 'phase.stale')
    return { ...event, because: '' };
  if (type === 'phase.failed') return { ...event, error: withoutWords(event.error) };
  if (type !== 'run.ended') return event;
  return { ...event, reason: event.reason && '', error: event.error && withoutWords(event.error) };
}

/**
 * Drops an error's message and stack. The record of the phase above has the cause of `PREDECESSOR_FAILED`; older records only have it
 * there.
 */
function withoutWords({ cause, ...error }: ErrorInfo): unknown {
  return { ...error, message: '', stack: undefined, cause: error.code === 'PREDECESSOR_FAILED' ? undefined : cause };
}
