/**
 * The order of open items.
 *
 * @module
 */
import type { InboxItem } from '../../../../src/projections/inbox/inbox-item.ts';

/** Sorts by severity, then by deadline, then by age, the oldest first. */
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

/** Two missing deadlines are equal. */
function compare(one: number, other: number): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
