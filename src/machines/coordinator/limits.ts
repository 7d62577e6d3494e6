/**
 * Limits of a whole run: what is used, and what follows when a limit is spent.
 *
 * @module
 */
import type { EventOf } from '../../model/events/event.ts';
import { limitReason } from '../../model/events/limit-reason.ts';
import { isOver, type LimitName } from '../../model/plan/policy.ts';
import { enqueueFirst, type Board, type Entry } from './run-state.ts';
import { endRun } from './completion.ts';
import type { RewindRequest } from './phase-state.ts';

/** What else there is to say of a limit. */
export interface LimitDetails {
  /** The live phase that waits for the pipeline's word, if the limit stops just that. */
  readonly phase?: Entry | undefined;
  /** Whether the correction that the phase waits on was made already. @default false */
  readonly made?: boolean | undefined;
  /** The try that does not begin because of it. */
  readonly refused?: EventOf<'limit.reached'>['refused'];
}

/** Adds reported usage, and checks it against the limits. */
export function countUsage(board: Board, report: EventOf<'task.reported'>): void {
  addUsage(board, report);
  for (const name of ['tokens', 'costUsd'] as const) {
    const max = board.plan.limits[name];
    if (max !== undefined && isOver(board.used[name], max)) reachLimit(board, name, board.used[name], max);
  }
}

/** Adds reported usage, and lets what is at work go on. */
export function addUsage(board: Board, { tokens = 0, costUsd = 0 }: EventOf<'task.reported'>): void {
  board.used.tokens += tokens;
  board.used.costUsd += costUsd;
}

/**
 * Counts one correction, of which a phase is about to be the cause.
 *
 * @param spent How often the phase has sent back its target, this time included; `undefined` where it retries itself.
 * @param told How many phases are told to correct something.
 * @returns Whether the limits allow it. A person's corrections are counted, and always allowed.
 */
export function countCorrection(
  board: Board,
  entry: Entry,
  spent: number | undefined,
  byPerson: boolean,
  told = 1,
): boolean {
  const { corrections, perPair } = board.plan.limits;
  const made = board.used.corrections;
  if (!byPerson) {
    if (exceeds(board, 'corrections', made, told, corrections, entry)) return false;
    if (spent !== undefined && exceeds(board, 'perPair', spent - 1, 1, perPair, entry)) return false;
    if (spent === undefined && !mayAttempt(board, entry, false)) return false;
  }
  board.used.corrections = made + told;
  return true;
}

/**
 * Whether the limits allow another attempt of a phase.
 *
 * @param made Whether the correction that the attempt follows was made already, so that what it spent stays spent.
 */
export function mayAttempt(board: Board, entry: Entry, made: boolean): boolean {
  return !exceeds(board, 'attemptsPerPhase', entry.attempts, 1, board.plan.limits.attemptsPerPhase, entry, made);
}

/**
 * A limit is spent: the run ends, or it is held for a person - one phase of it, where the limit stops just that phase.
 *
 * @returns Whether the limit holds; false where a person has lifted it.
 */
export function reachLimit(
  board: Board,
  limit: LimitName,
  used: number,
  max: number,
  { phase, made = false, refused }: LimitDetails = {},
): boolean {
  if (board.ended) return true;
  if (board.lifted.includes(limit)) return false;
  const reason = limitReason({ limit, max, refused });
  const stops = board.plan.onLimit === 'stop';
  const holds = !stops && phase?.actor ? phase : undefined;
  if (!board.held.includes(limit)) {
    const reached = { type: 'limit.reached', limit, used, max, holds: holds?.phase.name ?? null } as const;
    board.outbox.push(refused ? { ...reached, refused } : reached);
  }
  if (stops) endRun(board, { status: 'exhausted', limit, reason });
  else if (holds) {
    holds.parked = 'escalated';
    // What it wanted of itself when it starts again is left to the person: it goes on without, or not at all.
    if (made) {
      const isOwn = ({ correction }: RewindRequest) => correction.from === holds.phase.name;
      holds.belated = [...holds.belated, ...holds.requests.filter(isOwn)];
      holds.requests = holds.requests.filter((one) => !isOwn(one));
    }
    holds.actor?.send({ type: 'hold', reason, made });
  } else {
    if (!board.held.includes(limit)) board.held.push(limit);
    // It stays first in line.
    if (phase) enqueueFirst(board, phase);
  }
  return true;
}

/** A person lifts a limit that holds the run. */
export function liftLimit(board: Board, limit: LimitName, who?: string): void {
  const at = board.held.indexOf(limit);
  if (at === -1) return;
  board.held.splice(at, 1);
  board.lifted.push(limit);
  board.outbox.push({ type: 'limit.lifted', limit, ...(who !== undefined && { who }) });
  board.till?.look();
}

/** A person does not lift a limit that holds the run, or nobody has in time. */
export function refuseToLift(board: Board, limit: LimitName, reason: string): void {
  endRun(board, { status: 'exhausted', limit, reason });
}

// --- internal ---

/** Whether so many more are too many, and the limit holds. */
function exceeds(
  board: Board,
  limit: LimitName,
  used: number,
  more: number,
  max: number | undefined,
  entry: Entry,
  made = false,
): boolean {
  return max !== undefined && used + more > max && reachLimit(board, limit, used, max, { phase: entry, made });
}
