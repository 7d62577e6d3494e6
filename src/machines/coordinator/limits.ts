/**
 * Limits of a whole run: its usage, and the consequences of a limit that is reached.
 *
 * @module
 */
import type { EventOf } from '../../model/events/event.ts';
import { limitReason } from '../../model/events/limit-reason.ts';
import type { LimitName } from '../../model/plan/policy-schema.ts';
import { isOver } from '../../model/plan/policy.ts';
import { endRun } from './completion.ts';
import { moveTo, type RewindRequest } from './phase-state.ts';
import { enqueueFirst, type PhaseState, type RunState } from './run-state.ts';

/** Details of a limit that is reached. */
export interface LimitDetails {
  /** The live phase that waits for the coordinator, if the limit stops this phase alone. */
  readonly phase?: PhaseState | undefined;
  /** True if the correction that the phase waits on was made already. @default false */
  readonly made?: boolean | undefined;
  /** The try that the limit has refused. */
  readonly refused?: EventOf<'limit.reached'>['refused'];
}

/** Adds reported usage, and checks the limits. */
export function countUsage(state: RunState, report: EventOf<'task.reported'>): void {
  addUsage(state, report);
  for (const name of ['tokens', 'costUsd'] as const) {
    const max = state.plan.limits[name];
    if (max !== undefined && isOver(state.usage[name], max)) reachLimit(state, name, state.usage[name], max);
  }
}

/** Adds reported usage without a check. Work that runs continues. */
export function addUsage(state: RunState, { tokens = 0, costUsd = 0 }: EventOf<'task.reported'>): void {
  state.usage.tokens += tokens;
  state.usage.costUsd += costUsd;
}

/**
 * Counts a correction that a phase is about to make.
 *
 * @param spent Times the phase has sent back its target, this one included; `undefined` for a retry.
 * @param count Number of phases that have to correct something.
 * @returns True if the limits allow it. A person's corrections count, and are always allowed.
 */
export function countCorrection(
  state: RunState,
  entry: PhaseState,
  spent: number | undefined,
  byPerson: boolean,
  count = 1,
): boolean {
  const { corrections, perPair } = state.plan.limits;
  const made = state.usage.corrections;
  if (!byPerson) {
    if (exceeds(state, 'corrections', made, count, corrections, entry)) return false;
    if (spent !== undefined && exceeds(state, 'perPair', spent - 1, 1, perPair, entry)) return false;
    if (spent === undefined && !mayAttempt(state, entry, false)) return false;
  }
  state.usage.corrections = made + count;
  return true;
}

/**
 * True if the limits allow another attempt of a phase.
 *
 * @param made True if the correction before the attempt was made already: its cost stays spent.
 */
export function mayAttempt(state: RunState, entry: PhaseState, made: boolean): boolean {
  return !exceeds(state, 'attemptsPerPhase', entry.attempts, 1, state.plan.limits.attemptsPerPhase, entry, made);
}

/**
 * Handles a limit that is reached: the run ends, or a person is asked. A limit of one phase pauses this phase alone.
 *
 * @returns True if the limit holds; false if a person has lifted it.
 */
export function reachLimit(
  state: RunState,
  limit: LimitName,
  used: number,
  max: number,
  { phase, made = false, refused }: LimitDetails = {},
): boolean {
  if (state.ended) return true;
  if (state.liftedLimits.includes(limit)) return false;
  const reason = limitReason({ limit, max, refused });
  const stops = state.plan.onLimit === 'stop';
  const holds = !stops && phase?.actor ? phase : undefined;
  if (!state.blockingLimits.includes(limit)) {
    const reached = { type: 'limit.reached', limit, used, max, holds: holds?.phase.name ?? null } as const;
    state.outbox.push(refused ? { ...reached, refused } : reached);
  }
  if (stops) endRun(state, { status: 'exhausted', limit, reason });
  else if (holds) {
    moveTo(holds, 'escalated');
    // The person decides about the demands that the phase made of itself, so its next start does not get them.
    if (made) {
      const isOwn = ({ correction }: RewindRequest) => correction.from === holds.phase.name;
      holds.deferredRequests = [...holds.deferredRequests, ...holds.pendingRequests.filter(isOwn)];
      holds.pendingRequests = holds.pendingRequests.filter((one) => !isOwn(one));
    }
    holds.actor?.send({ type: 'hold', reason, made });
  } else {
    if (!state.blockingLimits.includes(limit)) state.blockingLimits = [...state.blockingLimits, limit];
    // It stays first in the queue.
    if (phase) enqueueFirst(state, phase);
  }
  return true;
}

/** Lifts a limit that blocks the run, for a person. */
export function liftLimit(state: RunState, limit: LimitName, who?: string): void {
  if (!state.blockingLimits.includes(limit)) return;
  state.blockingLimits = state.blockingLimits.filter((name) => name !== limit);
  state.liftedLimits = [...state.liftedLimits, limit];
  state.outbox.push({ type: 'limit.lifted', limit, ...(who !== undefined && { who }) });
  state.quota?.recheck();
}

/** Ends the run, as a person has refused to lift a limit, or nobody answered in time. */
export function refuseToLift(state: RunState, limit: LimitName, reason: string): void {
  endRun(state, { status: 'exhausted', limit, reason });
}

// --- internal ---

/** True if `more` exceeds the limit, and the limit holds. */
function exceeds(
  state: RunState,
  limit: LimitName,
  used: number,
  more: number,
  max: number | undefined,
  entry: PhaseState,
  made = false,
): boolean {
  return max !== undefined && used + more > max && reachLimit(state, limit, used, max, { phase: entry, made });
}
