/**
 * Rewinds (rules 12 to 17, and 37).
 *
 * @module
 */
import { fail, lostAncestor } from './ending.ts';
import { invalidate, sendBack } from './ledger.ts';
import type { DecidedBy } from './judge.ts';
import { isWithin } from './limits.ts';
import type { Told } from './issues.ts';
import { isAtWork, isSettled, wider, type Phase, type Reach, type World } from './world.ts';

/** The target of a rewind, and its feedback for each phase. */
export interface Going {
  readonly target: Phase;
  readonly told: Told;
  /** Other phases that receive feedback. */
  readonly riders: readonly Rider[];
}

interface Rider {
  readonly phase: Phase;
  readonly told: Told;
  /** True if the phase would not run again without being sent back. */
  readonly isApart: boolean;
}

/**
 * Returns the riders of a demand on `target`: other phases that may be sent back once more. Feedback for forbidden
 * ones goes to the requester.
 */
export function ridersOf(
  world: World,
  requester: Phase,
  target: Phase,
  told: readonly Told[],
  by: DecidedBy,
): readonly Rider[] {
  let left: readonly string[] = [];
  const riders = told.flatMap((one) => {
    const phase = world.phases.find(({ name }) => name === one.phase);
    if (!phase) return [];
    const isApart = phase !== requester && !isBetween(phase, target, requester);
    if (isApart && by !== 'person' && !isWithin(world, requester, phase)) {
      left = [...left, ...(one.alone === undefined ? [] : [one.alone])];
      return [];
    }
    return [{ phase, told: one, isApart }];
  });
  if (left.length === 0) return riders;
  const own = riders.find(({ phase }) => phase === requester);
  const feedback = [...(own ? [own.told.feedback] : []), ...left].join('\n\n');
  const more: Rider = {
    phase: requester,
    told: { phase: requester.name, feedback, issues: own?.told.issues ?? [] },
    isApart: false,
  };
  return [...riders.filter((one) => one !== own), more];
}

/** Sends earlier phases back for a phase that waits for them from here on. */
export function rewind(world: World, requester: Phase, { target, told, riders }: Going): void {
  if (lostAncestor(requester)) return fail(world, requester, 'PREDECESSOR_FAILED');
  const { regate = true, invalidate: reach = 'requester' } = requester.gate ?? {};
  requester.status = 'rewinding';
  requester.life++;
  requester.fresh = true;
  target.untold.push({ ...told, from: requester.name, regate, reach });
  sendBackTo(world, requester, target, reach);
  for (const { phase, told: own, isApart } of riders) {
    phase.untold.push({ ...own, from: requester.name, regate: regate || !isApart, reach });
    if (isApart) sendBackTo(world, requester, phase, reach);
  }
}

/** Counts a demand against its budgets. */
export function countDemand(world: World, phase: Phase, { target, riders }: Going, by: DecidedBy): void {
  world.corrections += 1 + riders.length;
  if (by === 'person') return;
  if (target === phase) phase.retries++;
  else
    for (const one of [target, ...riders.filter(({ isApart }) => isApart).map((rider) => rider.phase)])
      spend(phase, one);
}

/** True if a phase need not pass its gate now, by the demands that sent it back. */
export function isExcused(phase: Phase): boolean {
  return phase.told.length > 0 && phase.told.every((demand) => !demand.regate);
}

// --- internal ---

function sendBackTo(world: World, requester: Phase, target: Phase, reach: Reach): void {
  if (isSettled(target)) sendBack(target);
  for (const between of target.below) {
    if (!isBetween(between, target, requester)) continue;
    if (isSettled(between) || isAtWork(between)) invalidate(world, between, target.name, reach);
    else between.spread = wider(between.spread, reach);
  }
}

function isBetween(phase: Phase, target: Phase, requester: Phase): boolean {
  return target.below.has(phase) && phase.below.has(requester);
}

function spend(phase: Phase, { name }: Phase): void {
  phase.spent.set(name, (phase.spent.get(name) ?? 0) + 1);
}
