/**
 * Limits of a whole run: what is used, and what follows when a limit is spent.
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

/** What else there is to say of a limit. */
export interface LimitDetails {
  /** The live phase that waits for the pipeline's word, if the limit stops just that. */
  readonly phase?: PhaseState | undefined;
  /** Whether the correction that the phase waits on was made already. @default false */
  readonly made?: boolean | undefined;
  /** The try that does not begin because of it. */
  readonly refused?: EventOf<'limit.reached'>['refused'];
}

/** Adds reported usage, and checks it against the limits. */
export function countUsage(state: RunState, report: EventOf<'task.reported'>): void {
  addUsage(state, report);
  for (const name of ['tokens', 'costUsd'] as const) {
    const max = state.plan.limits[name];
    if (max !== undefined && isOver(state.usage[name], max)) reachLimit(state, name, state.usage[name], max);
  }
}

/** Adds reported usage, and lets what is at work go on. */
export function addUsage(state: RunState, { tokens = 0, costUsd = 0 }: EventOf<'task.reported'>): void {
  state.usage.tokens += tokens;
  state.usage.costUsd += costUsd;
}

/**
 * Counts one correction, of which a phase is about to be the cause.
 *
 * @param spent How often the phase has sent back its target, this time included; `undefined` where it retries itself.
 * @param told How many phases are told to correct something.
 * @returns Whether the limits allow it. A person's corrections are counted, and always allowed.
 */
export function countCorrection(
  state: RunState,
  entry: PhaseState,
  spent: number | undefined,
  byPerson: boolean,
  told = 1,
): boolean {
  const { corrections, perPair } = state.plan.limits;
  const made = state.usage.corrections;
  if (!byPerson) {
    if (exceeds(state, 'corrections', made, told, corrections, entry)) return false;
    if (spent !== undefined && exceeds(state, 'perPair', spent - 1, 1, perPair, entry)) return false;
    if (spent === undefined && !mayAttempt(state, entry, false)) return false;
  }
  state.usage.corrections = made + told;
  return true;
}

/**
 * Whether the limits allow another attempt of a phase.
 *
 * @param made Whether the correction that the attempt follows was made already, so that what it spent stays spent.
 */
export function mayAttempt(state: RunState, entry: PhaseState, made: boolean): boolean {
  return !exceeds(state, 'attemptsPerPhase', entry.attempts, 1, state.plan.limits.attemptsPerPhase, entry, made);
}

/**
 * A limit is spent: the run ends, or it is held for a person - one phase of it, where the limit stops just that phase.
 *
 * @returns Whether the limit holds; false where a person has lifted it.
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
    // What it wanted of itself when it starts again is left to the person: it goes on without, or not at all.
    if (made) {
      const isOwn = ({ correction }: RewindRequest) => correction.from === holds.phase.name;
      holds.deferredRequests = [...holds.deferredRequests, ...holds.pendingRequests.filter(isOwn)];
      holds.pendingRequests = holds.pendingRequests.filter((one) => !isOwn(one));
    }
    holds.actor?.send({ type: 'hold', reason, made });
  } else {
    if (!state.blockingLimits.includes(limit)) state.blockingLimits.push(limit);
    // It stays first in line.
    if (phase) enqueueFirst(state, phase);
  }
  return true;
}

/** A person lifts a limit that holds the run. */
export function liftLimit(state: RunState, limit: LimitName, who?: string): void {
  const at = state.blockingLimits.indexOf(limit);
  if (at === -1) return;
  state.blockingLimits.splice(at, 1);
  state.liftedLimits.push(limit);
  state.outbox.push({ type: 'limit.lifted', limit, ...(who !== undefined && { who }) });
  state.quota?.recheck();
}

/** A person does not lift a limit that holds the run, or nobody has in time. */
export function refuseToLift(state: RunState, limit: LimitName, reason: string): void {
  endRun(state, { status: 'exhausted', limit, reason });
}

// --- internal ---

/** Whether so many more are too many, and the limit holds. */
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
