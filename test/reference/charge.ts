/**
 * What a try is charged that ends without saying what it used (rule 21).
 *
 * @module
 */
import { say, type Phase, type World } from './world.ts';

/** One try. Whatever life of its phase it belongs to, it is void in another. */
export interface Bid {
  readonly phase: Phase;
  readonly life: number;
  /** Where in its life the phase was when it asked. */
  readonly at: { readonly g: number; readonly a: number };
  readonly task: string;
  readonly reviewer: boolean;
  /** Tokens that it says it uses at most; `undefined` where it does not say. */
  readonly most: number | undefined;
  /** Tokens that it may still use. */
  tokens: number;
  /** Whether it has said what it used. */
  said: boolean;
  /** Whether nobody waits for it any more. */
  readonly isVoid: () => boolean;
  readonly begin: (bid: Bid) => void;
}

/** Charges a try that has not said what it used as much as it was to use at most. @returns Whether it was charged. */
export function sayUsed(world: World, bid: Bid, late: boolean): boolean {
  const { phase, task, reviewer, most } = bid;
  if (bid.said || most === undefined) return false;
  bid.said = true;
  const used = { task, reviewer, tokens: most, estimated: true };
  say(world, 'task.reported', phase.name, { ...bid.at, ...used, ...(late && { late }) });
  world.tokens += most;
  return true;
}

/** The run ends: all tries are stopped. */
export function stopAll(world: World): void {
  for (const bid of world.promised) sayUsed(world, bid, true);
  world.promised.clear();
}
