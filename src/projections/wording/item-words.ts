/**
 * Items of the inbox in words.
 *
 * @module
 */
import type { InboxItem } from '../inbox/inbox-item.ts';

/** The state of an item of each kind, as a continuation of its subject. */
export const waitsFor: Readonly<Record<InboxItem['kind'], string>> = {
  escalation: 'waits for a decision',
  limit: 'is spent, and the run is held',
  task: "waits for a person's output",
  review: "waits for a person's review",
};

/** Describes the reason code of an item; an unknown code is returned as it is. */
export function becauseOf({ because, loop }: Pick<InboxItem, 'because' | 'loop'>): string {
  const text = BECAUSE.get(because) ?? because;
  return loop === undefined ? text : `${text}: ${loop}`;
}

/**
 * Describes an item whose answer is pending: the run has not handled it yet.
 *
 * @param by The person; '' if unknown.
 */
export function answeredBy({ by }: { readonly by: string }): string {
  return `answered${by === '' ? '' : ` by ${by}`}, pending`;
}

// --- internal ---

const BECAUSE: ReadonlyMap<string, string> = new Map([
  ['requested', 'a reviewer has asked for a person'],
  ['exhausted', 'its budget is used up'],
  ['loop', 'it goes round in a loop'],
  ['invalidTarget', 'a reviewer sends back a phase that may not be sent back'],
  ['reviewUnavailable', 'the review failed'],
  ['limit', 'a limit is spent'],
  ['asked', 'a person is asked'],
]);
