/**
 * The adapter to the Stately package, which translates inspection events into messages of its inspector.
 *
 * @module
 */
import type { ActorRefLike, AnyEventObject, Snapshot } from 'xstate';
import { refuseMissing } from '../model/errors/phasegate-error.ts';
import type { ActorInspection } from './actor-registry.ts';
import { previewOf, shownWithoutPlan } from './snapshot-preview.ts';
import type { Translator } from './viewer.ts';

/** The used part of the package. */
export type StatelyInspect = Pick<typeof import('@statelyai/inspect'), 'createInspector'>;

/** Loads the package. @throws PhasegateError `PACKAGE_MISSING` if it is not installed. */
export async function loadStately(
  // The package is optional. The comments keep bundlers from resolving it, which would fail where it is missing.
  load: () => Promise<StatelyInspect> = () =>
    import(/* webpackIgnore: true */ /* @vite-ignore */ '@statelyai/inspect').catch(fail),
): Promise<StatelyInspect> {
  return load().catch(refuseMissing('@statelyai/inspect', 'inspect a run'));
}

/** Creates the translation into messages of the Stately inspector. */
export function statelyTranslator({ createInspector }: StatelyInspect): Translator {
  return {
    start(send) {
      const { inspect } = createInspector({ send: (message) => send([message]) });
      return (event) => inspect.next?.(asShown(event));
    },
  };
}

// --- internal ---

function fail(cause: unknown): never {
  throw cause;
}

/** Copies an event without its large or secret values. The copy is made now, as the event is sent later. */
function asShown(event: ActorInspection): ActorInspection {
  switch (event.type) {
    case '@xstate.actor':
      // The package reads the state of a new actor when it sends the event, which is too late. The first snapshot has the state.
      return { ...event, actorRef: new Proxy(event.actorRef, WITHOUT_SNAPSHOT) };
    case '@xstate.event':
      return { ...event, event: shownEvent(event.event) };
    case '@xstate.snapshot': {
      const snapshot = shownWithoutPlan(event.snapshot, 'context');
      return { ...event, event: shownEvent(event.event), snapshot: isSnapshot(snapshot) ? snapshot : ACTIVE };
    }
  }
}

const ACTIVE: Snapshot<unknown> = { status: 'active', output: undefined, error: undefined };

/** An actor that always reports an active snapshot. */
const WITHOUT_SNAPSHOT: ProxyHandler<ActorRefLike> = {
  get: (actor, name): unknown => (name === 'getSnapshot' ? () => ACTIVE : Reflect.get(actor, name)),
};

function shownEvent(event: AnyEventObject): AnyEventObject {
  const plain = event.type === 'xstate.init' ? shownWithoutPlan(event, 'input') : previewOf(event);
  return typeof plain === 'object' ? { ...plain, type: event.type } : event;
}

function isSnapshot(value: unknown): value is Snapshot<unknown> {
  return typeof value === 'object' && value !== null && 'status' in value;
}
