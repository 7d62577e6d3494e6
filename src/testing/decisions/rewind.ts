/**
 * Rewinds, and the effects of new commits.
 *
 * @module
 */
import { change, isAtWork, showPhase, showRewind, spotAt, type Draft } from './draft.ts';
import { endBadly, hasLostAncestor } from './ending.ts';
import type { Seat } from './setting.ts';
import type { Demands, Sent } from './state.ts';

/** Sends back an earlier phase for one that waits for it from here on. */
export function rewind(draft: Draft, requester: Seat, target: Seat): void {
  showRewind(draft, requester, target);
  remember(draft, [requester.index, target.index]);
  if (hasLostAncestor(draft, requester)) {
    endBadly(draft, requester, 'failed');
    return;
  }
  const { plan, spread } = requester.gate ?? {};
  const reach = spread ?? 0;
  change(draft, requester.index, { standing: 'rewinding', ...SETTLED });
  const { standing, untold } = spotAt(draft, target.index);
  change(draft, target.index, {
    untold: joined(untold, { regate: plan?.regate ?? true, spread: reach }),
    standing: standing === 'approved' ? 'idle' : standing,
  });
  for (const index of draft.setting.between(target.index, requester.index)) {
    const spot = spotAt(draft, index);
    if (spot.standing === 'approved' || isAtWork(spot)) invalidate(draft, index, reach);
    else change(draft, index, { spread: Math.max(spot.spread, reach) });
  }
}

/** Commits the outputs of a phase. @param isOwn True if its gate has opened for this work. */
export function commit(draft: Draft, seat: Seat, isOwn: boolean): void {
  const { told, untold, spread, hasCommit, owed } = spotAt(draft, seat.index);
  showPhase(draft, seat, 'approved');
  change(draft, seat.index, {
    // Demands that came meanwhile send it back at once.
    standing: untold ? 'idle' : 'approved',
    told: null,
    spread: 0,
    hasCommit: true,
    owed: owed && !isOwn,
    ...SETTLED,
  });
  const reach = Math.max(spread, told?.spread ?? 0);
  if (!hasCommit || reach === 0) return;
  // All outputs of a path are different, so every reader has read something else.
  for (const index of seat.next) {
    const spot = spotAt(draft, index);
    if (spot.standing === 'approved' || isAtWork(spot)) invalidate(draft, index, reach);
  }
}

/** Joins demands on the same phase. */
export function joined(one: Demands | null, other: Demands | null): Demands | null {
  if (!one || !other) return one ?? other;
  return { regate: one.regate || other.regate, spread: Math.max(one.spread, other.spread) };
}

/** True if a rewind would be the last of four of which the last two repeat the first two, which differ. */
export function alternates(known: readonly Sent[], last: Sent): boolean {
  const [first, second, third] = known.slice(-3);
  if (!first || !second || !third) return false;
  return isSame(first, third) && isSame(second, last) && !isSame(first, second);
}

// --- internal ---

/** Fields that matter only while the phase works. */
const SETTLED = {
  retries: 0,
  errors: 0,
  pending: 'all',
  checked: false,
  expired: false,
  gated: false,
  hasPlace: false,
} as const;

function invalidate(draft: Draft, index: number, spread: number): void {
  change(draft, index, { standing: 'idle', spread: Math.max(spotAt(draft, index).spread, spread), ...SETTLED });
}

function remember(draft: Draft, sent: Sent): void {
  if (!draft.setting.findsLoops) return;
  for (const index of sent) change(draft, index, { recent: [...spotAt(draft, index).recent, sent].slice(-3) });
}

function isSame([from, to]: Sent, [otherFrom, otherTo]: Sent): boolean {
  return from === otherFrom && to === otherTo;
}
