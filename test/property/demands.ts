/**
 * The property that no demand for changes is lost, and none of its issues.
 *
 * @module
 */
import type { EventOf } from '../../src/model/events/event.ts';
import type { RunEvent } from '../../src/records.ts';
import type { GateSpec, Scenario } from '../reference/scenario.ts';
import type { Moment } from './timeline.ts';

/** Checks that a requester starts again only after each target has received its demand, and has committed. */
export function demands(moments: readonly Moment[]): string[] {
  return moments.flatMap(({ event, seq }, index) => {
    if (event.type !== 'phase.retrying' && event.type !== 'phase.rewinding') return [];
    const later = moments.slice(index + 1).map((one) => one.event);
    const back = later.findIndex((one) => one.type === 'phase.started' && one.phase === event.phase);
    const until = back === -1 ? later : later.slice(0, back + 1);
    if (event.type === 'phase.retrying') {
      const isKept =
        back === -1 ||
        isToldIn(until, event.phase, event.correction.feedback) ||
        until.some((one) => isUpset(one, event.phase));
      return isKept ? [] : [`"${event.correction.feedback}" of ${event.phase} at ${seq} is lost`];
    }
    const asked = [{ phase: event.target, correction: event.correction }, ...(event.riders ?? [])];
    return asked.flatMap(({ phase, correction }) => {
      const problem = brokenDemand(event, phase, correction.feedback, until, back !== -1);
      return problem === null ? [] : [`"${correction.feedback}" of ${event.phase} at ${seq} ${problem}`];
    });
  });
}

/** Checks that every issue of a demand reaches its phase, or that the records explain the omission. */
export function issues(
  scenario: Scenario,
  moments: readonly Moment[],
  above: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  const sentBack = new Map<string, number>();
  return moments.flatMap(({ event: decided, seq }, index) => {
    if (decided.type === 'phase.rewinding' && decided.by !== 'person') {
      for (const target of sentBackBy(decided, above)) {
        const pair = `${decided.phase} -> ${target}`;
        sentBack.set(pair, (sentBack.get(pair) ?? 0) + 1);
      }
    }
    if (decided.type !== 'review.decided' || !('issues' in decided.verdict)) return [];
    const { phase, verdict } = decided;
    if (verdict.type !== 'retry' && verdict.type !== 'retryPredecessor') return [];
    const follows = moments
      .slice(index + 1)
      .map((one) => one.event)
      .find(({ type }) => type !== 'phase.warned' && type !== 'loop.detected');
    if (follows?.type !== 'phase.retrying' && follows?.type !== 'phase.rewinding') {
      return follows && ANSWERS.has(follows.type) ? [] : [`issues of ${phase} at ${seq} lead to ${follows?.type}`];
    }
    const riders = follows.type === 'phase.rewinding' ? (follows.riders ?? []) : [];
    const told = [follows.correction, ...riders.map((one) => one.correction)].flatMap((one) => one.issues ?? []);
    const max = Math.min(
      numberOf(gateOf(scenario, phase)?.maxPredecessorRetries, 2),
      scenario.limits.perPair ?? Infinity,
    );
    const lost = verdict.issues?.filter(
      ({ id, affectedPhase = phase }) =>
        !told.some((one) => one.id === id && (one.affectedPhase ?? phase) === affectedPhase) &&
        (sentBack.get(`${phase} -> ${affectedPhase}`) ?? 0) < max,
    );
    return (lost ?? []).map(({ id }) => `issue ${id} of ${phase} at ${seq} is told to nobody`);
  });
}

/** Returns the phases that a rewind sends back: its target, and riders that would not run again anyway. */
export function sentBackBy(
  { phase, target, riders = [] }: EventOf<'phase.rewinding'>,
  above: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  const apart = riders.filter((one) => one.phase !== phase && !above.get(one.phase)?.has(target));
  return [target, ...apart.map((one) => one.phase)];
}

/** Returns the gate of a phase. */
export function gateOf({ phases }: Scenario, name: string): GateSpec | null {
  return phases.find((spec) => spec.name === name)?.gate ?? null;
}

/** Converts a count of a policy to a number. */
export function numberOf(count: number | 'unlimited' | undefined, fallback: number): number {
  return count === 'unlimited' ? Infinity : (count ?? fallback);
}

// --- internal ---

/**
 * Returns the problem of a demand on one phase. The events in `until` end with the next start of the requester, if
 * `isBack`.
 */
function brokenDemand(
  demand: EventOf<'phase.rewinding'>,
  target: string,
  feedback: string,
  until: readonly RunEvent[],
  isBack: boolean,
): string | null {
  if (target === demand.phase) {
    const last = until.at(-1);
    const isKept = !isBack || (last && isTold(last, target, feedback)) || until.some((one) => isUpset(one, target));
    return isKept ? null : 'was not told to the phase itself';
  }
  const told = until.findIndex((one) => isTold(one, target, feedback));
  if (!isBack) return told !== -1 || until.some((one) => isOver(one, demand, target)) ? null : 'is lost';
  if (told === -1) return `was never told to ${target}`;
  const isDone = until.slice(told).some((one) => one.type === 'phase.approved' && one.phase === target);
  return isDone ? null : `was not answered by ${target}`;
}

/** Events that may follow a demand which is not carried out: a limit, a budget or a person. */
const ANSWERS: ReadonlySet<RunEvent['type']> = new Set([
  'limit.reached',
  'phase.approved',
  'phase.escalated',
  'phase.rejected',
]);

function isToldIn(events: readonly RunEvent[], target: string, feedback: string): boolean {
  return events.some((one) => isTold(one, target, feedback));
}

function isTold(event: RunEvent, target: string, feedback: string): boolean {
  return (
    event.type === 'phase.started' && event.phase === target && (event.revision?.feedback ?? '').includes(feedback)
  );
}

/** True if the event makes a phase start again instead of continuing its retry. */
function isUpset(event: RunEvent, phase: string): boolean {
  return (
    'phase' in event &&
    event.phase === phase &&
    (event.type === 'phase.invalidated' || event.type === 'phase.escalated')
  );
}

/** True if the demand is obsolete, as the requester or the target has ended. */
function isOver(event: RunEvent, demand: EventOf<'phase.rewinding'>, target: string): boolean {
  if (!('phase' in event) || (event.phase !== demand.phase && event.phase !== target)) return false;
  return event.type === 'phase.failed' || event.type === 'phase.rejected' || event.type === 'phase.cancelled';
}
