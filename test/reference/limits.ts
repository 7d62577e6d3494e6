/**
 * Limits of a run (rules 21 and 22).
 *
 * @module
 */
import type { LimitName } from '../../src/index.ts';
import { endRun } from './ending.ts';
import { answerLater, openItem, PERSON } from './inbox.ts';
import { at, say, type Phase, type World } from './world.ts';
import { delayOf } from './scenario.ts';

/** Adds usage. @returns False if the run has ended by it. */
export function spend(
  world: World,
  phase: Phase,
  task: string,
  reviewer: boolean,
  tokens: number,
  bid: { tokens: number; said: boolean },
): boolean {
  bid.tokens = Math.max(0, bid.tokens - tokens);
  bid.said = true;
  say(world, 'task.reported', phase.name, { ...at(phase), task, reviewer, tokens });
  world.tokens += tokens;
  const max = world.scenario.limits.tokens;
  if (max === undefined || world.tokens <= max) return true;
  return holdRun(world, 'tokens', world.tokens, max);
}

/**
 * Returns the limit that forbids a correction, if any. @param target The phase itself for a retry. @param all The
 * number of phases that are sent back at once.
 */
export function refusal(world: World, phase: Phase, target: string, all: number): LimitName | undefined {
  const { corrections, perPair } = world.scenario.limits;
  if (corrections !== undefined && world.corrections + all > corrections) return 'corrections';
  if (target === phase.name) return isWornOut(world, phase) ? 'attemptsPerPhase' : undefined;
  if (perPair === undefined) return undefined;
  return (phase.spent.get(target) ?? 0) >= perPair ? 'perPair' : undefined;
}

/** True if a phase may send back another once more, by its own budget and that of the run. */
export function isWithin(world: World, phase: Phase, target: Phase): boolean {
  const { maxPredecessorRetries: own = 2 } = phase.gate ?? {};
  const { perPair = Infinity } = world.scenario.limits;
  return (phase.spent.get(target.name) ?? 0) < Math.min(own === 'unlimited' ? Infinity : own, perPair);
}

/** True if a phase may not be attempted any more. */
export function isWornOut(world: World, phase: Phase): boolean {
  const max = world.scenario.limits.attemptsPerPhase;
  return max !== undefined && !world.lifted.has('attemptsPerPhase') && phase.attempts >= max;
}

/** Holds one phase by a limit, or ends the run. @returns True if the phase waits for a person. */
export function holdPhase(world: World, phase: Phase, limit: LimitName, target: string): boolean {
  const used = {
    corrections: world.corrections,
    perPair: phase.spent.get(target) ?? 0,
    attemptsPerPhase: phase.attempts,
  };
  const escalates = world.scenario.onLimit === 'escalate';
  // A limit that already holds the run is not recorded again.
  if (!world.held.has(limit)) {
    say(world, 'limit.reached', '', {
      limit,
      used: used[limit as keyof typeof used],
      max: world.scenario.limits[limit],
      holds: escalates ? phase.name : null,
    });
  }
  if (!escalates) endRun(world, 'exhausted', limit);
  return escalates;
}

/** Holds the whole run by a limit, and asks a person. @returns False if the run ends instead. */
export function holdRun(world: World, limit: LimitName, used: number, max: number, refused?: string): boolean {
  if (world.held.has(limit) || world.lifted.has(limit)) return true;
  say(world, 'limit.reached', '', { limit, used, max, holds: null, ...(refused !== undefined && { refused }) });
  if (world.scenario.onLimit === 'stop') {
    endRun(world, 'exhausted', limit);
    return false;
  }
  world.held.add(limit);
  const item = openItem(world, {
    about: limit,
    policy: world.scenario.inbox,
    isVoid: () => false,
    overdue: () => endRun(world, 'exhausted', limit),
  });
  answerLater(world, item, delayOf(world.scenario.seed, `person@${limit}`, 0), () => {
    if (!world.scenario.lifts) return endRun(world, 'exhausted', limit);
    world.held.delete(limit);
    world.lifted.add(limit);
    world.looks = true;
    say(world, 'limit.lifted', '', { limit, who: PERSON });
  });
  return true;
}
