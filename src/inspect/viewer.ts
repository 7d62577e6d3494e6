/**
 * One viewer of inspected runs. It gets the latest of every actor, and then what happens, in order.
 *
 * A viewer that reads more slowly than things happen skips what was in between: an actor of which something could not be sent is
 * owed, and what is owed is its latest once there is room. So a viewer that never reads takes a bounded amount of memory, and
 * holds up nothing.
 *
 * @module
 */
import type { ActorInspection, ActorRegistry } from './actor-registry.ts';

/** Puts what is told into the words of an inspector. */
export interface Language {
  /**
   * Begins to talk to a viewer.
   *
   * @param say Called once for all that is told at a time, in order, at once or later.
   * @returns What takes what is told.
   */
  begin(say: (messages: readonly object[]) => void): (told: ActorInspection) => void;
}

/** Where a viewer is reached. */
export interface Channel {
  /** Sends a text. @param sent Called when there may be room for more. */
  send(text: string, sent: () => void): void;
  /** Bytes that were not taken yet. */
  readonly waiting: number;
}

/** A viewer. */
export interface Viewer {
  /** Tells of something that the cast has noted. @param dropped The actor that it does not keep any more. */
  tell(told: ActorInspection, dropped: string | undefined): void;
  /** Resolves when everything has been sent that was to be told. */
  settled(): Promise<void>;
}

/** Makes a viewer, and begins to tell it how things stand. */
export function createViewer(language: Language, registry: ActorRegistry, channel: Channel): Viewer {
  /** Actors it has to be told the latest of, with what was told last of those that the cast may not keep. */
  const owed = new Map<string, ActorInspection | undefined>(registry.ids().map((id) => [id, undefined]));
  /** Actors it knows of and does not know to have ended. */
  const known = new Set<string>();
  let inHand = 0;
  let unsent = 0;
  const waiting: (() => void)[] = [];
  const speak = language.begin((messages) => {
    inHand -= 1;
    for (const message of messages) send(JSON.stringify(message));
  });

  function send(text: string): void {
    unsent += 1;
    channel.send(text, () => {
      unsent -= 1;
      pay();
      if (isSettled()) for (const resolve of waiting.splice(0)) resolve();
    });
  }

  function isFull(): boolean {
    return inHand >= MOST_IN_HAND || channel.waiting > MOST_WAITING;
  }

  function isSettled(): boolean {
    return inHand === 0 && unsent === 0 && owed.size === 0;
  }

  function hand(told: ActorInspection): void {
    const { sessionId } = told.actorRef;
    if (told.type === '@xstate.actor') known.add(sessionId);
    if (told.type === '@xstate.snapshot' && told.snapshot.status !== 'active') known.delete(sessionId);
    inHand += 1;
    speak(told);
  }

  /** Tells what is owed as long as there is room. */
  function pay(): void {
    for (const [id, last] of owed) {
      if (isFull() || inHand >= PACE) return;
      owed.delete(id);
      const part = registry.get(id);
      if (part && !known.has(id)) hand(part.made);
      const latest = part?.latest ?? last;
      if (latest?.type === '@xstate.snapshot') hand(latest);
    }
  }

  pay();
  return {
    tell(told, dropped) {
      const { sessionId } = told.actorRef;
      if (owed.size === 0 && !isFull()) hand(told);
      else if (known.has(sessionId)) owed.set(sessionId, told.type === '@xstate.snapshot' ? told : owed.get(sessionId));
      else if (registry.get(sessionId)) owed.set(sessionId, undefined);
      if (dropped !== undefined && !known.has(dropped)) owed.delete(dropped);
    },
    settled: () => new Promise((resolve) => (isSettled() ? resolve() : waiting.push(resolve))),
  };
}

// --- internal ---

/** What is being put into words, which may happen between other things. */
const MOST_IN_HAND = 1_000;

/** How much of what is owed is put into words at a time: a viewer that comes must not hold up the run. */
const PACE = 100;

/** Bytes that wait for a viewer. */
const MOST_WAITING = 4 * 1024 * 1024;
