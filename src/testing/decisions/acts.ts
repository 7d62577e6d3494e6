/**
 * The decisions that are possible in a state. One phase, or one limit, decides at a time, in a fixed order.
 *
 * @module
 */
import type { Act, DecisionKind } from './decision.ts';
import { seatNamed, type GateFacts, type Seat, type Setting } from './setting.ts';
import { isHeld } from './starts.ts';
import { heldUsage, type PathState, type PhaseSpot } from './state.ts';

/** Returns the phase or the limit that decides next; `undefined` if the run has ended. */
export function nextToDecide({ seats, order }: Setting, state: PathState): string | undefined {
  if (state.ended !== null) return undefined;
  const usage = heldUsage(state);
  if (usage) return usage.limit;
  const open = order.flatMap((index) => {
    const [seat, spot] = [seats[index], state.phases[index]];
    return seat && spot && isOpen(spot) ? [{ seat, spot }] : [];
  });
  // A question that may expire is decided last: then its time is over while nobody else works.
  const next = open.find(({ seat, spot }) => !mayExpire(seat, spot)) ?? open[0];
  return next?.seat.name ?? (isHeld(state) ? 'attemptsPerPhase' : undefined);
}

/** Lists the decisions that are possible now. The first one is plain. */
export function actsOf(setting: Setting, state: PathState, about: string): readonly Act[] {
  const { kinds } = setting;
  const isAlone = state.phases.filter(isOpen).length <= 1;
  return possible(setting, state, about).filter(({ decision }, index) => {
    if ((decision === 'expire' || decision === 'spentLimit') && !isAlone) return false;
    return index === 0 || decision === 'done' || kinds.has(decision);
  });
}

// --- internal ---

function isOpen({ standing }: PhaseSpot): boolean {
  return standing === 'working' || standing === 'escalated';
}

function mayExpire({ gate, machine, tasks }: Seat, { standing, expired, gated, pending }: PhaseSpot): boolean {
  if (expired) return false;
  if (standing === 'escalated') return gate?.plan.inbox.expireAfterMs !== undefined;
  if (!gated) return !machine && tasks.some(({ question }) => question?.expireAfterMs !== undefined);
  if (!gate) return false;
  if (pending === 'deciders') return gate.deciders.some(({ question }) => question?.expireAfterMs !== undefined);
  return gate.deciders.some(({ question }) => question?.expireAfterMs !== undefined) || gate.mute !== undefined;
}

function possible(setting: Setting, state: PathState, about: string): readonly Act[] {
  const act = (by: Act['by'], decision: DecisionKind, more: ActDetails = {}): Act => ({
    about,
    by,
    decision,
    ...more,
  });
  const seat = seatNamed(setting, about);
  if (!seat) {
    const hold = about === 'attemptsPerPhase' ? state.attemptsLimit : state.usage?.hold;
    const expires = hold === 'held' && setting.plan.inbox?.expireAfterMs !== undefined;
    return [
      act('person', 'approve'),
      act('person', 'reject'),
      act('person', 'abort'),
      ...(expires ? [act('clock', 'expire')] : []),
    ];
  }
  const spot = state.phases[seat.index];
  if (!spot) return [];
  if (spot.standing === 'escalated') return ofPerson(setting, seat, spot, act);
  const isFresh = seat.machine && spot.errors === 0 && spot.pending === 'all';
  const byTask = isFresh ? [act('task', 'failedTask'), ...ofUsage(setting, state, seat, spot, act)] : [];
  if (!seat.gate || !spot.gated) return [{ about, by: 'task', decision: 'done' }, ...byTask];
  return [...ofGate(seat.gate, spot, act), ...byTask];
}

type MakeAct = (by: Act['by'], decision: DecisionKind, more?: ActDetails) => Act;

type ActDetails = Pick<Act, 'target' | 'check' | 'limit'>;

/** One limit is spent in a path. */
function ofUsage(
  { plan }: Setting,
  state: PathState,
  { spends }: Seat,
  { gated }: PhaseSpot,
  act: MakeAct,
): readonly Act[] {
  if (state.usage || isHeld(state) || (plan.onLimit === 'escalate' && !gated)) return [];
  return spends.map((limit) => act('task', 'spentLimit', { limit }));
}

function ofPerson({ seats }: Setting, { above, gate }: Seat, { expired }: PhaseSpot, act: MakeAct): readonly Act[] {
  const targets = seats.filter(({ index }) => above.has(index));
  const expires = !expired && gate?.plan.inbox.expireAfterMs !== undefined;
  return [
    act('person', 'approve'),
    act('person', 'retry'),
    ...targets.map(({ name: target }) => act('person', 'retryPredecessor', { target })),
    act('person', 'reject'),
    act('person', 'skip'),
    act('person', 'abort'),
    ...(expires ? [act('clock', 'expire')] : []),
  ];
}

function ofGate(gate: GateFacts, { pending, checked }: PhaseSpot, act: MakeAct): readonly Act[] {
  const { plan, deciders, breaker, mute } = gate;
  const isFallible = gate.isFallible && pending !== 'mute';
  const areChecksNext = !checked && pending === 'all';
  const breaks = breaker !== undefined && areChecksNext;
  const byReviewer =
    deciders.length === 0
      ? []
      : [
          act('gate', 'retry'),
          ...plan.targets.map((target) => act('gate', 'retryPredecessor', { target })),
          act('gate', 'reject'),
        ];
  const expires = mute && pending === 'all';
  return [
    act('gate', 'approve'),
    ...(isFallible ? [act('gate', 'unreadable')] : []),
    ...(gate.mayBeUnsure && pending !== 'mute' ? [act('gate', 'unsure')] : []),
    ...(isFallible || breaks ? [act('gate', 'reviewError')] : []),
    ...(areChecksNext ? plan.checks.map((check) => act('gate', 'failedCheck', { check })) : []),
    ...byReviewer,
    ...(deciders.length > 0 ? [act('gate', 'escalate')] : []),
    ...(expires ? [act('clock', 'expire')] : []),
  ];
}
