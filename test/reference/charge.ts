/**
 * The charge of a try that ends without reporting its usage (rule 21).
 *
 * @module
 */
import { say, type Phase, type World } from './world.ts';

/** One try. It is void in another life of its phase. */
export interface Bid {
  readonly phase: Phase;
  readonly life: number;
  /** The generation and the attempt of the phase when the try asked. */
  readonly at: { readonly g: number; readonly a: number };
  readonly task: string;
  readonly reviewer: boolean;
  /** Its estimate in tokens; undefined if it has none. */
  readonly most: number | undefined;
  /** Tokens that it may still use. */
  tokens: number;
  /** True if it has reported its usage. */
  said: boolean;
  /** Returns true if the try is obsolete. */
  readonly isVoid: () => boolean;
  readonly begin: (bid: Bid) => void;
}

/** Charges a try its estimate if it has not reported its usage. @returns True if it was charged. */
export function sayUsed(world: World, bid: Bid, late: boolean): boolean {
  const { phase, task, reviewer, most } = bid;
  if (bid.said || most === undefined) return false;
  bid.said = true;
  const used = { task, reviewer, tokens: most, estimated: true };
  say(world, 'task.reported', phase.name, { ...bid.at, ...used, ...(late && { late }) });
  world.tokens += most;
  return true;
}

/** Stops all tries at the end of the run. */
export function stopAll(world: World): void {
  for (const bid of world.promised) sayUsed(world, bid, true);
  world.promised.clear();
}
