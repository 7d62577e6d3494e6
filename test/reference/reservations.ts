/**
 * Tries with an estimate, which begin when it fits (rule 21).
 *
 * @module
 */
import { sayUsed, type Bid } from './charge.ts';
import { holdRun } from './limits.ts';
import { at, type Phase, type World } from './world.ts';

/** Begins a try once its estimate fits. */
export function ask(
  world: World,
  who: Pick<Bid, 'phase' | 'task' | 'reviewer' | 'most'>,
  isVoid: () => boolean,
  begin: (bid: Bid) => void,
): void {
  const { phase, most = 0 } = who;
  const bid: Bid = { ...who, life: phase.life, at: at(phase), tokens: most, said: false, isVoid, begin };
  if (world.scenario.limits.tokens === undefined) return start(world, bid);
  if (who.most !== undefined) {
    world.bids.push(bid);
    return serve(world);
  }
  if (isHeld(world)) world.bids.push(bid);
  else if (isUsedUp(world)) {
    refuse(world, bid);
    if (isHeld(world)) world.bids.push(bid);
  } else start(world, bid);
}

/** Ends a try. It is charged its estimate if it has not reported its usage. */
export function giveBack(world: World, bid: Bid): void {
  charge(world, bid);
  if (world.promised.delete(bid)) world.looks = true;
}

/** Stops the other tries of a failed attempt: each is charged before the attempt ends. */
export function stopSiblings(world: World, phase: Phase): void {
  for (const bid of world.promised) if (bid.phase === phase && bid.life === phase.life) giveBack(world, bid);
}

/** Charges the tries of stopped phases late, once they have ended. */
export function settleStopped(world: World): void {
  if (world.ended !== undefined) return;
  for (const bid of world.promised) {
    if (isAlive(bid)) continue;
    sayUsed(world, bid, true);
    world.promised.delete(bid);
    world.looks = true;
  }
  look(world);
}

/** Checks waiting tries if another one has ended since, or its attempt has. */
export function look(world: World): void {
  if (world.looks || world.bids.some((bid) => !isAlive(bid))) serve(world);
}

// --- internal ---

/** Begins tries in the order of their requests. */
function serve(world: World): void {
  const max = world.scenario.limits.tokens ?? Infinity;
  world.looks = false;
  for (;;) {
    world.bids = world.bids.filter(isAlive);
    const [first] = world.bids;
    if (!first || isHeld(world)) return;
    const wants = world.lifted.has('tokens') ? -Infinity : first.tokens;
    if (isUsedUp(world) || world.tokens + wants > max) return refuse(world, first);
    const promised = [...world.promised].reduce((sum, one) => sum + one.tokens, 0);
    if (first.most !== undefined && world.tokens + promised + wants > max) return;
    world.bids.shift();
    start(world, first);
  }
}

function start(world: World, bid: Bid): void {
  world.promised.add(bid);
  bid.begin(bid);
}

function refuse(world: World, { task }: Bid): void {
  holdRun(world, 'tokens', world.tokens, world.scenario.limits.tokens ?? 0, task);
}

function isUsedUp(world: World): boolean {
  return !world.lifted.has('tokens') && world.tokens >= (world.scenario.limits.tokens ?? Infinity);
}

function isHeld(world: World): boolean {
  return world.ended !== undefined || world.held.has('tokens');
}

function charge(world: World, bid: Bid): void {
  if (!sayUsed(world, bid, false)) return;
  const max = world.scenario.limits.tokens ?? Infinity;
  if (world.tokens > max) holdRun(world, 'tokens', world.tokens, max);
}

function isAlive({ phase, life, isVoid }: Bid): boolean {
  return phase.life === life && !isVoid();
}
