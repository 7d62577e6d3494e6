/**
 * The package of Stately, which puts what XState tells into the words of its inspector.
 *
 * @module
 */
import type { ActorRefLike, AnyEventObject, Snapshot } from 'xstate';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { ActorInspection } from './actor-registry.ts';
import { previewOf, shownWithoutPlan } from './snapshot-preview.ts';
import type { Language } from './viewer.ts';

/** What is used of the package. */
export type StatelyInspect = Pick<typeof import('@statelyai/inspect'), 'createInspector'>;

/** Loads the package. @throws PhasegateError `PACKAGE_MISSING` where it is not installed. */
export async function loadStately(
  // Bundlers would look for it, and fail where nobody has it: it is optional.
  load: () => Promise<StatelyInspect> = () =>
    import(/* webpackIgnore: true */ /* @vite-ignore */ '@statelyai/inspect').catch(fail),
): Promise<StatelyInspect> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new PhasegateError(
      'PACKAGE_MISSING',
      'Cannot inspect a run as the package "@statelyai/inspect" is not installed',
      { hint: 'Run `npm install @statelyai/inspect`.', cause },
    );
  }
}

/** The words of the inspector of Stately. */
export function statelyLanguage({ createInspector }: StatelyInspect): Language {
  return {
    begin(say) {
      const { inspect } = createInspector({ send: (message) => say([message]) });
      return (told) => inspect.next?.(asShown(told));
    },
  };
}

// --- internal ---

function fail(cause: unknown): never {
  throw cause;
}

function isMissing(error: unknown): boolean {
  const code: unknown = Reflect.get(Object(error), 'code');
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}

/** What is told, without what is too large or too secret to be sent; taken now, as it is told a moment later. */
function asShown(told: ActorInspection): ActorInspection {
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
  const plain = event.type === 'xstate.init' ? shownWithoutPlan(event, 'input') : previewOf(event);
  return typeof plain === 'object' ? { ...plain, type: event.type } : event;
}

function isSnapshot(value: unknown): value is Snapshot<unknown> {
  return typeof value === 'object' && value !== null && 'status' in value;
}
