/**
 * Leases: who may append to a run, and until when.
 *
 * The token is what counts when somebody appends; time only says when others may take the run over. So a holder whose lease
 * has expired goes on undisturbed until somebody takes it, and a clock that is wrong costs patience and never records.
 *
 * @module
 */
import { ulid } from 'ulid';
import type { Lease, ListedRun } from './port.ts';
import { leaseLost, misused, runLeased } from './refusals.ts';

/** A lease as it is kept. */
export interface Claim extends Lease {
  /** How long it was taken for, in milliseconds. */
  readonly ms: number;
}

/** What comes of the wish to take a run. */
export type Taking =
  | { readonly type: 'taken'; readonly claim: Claim }
  /** `claim` is the one that stands, perhaps shortened, and has to be kept. */
  | { readonly type: 'refused'; readonly claim: Claim };

/** @throws `STORE_MISUSED` where `ms` is no duration. */
export function takeRun(
  standing: Claim | undefined,
  wish: { readonly runId: string; readonly holder: string; readonly ms: number },
  now: number,
): Taking {
  const { runId, holder, ms } = wish;
  const expiresAt = expiry(runId, ms, now);
  if (!standing || standing.expiresAt <= now)
    return { type: 'taken', claim: { runId, holder, token: ulid(), expiresAt, ms } };
  // Where the clock was set back it seems to last longer than it was taken for: from here on it lasts that long at most.
  return { type: 'refused', claim: { ...standing, expiresAt: Math.min(standing.expiresAt, now + standing.ms) } };
}

/** The lease for longer. @throws `LEASE_LOST`, `STORE_MISUSED` */
export function prolong(standing: Claim | undefined, lease: Lease, ms: number, now: number): Claim {
  const expiresAt = expiry(lease.runId, ms, now);
  if (standing?.token !== lease.token) throw leaseLost('keep', lease, standing);
  return { ...standing, expiresAt, ms };
}

/** The lease as others see it; `undefined` where it has expired. */
export function liveLease(claim: Claim | undefined, now: number): Lease | undefined {
  return claim && claim.expiresAt > now ? leaseOf(claim) : undefined;
}

/** The lease as others see it: it holds, or it has expired. */
export function standingOf(claim: Claim | undefined, now: number): Pick<ListedRun, 'lease' | 'lapsed'> {
  const lease = liveLease(claim, now);
  return lease || !claim ? { lease } : { lease, lapsed: leaseOf(claim) };
}

/** The lease as its holder gets it. */
export function leaseOf({ runId, holder, token, expiresAt }: Claim): Lease {
  return Object.freeze({ runId, holder, token, expiresAt });
}

/** The error for who wanted to take it. */
export function refusal(claim: Claim): Error {
  return runLeased('acquire', claim);
}

// --- internal ---

function expiry(runId: string, ms: number, now: number): number {
  if (Number.isFinite(ms) && ms > 0) return now + ms;
  throw misused(`Cannot acquire run ${runId} as ${ms} is no number of milliseconds above 0`);
}
