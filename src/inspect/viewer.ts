/**
 * One viewer of inspected runs. It gets the latest snapshot of every actor, and then all events in order.
 *
 * A viewer that reads too slowly misses events. An actor with a missed event is marked as owed, and its latest snapshot is sent
 * when there is room. So a viewer that never reads takes bounded memory, and never blocks a run.
 *
 * @module
 */
import type { ActorInspection, ActorRegistry } from './actor-registry.ts';

/** A translation of inspection events into messages of an inspector. */
export interface Translator {
  /**
   * Starts the translation for one viewer.
   *
   * @param send Called once for each event, in order, at once or later.
   * @returns A function that takes events.
   */
  start(send: (messages: readonly object[]) => void): (event: ActorInspection) => void;
}

/** The connection to a viewer. */
export interface Channel {
  /** Sends a text. @param sent Called when there may be room for more. */
  send(text: string, sent: () => void): void;
  /** Bytes that were not sent yet. */
  readonly waiting: number;
}

/** A viewer. */
export interface Viewer {
  /** Passes on an event that the registry has recorded. @param dropped The actor that the registry has dropped for it. */
  pass(event: ActorInspection, dropped: string | undefined): void;
  /** Resolves after all pending messages were sent. */
  settled(): Promise<void>;
}

/** Creates a viewer, and begins to send it the present actors. */
export function createViewer(translator: Translator, registry: ActorRegistry, channel: Channel): Viewer {
  /** Actors whose latest snapshot the viewer lacks; with the last event of those that the registry may drop. */
  const owed = new Map<string, ActorInspection | undefined>(registry.ids().map((id) => [id, undefined]));
  /** Actors that the viewer knows, and whose end it does not know. */
  const known = new Set<string>();
  let inTranslation = 0;
  let unsent = 0;
  const waiting: (() => void)[] = [];
  const translate = translator.start((messages) => {
    inTranslation -= 1;
    for (const message of messages) send(JSON.stringify(message));
  });

  function send(text: string): void {
    unsent += 1;
    channel.send(text, () => {
      unsent -= 1;
      sendOwed();
      if (isSettled()) for (const resolve of waiting.splice(0)) resolve();
    });
  }

  function isFull(): boolean {
    return inTranslation >= MOST_IN_TRANSLATION || channel.waiting > MOST_WAITING;
  }

  function isSettled(): boolean {
    return inTranslation === 0 && unsent === 0 && owed.size === 0;
  }

  function emit(event: ActorInspection): void {
    const { sessionId } = event.actorRef;
    if (event.type === '@xstate.actor') known.add(sessionId);
    if (event.type === '@xstate.snapshot' && event.snapshot.status !== 'active') known.delete(sessionId);
    inTranslation += 1;
    translate(event);
  }

  /** Sends owed snapshots while there is room. */
  function sendOwed(): void {
    for (const [id, last] of owed) {
      if (isFull() || inTranslation >= PACE) return;
      owed.delete(id);
      const actor = registry.get(id);
      if (actor && !known.has(id)) emit(actor.made);
      const latest = actor?.latest ?? last;
      if (latest?.type === '@xstate.snapshot') emit(latest);
    }
  }

  sendOwed();
  return {
    pass(event, dropped) {
      const { sessionId } = event.actorRef;
      if (owed.size === 0 && !isFull()) emit(event);
      else if (known.has(sessionId))
        owed.set(sessionId, event.type === '@xstate.snapshot' ? event : owed.get(sessionId));
      else if (registry.get(sessionId)) owed.set(sessionId, undefined);
      if (dropped !== undefined && !known.has(dropped)) owed.delete(dropped);
    },
    settled: () => new Promise((resolve) => (isSettled() ? resolve() : waiting.push(resolve))),
  };
}

// --- internal ---

/** Events in translation, which may be asynchronous. */
const MOST_IN_TRANSLATION = 1_000;

/** Owed events that are translated at a time, so that a new viewer does not block the run. */
const PACE = 100;

/** Bytes that wait for a viewer. */
const MOST_WAITING = 4 * 1024 * 1024;
