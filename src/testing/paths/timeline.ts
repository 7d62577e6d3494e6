/**
 * Virtual times of the decisions of a path. They keep the order in which the model decides, also of phases that work side by side.
 *
 * @module
 */
import type { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { backoffMs } from '../../model/plan/backoff.ts';
import type { Act } from '../decisions/decision.ts';
import type { Begun, Step } from '../decisions/draft.ts';
import { unknownPart } from './refused.ts';
import { seatNamed, type Setting } from '../decisions/setting.ts';
import type { PathState } from '../decisions/state.ts';

/** One decision of a path, with its step. */
export interface Move {
  readonly act: Act;
  readonly step: Step;
}

/** Milliseconds between two decisions, if nothing waits longer. */
const BEAT = 1;

/** Times of a path. */
export interface Timeline {
  /** Milliseconds from the start of the run to each decision. */
  readonly times: readonly number[];
  /** The time at which work that a step has begun begins, which may be after a wait. @param nth The step; -1 is the start. */
  readonly begins: (nth: number, begun: Begun) => number;
}

/** Computes the times of a path. */
export function timelineOf(setting: Setting, start: Step, moves: readonly Move[]): Timeline {
  const waits = moves.map(({ act, step }) => waitAfter(setting, act, step));
  // A wait with jitter is shorter by an unknown time. The beat makes up for all of them.
  const beat = BEAT + waits.reduce((sum, { isExact, ms }) => sum + (isExact ? 0 : ms), 0);
  const times: number[] = [];
  const opened = new Map(start.begun.map(({ about }) => [about, 0]));
  const begins = (nth: number, { type }: Begun): number =>
    (times[nth] ?? 0) + (type === 'review' ? (waits[nth]?.ms ?? 0) : 0);
  let earliest = beat;
  moves.forEach(({ act, step }, nth) => {
    const { state } = moves[nth - 1]?.step ?? start;
    const time = act.decision === 'expire' ? expiryOf(setting, state, act, opened, earliest) : earliest;
    times.push(time);
    for (const one of step.begun) opened.set(one.about, begins(nth, one));
    earliest = time + (waits[nth]?.ms ?? 0) + beat;
  });
  return { times, begins };
}

/** Returns the milliseconds after which a question about a phase or a limit expires; `undefined` if none does. */
export function expiryAfter(setting: Setting, { phases }: PathState, about: string): number | undefined {
  const seat = seatNamed(setting, about);
  if (!seat) return setting.plan.inbox?.expireAfterMs;
  const spot = phases[seat.index];
  if (spot?.standing === 'escalated') return seat.gate?.plan.inbox.expireAfterMs;
  const { pending = 'mute' } = spot ?? {};
  const deciders = pending === 'mute' ? [] : (seat.gate?.deciders ?? []);
  const asked = pending === 'deciders' ? deciders : [...deciders, seat.gate?.mute];
  const times = asked.flatMap((one) => one?.question?.expireAfterMs ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** The error for a question that expires while the path does not want it. */
export function tooEarly({ plan }: Setting, about: string, ms: number): PhasegateError {
  return unknownPart(
    plan.name,
    `the question about "${about}" expires after ${ms} ms, while others still decide`,
    "Give it more time with expireAfterMs, or leave 'expire' out of decisions.",
  );
}

// --- internal ---

interface Wait {
  readonly ms: number;
  readonly isExact: boolean;
}

/** Returns the wait before a review that is asked again. */
function waitAfter(setting: Setting, { about }: Act, { state, begun }: Step): Wait {
  const seat = begun.some(({ type }) => type === 'review') ? seatNamed(setting, about) : undefined;
  if (!seat?.gate) return { ms: 0, isExact: true };
  const { reviewBackoff, maxReviewErrors } = seat.gate.plan;
  const { jitter = false, max = 60_000 } = reviewBackoff;
  // Without a bound the model does not count the times.
  if (maxReviewErrors === 'unlimited') return { ms: max, isExact: false };
  const ms = backoffMs({ ...reviewBackoff, jitter: false }, state.phases[seat.index]?.errors ?? 1, []);
  return { ms, isExact: !jitter };
}

function expiryOf(
  setting: Setting,
  state: PathState,
  { about }: Act,
  opened: ReadonlyMap<string, number>,
  earliest: number,
): number {
  const after = expiryAfter(setting, state, about) ?? 0;
  const time = (opened.get(about) ?? 0) + after;
  if (time >= earliest) return time;
  throw tooEarly(setting, about, after);
}
