/**
 * Tries that say what they use at most, and begin when it fits (rule 21).
 *
 * @module
 */
import { holdRun } from './limits.ts';
import type { Phase, World } from './world.ts';

/** One try. Whatever life of its phase it belongs to, it is void in another. */
export interface Bid {
  readonly phase: Phase;
  readonly life: number;
  readonly task: string;
  /** Tokens that it may still use. */
  tokens: number;
  /** Whether nobody waits for it any more. */
  readonly isVoid: () => boolean;
  readonly begin: (bid: Bid | undefined) => void;
}

/** Has a try begin when what it may use is there; at once where it does not say, or nothing bounds it. */
export function ask(
  world: World,
  phase: Phase,
  task: string,
  tokens: number | undefined,
  isVoid: () => boolean,
  begin: (bid: Bid | undefined) => void,
): void {
  if (tokens === undefined || world.scenario.limits.tokens === undefined) return begin(undefined);
  world.bids.push({ phase, life: phase.life, task, tokens, isVoid, begin });
  serve(world);
}

/** A try is over, or its attempt is. */
export function giveBack(world: World, bid: Bid | undefined): void {
  if (bid && world.promised.delete(bid)) world.looks = true;
}

/** Looks after tries that wait, where one has ended since, or its attempt has. */
export function look(world: World): void {
  if (world.looks || [...world.promised, ...world.bids].some((bid) => !isAlive(bid))) serve(world);
}

/** Has tries begin, the first that asked first. */
export function serve(world: World): void {
  const max = world.scenario.limits.tokens ?? Infinity;
  world.looks = false;
  for (const bid of world.promised) if (!isAlive(bid)) world.promised.delete(bid);
  for (;;) {
    world.bids = world.bids.filter(isAlive);
    const [first] = world.bids;
    if (!first || world.ended !== undefined || world.held.has('tokens')) return;
    const wants = world.lifted.has('tokens') ? -Infinity : first.tokens;
    if (world.tokens + wants > max) {
      holdRun(world, 'tokens', world.tokens, max, first.task);
      return;
    }
    const promised = [...world.promised].reduce((sum, one) => sum + one.tokens, 0);
    if (world.tokens + promised + wants > max) return;
    world.bids.shift();
    world.promised.add(first);
    first.begin(first);
  }
}

// --- internal ---

function isAlive({ phase, life, isVoid }: Bid): boolean {
  return phase.life === life && !isVoid();
}
