/**
 * One viewer of inspected runs. It gets the latest of every actor, and then what happens, in order.
 *
 * A viewer that reads more slowly than things happen skips what was in between: an actor of which something could not be sent is
 * owed, and what is owed is its latest once there is room. So a viewer that never reads takes a bounded amount of memory, and
 * holds up nothing.
 *
 * @module
 */
import type { ActorRefLike, AnyEventObject, Snapshot } from 'xstate';
import type { Cast, Told } from './cast.ts';
import { shown, shownWithoutPlan } from './shown.ts';
import type { StatelyInspect } from './stately.ts';

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
  tell(told: Told, dropped: string | undefined): void;
  /** Resolves when everything has been sent that was to be told. */
  settled(): Promise<void>;
}

/** Makes a viewer, and begins to tell it how things stand. */
export function createViewer({ createInspector }: StatelyInspect, cast: Cast, channel: Channel): Viewer {
  /** Actors it has to be told the latest of, with what was told last of those that the cast may not keep. */
  const owed = new Map<string, Told | undefined>(cast.ids().map((id) => [id, undefined]));
  /** Actors it knows of and does not know to have ended. */
  const known = new Set<string>();
  let inHand = 0;
  let unsent = 0;
  const waiting: (() => void)[] = [];
  const stately = createInspector({
    send(event) {
      inHand -= 1;
      unsent += 1;
      channel.send(JSON.stringify(event), () => {
        unsent -= 1;
        pay();
        if (isSettled()) for (const resolve of waiting.splice(0)) resolve();
      });
    },
  });

  function isFull(): boolean {
    return inHand >= MOST_IN_HAND || channel.waiting > MOST_WAITING;
  }

  function isSettled(): boolean {
    return inHand === 0 && unsent === 0 && owed.size === 0;
  }

  function hand(told: Told): void {
    const { sessionId } = told.actorRef;
    if (told.type === '@xstate.actor') known.add(sessionId);
    if (told.type === '@xstate.snapshot' && told.snapshot.status !== 'active') known.delete(sessionId);
    inHand += 1;
    stately.inspect.next?.(asShown(told));
  }

  /** Tells what is owed as long as there is room. */
  function pay(): void {
    for (const [id, last] of owed) {
      if (isFull()) return;
      owed.delete(id);
      const part = cast.get(id);
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
      else if (cast.get(sessionId)) owed.set(sessionId, undefined);
      if (dropped !== undefined && !known.has(dropped)) owed.delete(dropped);
    },
    settled: () => new Promise((resolve) => (isSettled() ? resolve() : waiting.push(resolve))),
  };
}

// --- internal ---

/** Messages that are being put into the words of the inspector, which it does between other things. */
const MOST_IN_HAND = 1_000;

/** Bytes that wait for a viewer. */
const MOST_WAITING = 4 * 1024 * 1024;

/** What is told, without what is too large or too secret to be sent; taken now, as it is told a moment later. */
function asShown(told: Told): Told {
  switch (told.type) {
    case '@xstate.actor':
      // How it stands is said by its first snapshot; it would be that of the moment at which this is sent.
      return { ...told, actorRef: new Proxy(told.actorRef, WITHOUT_SNAPSHOT) };
    case '@xstate.event':
      return { ...told, event: shownEvent(told.event) };
    case '@xstate.snapshot': {
      const snapshot = shownWithoutPlan(told.snapshot, 'context');
      return { ...told, event: shownEvent(told.event), snapshot: isSnapshot(snapshot) ? snapshot : ACTIVE };
    }
  }
}

const ACTIVE: Snapshot<unknown> = { status: 'active', output: undefined, error: undefined };

/** An actor that always says that it is active. */
const WITHOUT_SNAPSHOT: ProxyHandler<ActorRefLike> = {
  get: (actor, name): unknown => (name === 'getSnapshot' ? () => ACTIVE : Reflect.get(actor, name)),
};

function shownEvent(event: AnyEventObject): AnyEventObject {
  const plain = event.type === 'xstate.init' ? shownWithoutPlan(event, 'input') : shown(event);
  return typeof plain === 'object' ? { ...plain, type: event.type } : event;
}

function isSnapshot(value: unknown): value is Snapshot<unknown> {
  return typeof value === 'object' && value !== null && 'status' in value;
}
