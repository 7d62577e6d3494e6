/**
 * Items that wait for people, and their deadlines (rules 28 and 34).
 *
 * @module
 */
import type { InboxPolicy } from '../../src/index.ts';
import { at, say, type Phase, type World } from './world.ts';

/** The author of a decision: a person of the scenario, or the clock. */
export const PERSON = 'ada';
export const CLOCK = 'the clock';

/** An item that waits for a person. */
export interface Item {
  /** Returns true while an answer counts. */
  readonly isOpen: () => boolean;
  readonly close: () => void;
}

/** The subject of an item, and its lifetime. */
export interface Opening {
  /** A phase, a limit, or `phase/task` or `phase?reviewer` for a person as one. */
  readonly about: string;
  readonly policy: InboxPolicy | undefined;
  readonly isVoid: () => boolean;
  /** Runs if the item is rejected at its deadline. */
  readonly overdue: () => void;
}

/** Opens an item for a person. */
export function openItem(world: World, { about, policy = {}, isVoid, overdue }: Opening): Item {
  let isClosed = false;
  const item: Item = {
    isOpen: () => !isClosed && world.ended === undefined && !isVoid(),
    close: () => (isClosed = true),
  };
  const { remindAfterMs, raiseAfterMs, expireAfterMs, severity = 'normal', onExpiry = 'stay' } = policy;
  const due = (ms: number | undefined, act: () => void): void => {
    if (ms !== undefined) world.agenda.after(ms, () => item.isOpen() && act());
  };
  const change = (kind: string, more: object = {}): void =>
    say(world, 'item.changed', '', { item: about, change: kind, ...more });
  due(remindAfterMs, () => change('reminded'));
  due(raiseAfterMs, () => change('raised', { severity: severity === 'normal' ? 'high' : 'urgent' }));
  due(expireAfterMs, () => {
    change('expired', typeof onExpiry === 'object' ? { queue: onExpiry.queue } : {});
    if (onExpiry !== 'reject') return;
    item.close();
    overdue();
  });
  return item;
}

/** Lets a person answer after a delay, unless the item is closed by then. */
export function answerLater(world: World, item: Item, delay: number, act: () => void): void {
  world.agenda.after(delay, () => {
    if (!item.isOpen()) return;
    item.close();
    act();
  });
}

/** A question to a person as a task or a reviewer. */
export interface Question {
  readonly phase: Phase;
  readonly name: string;
  readonly reviewer: boolean;
  readonly policy: InboxPolicy | undefined;
  readonly isVoid: () => boolean;
}

/** Asks a person after everything else of this moment has happened, as work begins then (rules 29 and 34). */
export function askSoon(
  world: World,
  { phase, name, reviewer, policy, isVoid }: Question,
  delay: number,
  then: { readonly answered: () => void; readonly overdue: () => void },
): void {
  const { life } = phase;
  const isOver = (): boolean => isVoid() || phase.life !== life;
  world.begin.push(() => {
    if (isOver()) return;
    const where = { ...at(phase), task: name, reviewer };
    say(world, 'task.asked', phase.name, where);
    phase.isSeenByPerson = true;
    const about = `${phase.name}${reviewer ? '?' : '/'}${name}`;
    const item = openItem(world, { about, policy, isVoid: isOver, overdue: then.overdue });
    answerLater(world, item, delay, () => {
      say(world, 'task.answered', phase.name, { ...where, who: PERSON });
      then.answered();
    });
  });
}
