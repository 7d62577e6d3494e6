/**
 * What XState v5 tells of actors, in the words of `@xstate/inspect`, which knows v4: services that are registered, get events, have
 * states, and stop.
 *
 * @module
 */
import { stringifyMachine, stringifyState } from '@xstate/inspect/lib/serialize.js';
import type { ReceiverEvent } from '@xstate/inspect/lib/types.js';
import { toSCXMLEvent, type EventObject, type StateValue } from 'xstate';
import type { ActorInspection } from '../../src/inspect/actor-registry.ts';
import { previewOf, shownWithoutPlan } from '../../src/inspect/snapshot-preview.ts';
import type { Language } from '../../src/inspect/viewer.ts';
import { oldMachine, type OldMachine } from './machine.ts';

/** The words of the inspector of XState v4. */
export const oldLanguage: Language = {
  begin(say) {
    /** Machines of the actors that the viewer knows. */
    const machines = new Map<string, OldMachine>();
    return (told) => say(messagesOf(told, machines));
  },
};

// --- internal ---

function messagesOf(told: ActorInspection, machines: Map<string, OldMachine>): readonly ReceiverEvent[] {
  const { actorRef } = told;
  const { sessionId } = actorRef;
  const id = String(Reflect.get(actorRef, 'id'));
  const machine = machines.get(sessionId) ?? oldMachine(Reflect.get(actorRef, 'logic'), id);
  switch (told.type) {
    case '@xstate.actor': {
      machines.set(sessionId, machine);
      const parent: unknown = Reflect.get(Object(Reflect.get(actorRef, '_parent')), 'sessionId');
      const state = stringifyState(machine.initialState);
      const registration = { sessionId, id, machine: stringifyMachine(machine), state };
      return [{ type: 'service.register', ...registration, ...(typeof parent === 'string' && { parent }) }];
    }
    case '@xstate.event':
      return [{ type: 'service.event', sessionId, event: JSON.stringify(toSCXMLEvent(eventOf(told.event))) }];
    case '@xstate.snapshot': {
      const state = stringifyState(stateOf(told, machine));
      const message: ReceiverEvent = { type: 'service.state', sessionId, state };
      if (told.snapshot.status === 'active') return [message];
      machines.delete(sessionId);
      return [message, { type: 'service.stop', sessionId }];
    }
  }
}

/** The snapshot as a state of the machine. */
function stateOf(
  { snapshot, event }: Extract<ActorInspection, { readonly type: '@xstate.snapshot' }>,
  machine: OldMachine,
) {
  const plain = shownWithoutPlan(snapshot, 'context');
  const value: unknown = Reflect.get(snapshot, 'value');
  return machine.resolveState({
    value: isStateValue(value) ? value : snapshot.status,
    context: isRecord(plain) ? (plain['context'] ?? plain) : plain,
    _event: toSCXMLEvent(eventOf(event)),
    _sessionid: null,
    actions: [],
    configuration: [],
    transitions: [],
    children: {},
  });
}

function eventOf(event: { readonly type: string }): EventObject {
  const plain = event.type === 'xstate.init' ? shownWithoutPlan(event, 'input') : previewOf(event);
  return isRecord(plain) ? { ...plain, type: event.type } : { type: event.type };
}

function isStateValue(value: unknown): value is StateValue {
  return typeof value === 'string' || (isRecord(value) && Object.values(value).every(isStateValue));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
