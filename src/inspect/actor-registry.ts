/**
 * The actors of inspected runs, each with the latest that is known of it, for viewers that come late.
 *
 * @module
 */
import type { ActorRefLike, InspectionEvent } from 'xstate';

/** What XState tells of actors, as far as viewers see it. */
export type ActorInspection = Extract<
  InspectionEvent,
  { readonly type: '@xstate.actor' | '@xstate.event' | '@xstate.snapshot' }
>;

/** The latest of one actor: that it is there, and how it stands. */
export interface KnownActor {
  readonly made: ActorInspection;
  readonly latest: ActorInspection | undefined;
}

/** The actors that are known. */
export interface ActorRegistry {
  /** Takes note of what is told. @returns The session id of the actor that is not kept any more, where that is so of one. */
  note(told: ActorInspection): string | undefined;
  /** The latest of an actor; `undefined` where it is not known any more. */
  get(sessionId: string): KnownActor | undefined;
  /** The session ids of all of them, in the order in which they were made. */
  ids(): readonly string[];
}

/** Narrows to what viewers see: microsteps and actions are not among it. */
export function isTold(event: InspectionEvent): event is ActorInspection {
  return event.type === '@xstate.actor' || event.type === '@xstate.event' || event.type === '@xstate.snapshot';
}

/**
 * A cast that keeps every actor that lives. Of those that have ended it keeps the latest statecharts, so that whoever comes late
 * sees how a run went, and nothing of their work: a phase makes two such actors with each attempt.
 *
 * @param most How many that have ended it keeps.
 */
export function createCast(most: number): ActorRegistry {
  const parts = new Map<string, KnownActor>();
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
    note(told) {
      const { sessionId } = told.actorRef;
      if (told.type === '@xstate.actor') parts.set(sessionId, { made: told, latest: undefined });
      const part = parts.get(sessionId);
      if (told.type !== '@xstate.snapshot' || !part) return undefined;
      parts.set(sessionId, { ...part, latest: told });
      const dropped = told.snapshot.status === 'active' ? undefined : end(told.actorRef);
      if (dropped !== undefined) parts.delete(dropped);
      return dropped;
    },
    get: (sessionId) => parts.get(sessionId),
    ids: () => [...parts.keys()],
  };
}

// --- internal ---

/** Whether it is a statechart, and not just work. */
function hasChart(actor: ActorRefLike): boolean {
  const logic: unknown = Reflect.get(actor, 'logic');
  return typeof logic === 'object' && logic !== null && typeof Reflect.get(logic, 'config') === 'object';
}
