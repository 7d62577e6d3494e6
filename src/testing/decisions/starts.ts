/**
 * Starts of phases: the queue, the places, and the limit of attempts.
 *
 * @module
 */
import { change, open, showCheck, showLimit, showPhase, spotAt, type Draft } from './draft.ts';
import { endRun } from './ending.ts';
import { joined } from './rewind.ts';
import type { Seat } from './setting.ts';
import { heldUsage } from './state.ts';

/** Starts all phases that may, and ends a run in which nothing is left to do. */
export function startFree(draft: Draft): void {
  if (draft.ended !== null) return;
  const { seats } = draft.setting;
  const free = freePhases(draft);
  const waiting = draft.queue.filter((index) => free.includes(index));
  draft.queue = [...waiting, ...free.filter((index) => !waiting.includes(index))];
  while (!isHeld(draft) && draft.ended === null) {
    const index = draft.queue.find((one) => isPlaced(draft, one) || hasRoom(draft));
    const seat = index === undefined ? undefined : seats[index];
    if (!seat || !begin(draft, seat)) break;
  }
  endIfDone(draft);
}

/** Starts the next attempt of a phase. */
export function attempt(draft: Draft, seat: Seat): void {
  const { attempts } = spotAt(draft, seat.index);
  const { attemptsPerPhase = 0 } = draft.setting.plan.limits;
  change(draft, seat.index, {
    standing: 'working',
    attempts: Math.min(attemptsPerPhase, attempts + 1),
    hasPlace: false,
    ...FRESH,
  });
  showPhase(draft, seat, 'ran');
  open(draft, seat.name, 'attempt');
}

/** True if the limit allows no other attempt of a phase. */
export function isWornOut(draft: Draft, { index }: Seat): boolean {
  const { attemptsPerPhase = Infinity } = draft.setting.plan.limits;
  return draft.attemptsLimit !== 'lifted' && spotAt(draft, index).attempts >= attemptsPerPhase;
}

/** True while a limit holds the run. */
export function isHeld(state: Pick<Draft, 'attemptsLimit' | 'usage'>): boolean {
  return state.attemptsLimit === 'held' || state.attemptsLimit === 'expired' || heldUsage(state) !== undefined;
}

/** Lets a phase wait for a person. */
export function escalate(draft: Draft, seat: Seat): void {
  change(draft, seat.index, { standing: 'escalated', expired: false });
  open(draft, seat.name, 'question');
}

/** Handles a limit that refuses a correction: the run ends, or the phase waits for a person. */
export function reachLimit(draft: Draft, seat: Seat, limit: 'corrections' | 'perPair' | 'attemptsPerPhase'): void {
  // A limit that holds the run already is not recorded again.
  if (limit !== 'attemptsPerPhase' || !isHeld(draft)) showLimit(draft, limit);
  if (draft.setting.plan.onLimit === 'stop') endRun(draft, 'exhausted');
  else escalate(draft, seat);
}

// --- internal ---

const FRESH = { errors: 0, pending: 'all', checked: false, expired: false } as const;

/** Returns the phases that may start, in definition order: those whose ancestors are all approved. */
function freePhases({ setting: { graph, byRank }, phases }: Draft): readonly number[] {
  const isSettled = phases.map(() => false);
  const free = byRank.filter((index) => {
    const areBefore = (graph.before[index] ?? []).every((one) => isSettled[one]);
    const standing = phases[index]?.standing;
    isSettled[index] = areBefore && standing === 'approved';
    return standing === 'returning' || (areBefore && (standing === 'idle' || standing === 'rewinding'));
  });
  return free.toSorted((a, b) => a - b);
}

function isPlaced(draft: Draft, index: number): boolean {
  const { standing, hasPlace } = spotAt(draft, index);
  return standing === 'returning' && hasPlace;
}

function hasRoom(draft: Draft): boolean {
  const { room } = draft.setting;
  if (room === Infinity) return true;
  const taken = draft.phases.filter(
    ({ standing, hasPlace }) => standing === 'working' || (standing === 'returning' && hasPlace),
  );
  return taken.length < room;
}

/** Starts a queued phase. @returns False if the limit of attempts holds the run. */
function begin(draft: Draft, seat: Seat): boolean {
  const { standing } = spotAt(draft, seat.index);
  const leave = (): void => {
    draft.queue = draft.queue.filter((one) => one !== seat.index);
  };
  if (standing !== 'returning' && isWornOut(draft, seat)) {
    if (standing === 'rewinding') {
      leave();
      reachLimit(draft, seat, 'attemptsPerPhase');
      return true;
    }
    hold(draft);
    return false;
  }
  leave();
  if (standing === 'returning') attempt(draft, seat);
  else start(draft, seat);
  return true;
}

function hold(draft: Draft): void {
  showLimit(draft, 'attemptsPerPhase');
  if (draft.setting.plan.onLimit === 'stop') {
    endRun(draft, 'exhausted');
    return;
  }
  draft.attemptsLimit = 'held';
  open(draft, 'attemptsPerPhase', 'question');
}

/** Starts a phase from the present inputs. */
function start(draft: Draft, seat: Seat): void {
  const { told: before, untold, recent, owed } = spotAt(draft, seat.index);
  const told = joined(before, untold);
  const gated = seat.gate !== null && (told === null || told.regate);
  const baseline = gated && !owed ? (seat.gate?.baseline ?? []) : [];
  for (const check of baseline) showCheck(draft, seat, check, 'passed');
  change(draft, seat.index, {
    told,
    untold: null,
    gated,
    retries: 0,
    known: recent,
    owed: owed || baseline.length > 0,
  });
  attempt(draft, seat);
}

function endIfDone(draft: Draft): void {
  if (draft.ended !== null || draft.queue.length > 0) return;
  const is = (wanted: string): boolean => draft.phases.some(({ standing }) => standing === wanted);
  if (is('working') || is('escalated')) return;
  endRun(draft, is('failed') ? 'failed' : is('rejected') ? 'rejected' : 'completed');
}
