/**
 * Which item is to be looked at first.
 *
 * @module
 */
import type { InboxItem } from '../../../../src/projections/inbox/inbox-item.ts';

/** By how urgent they are, then by when their time is over, then the oldest first. */
export function mostUrgentFirst<I extends Pick<InboxItem, 'severity' | 'expireAt' | 'openedAt' | 'id'>>(
  items: readonly I[],
): readonly I[] {
  return items.toSorted(
    (one, other) =>
      RANK[one.severity] - RANK[other.severity] ||
      compare(one.expireAt ?? Infinity, other.expireAt ?? Infinity) ||
      one.openedAt - other.openedAt,
  );
}

// --- internal ---

const RANK: Readonly<Record<InboxItem['severity'], number>> = { urgent: 0, high: 1, normal: 2 };

/** Two times that are never are alike. */
function compare(one: number, other: number): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
