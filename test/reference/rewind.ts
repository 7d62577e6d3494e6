/**
 * Going back (rules 12 to 17).
 *
 * @module
 */
import { fail, lostAncestor } from './ending.ts';
import { invalidate, sendBack } from './ledger.ts';
import type { DecidedBy } from './judge.ts';
import { isAtWork, isSettled, wider, type Phase, type World } from './world.ts';

/** Sends an earlier phase back on behalf of one that waits for it from here on. */
export function rewind(world: World, requester: Phase, target: Phase, feedback: string): void {
  if (lostAncestor(requester)) return fail(world, requester, 'PREDECESSOR_FAILED');
  const reach = requester.gate?.invalidate ?? 'requester';
  requester.status = 'rewinding';
  requester.life++;
  requester.fresh = true;
  target.untold.push({ from: requester.name, feedback, regate: requester.gate?.regate ?? true, reach });
  if (isSettled(target)) sendBack(target);
  for (const between of target.below) {
    if (!between.below.has(requester)) continue;
    if (isSettled(between) || isAtWork(between)) invalidate(world, between, target.name, reach);
    else between.spread = wider(between.spread, reach);
  }
}

/** Counts a demand against what it may not exceed. */
export function countDemand(world: World, phase: Phase, target: Phase, by: DecidedBy): void {
  world.corrections++;
  const add = (counts: Map<string, number>) => counts.set(target.name, (counts.get(target.name) ?? 0) + 1);
  if (target === phase) {
    if (by !== 'person') phase.retries++;
    return;
  }
  if (by !== 'person') add(phase.spent);
}

/** Whether a phase need not pass its gate now, as whoever sent it back said. */
export function isExcused(phase: Phase): boolean {
  return phase.told.length > 0 && phase.told.every((demand) => !demand.regate);
}
