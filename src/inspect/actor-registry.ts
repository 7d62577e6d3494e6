/**
 * The actors of inspected runs with their latest snapshots, for viewers that connect late.
 *
 * @module
 */
import type { ActorRefLike, InspectionEvent } from 'xstate';

/** The inspection events of XState that viewers see. */
export type ActorInspection = Extract<
  InspectionEvent,
  { readonly type: '@xstate.actor' | '@xstate.event' | '@xstate.snapshot' }
>;

/** An actor, and its latest snapshot if it has one. */
export interface KnownActor {
  readonly made: ActorInspection;
  readonly latest: ActorInspection | undefined;
}

/** The actors of inspected runs. */
export interface ActorRegistry {
  /** Records an event. @returns The session id of the actor that was dropped for it, if there is one. */
  record(event: ActorInspection): string | undefined;
  /** Reads an actor; `undefined` if it is unknown or was dropped. */
  get(sessionId: string): KnownActor | undefined;
  /** The session ids of all actors, in the order of their creation. */
  ids(): readonly string[];
}

/** Narrows to the events that viewers see. Microsteps and actions are not among them. */
export function isActorInspection(event: InspectionEvent): event is ActorInspection {
  return event.type === '@xstate.actor' || event.type === '@xstate.event' || event.type === '@xstate.snapshot';
}

/**
 * Creates a registry of all living actors. Of ended actors it holds the latest statecharts, so that a late viewer can see how the
 * run went. It drops ended actors without a statechart, of which an application may have very many.
 *
 * @param most The number of ended actors to hold.
 */
export function createActorRegistry(most: number): ActorRegistry {
  const actors = new Map<string, KnownActor>();
  const ended = new Set<string>();

  function end(actor: ActorRefLike): string | undefined {
    if (!hasChart(actor)) return actor.sessionId;
    ended.add(actor.sessionId);
    if (ended.size <= most) return undefined;
    const [oldest = ''] = ended;
    ended.delete(oldest);
    return oldest;
  }

  return {
    record(event) {
      const { sessionId } = event.actorRef;
      if (event.type === '@xstate.actor') actors.set(sessionId, { made: event, latest: undefined });
      const known = actors.get(sessionId);
      if (event.type !== '@xstate.snapshot' || !known) return undefined;
      actors.set(sessionId, { ...known, latest: event });
      const dropped = event.snapshot.status === 'active' ? undefined : end(event.actorRef);
      if (dropped !== undefined) actors.delete(dropped);
      return dropped;
    },
    get: (sessionId) => actors.get(sessionId),
    ids: () => [...actors.keys()],
  };
}

// --- internal ---

/** True if the actor is a statechart, rather than a promise or a callback. */
function hasChart(actor: ActorRefLike): boolean {
  const logic: unknown = Reflect.get(actor, 'logic');
  return typeof logic === 'object' && logic !== null && typeof Reflect.get(logic, 'config') === 'object';
}
