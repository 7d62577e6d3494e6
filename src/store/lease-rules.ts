/**
 * Rules of leases: the right of one holder to append to a run for a limited time.
 *
 * An append checks the token, not the time. The time only tells others when they may take over the run. So a holder with an
 * expired lease can continue until another one takes it. A wrong clock costs waiting time, but never records.
 *
 * @module
 */
import { newId } from '../model/values/new-id.ts';
import { holderIsAlive } from './holder.ts';
import type { Lease, ListedRun } from './port.ts';
import { leaseLost, misused, runLeased } from './refusals.ts';

/** A lease as stored. */
export interface Claim extends Lease {
  /** Its duration when acquired or renewed, in milliseconds. */
  readonly ms: number;
}

/** Result of a request for a run. */
export type Taking =
  | { readonly type: 'taken'; readonly claim: Claim }
  /** `claim` is the current one, perhaps shortened. The store must write it. */
  | { readonly type: 'refused'; readonly claim: Claim };

/** Decides on a request for a run. @throws `STORE_MISUSED` if `ms` is not a duration. */
export function takeRun(
  current: Claim | undefined,
  wish: { readonly runId: string; readonly holder: string; readonly ms: number },
  now: number,
): Taking {
  const { runId, holder, ms } = wish;
  const expiresAt = expiry(runId, ms, now);
  if (!current || current.expiresAt <= now || holderIsAlive(current.holder) === false)
    return { type: 'taken', claim: { runId, holder, token: newId(), expiresAt, ms } };
  // If the clock was set back, the lease seems longer than its duration. It is shortened to its duration from now.
  return { type: 'refused', claim: { ...current, expiresAt: Math.min(current.expiresAt, now + current.ms) } };
}

/** The lease with a later expiry. @throws `LEASE_LOST`, `STORE_MISUSED` */
export function prolong(current: Claim | undefined, lease: Lease, ms: number, now: number): Claim {
  const expiresAt = expiry(lease.runId, ms, now);
  return { ...checkHeld('keep', current, lease), expiresAt, ms };
}

/** The claim of a lease that is still valid. @param action Such as `keep`. @throws `LEASE_LOST` */
export function checkHeld(action: string, current: Claim | undefined, lease: Lease): Claim {
  if (current?.token !== lease.token) throw leaseLost(action, lease, current);
  return current;
}

/** The lease as others see it; `undefined` if it has expired. */
export function liveLease(claim: Claim | undefined, now: number): Lease | undefined {
  return claim && claim.expiresAt > now ? leaseOf(claim) : undefined;
}

/** The lease as others see it: valid or expired. */
export function leaseFields(claim: Claim | undefined, now: number): Pick<ListedRun, 'lease' | 'lapsed'> {
  const lease = liveLease(claim, now);
  return lease || !claim ? { lease } : { lease, lapsed: leaseOf(claim) };
}

/** The lease as its holder gets it. */
export function leaseOf({ runId, holder, token, expiresAt }: Claim): Lease {
  return Object.freeze({ runId, holder, token, expiresAt });
}

/** The error for a refused request. */
export function refusal(claim: Claim): Error {
  return runLeased('acquire', claim);
}

// --- internal ---

function expiry(runId: string, ms: number, now: number): number {
  if (Number.isFinite(ms) && ms > 0) return now + ms;
  throw misused(`Cannot acquire run ${runId} as ${ms} is not a number of milliseconds above 0`);
}
