/**
 * Items of the inbox in words.
 *
 * @module
 */
import type { InboxItem } from './inbox.ts';

/** What an item of each kind waits for, behind what it is about. */
export const waitsFor: Readonly<Record<InboxItem['kind'], string>> = {
  escalation: 'waits for a decision',
  limit: 'is spent, and the run is held',
  task: 'waits for what a person puts out',
  review: 'waits for the decision of a person who is its reviewer',
};

/**
 * That somebody has answered an item, and nobody has taken it yet.
 *
 * @param by Who; '' where it is not known.
 */
export function answeredBy({ by }: { readonly by: string }): string {
  return `answered${by === '' ? '' : ` by ${by}`}, not yet taken`;
}
