/**
 * Limits that are spent, and that hold the run until a person decides.
 *
 * @module
 */
import type { LimitName } from '../../model/plan/policy-schema.ts';
import type { Act } from './decision.ts';
import { change, open, showLimit, type Draft } from './draft.ts';
import { endRun } from './ending.ts';
import type { Seat } from './setting.ts';

/** Decides about the limit that holds the run. */
export function decideLimit(draft: Draft, { about, decision }: Act): void {
  const { onExpiry = 'stay' } = draft.setting.plan.inbox ?? {};
  if (decision === 'approve') setHold(draft, about, 'lifted');
  else if (decision === 'abort') endRun(draft, 'cancelled');
  else if (decision === 'reject' || onExpiry === 'reject') endRun(draft, 'exhausted');
  else {
    setHold(draft, about, 'expired');
    if (onExpiry !== 'stay') open(draft, about, 'question');
  }
}

/** Spends a limit of usage or time: the run ends, or its tries end and no other begins. */
export function spendLimit(draft: Draft, seat: Seat, limit: LimitName): void {
  showLimit(draft, limit);
  if (draft.setting.plan.onLimit === 'stop') {
    endRun(draft, 'exhausted');
    return;
  }
  draft.usage = { limit, by: seat.index, hold: 'held' };
  change(draft, seat.index, { pending: 'reviewers' });
  open(draft, limit, 'question');
}

// --- internal ---

function setHold(draft: Draft, about: string, hold: 'expired' | 'lifted'): void {
  const { usage } = draft;
  if (about === 'attemptsPerPhase' || !usage) {
    draft.attemptsLimit = hold;
    return;
  }
  draft.usage = { ...usage, hold };
  // The reviewers were waiting for the limit.
  if (hold === 'lifted') open(draft, draft.setting.seats[usage.by]?.name ?? '', 'review');
}
