/**
 * Translates inspection events of XState v5 into messages of `@xstate/inspect`, which knows v4: services are registered, receive
 * events, change state, and stop.
 *
 * @module
 */
import { stringifyMachine, stringifyState } from '@xstate/inspect/lib/serialize.js';
import type { ReceiverEvent } from '@xstate/inspect/lib/types.js';
import { toSCXMLEvent, type EventObject, type StateValue } from 'xstate';
import type { ActorInspection } from '../../src/inspect/actor-registry.ts';
import { previewOf, shownWithoutPlan } from '../../src/inspect/snapshot-preview.ts';
import type { Translator } from '../../src/inspect/viewer.ts';
import { v4Machine, type V4Machine } from './machine.ts';

/** The translation into messages of the XState v4 inspector. */
export const v4Translator: Translator = {
  start(send) {
    /** Machines of the actors that the viewer knows. */
    const machines = new Map<string, V4Machine>();
    return (event) => send(messagesOf(event, machines));
  },
};

// --- internal ---

function messagesOf(inspection: ActorInspection, machines: Map<string, V4Machine>): readonly ReceiverEvent[] {
  const { actorRef } = inspection;
  const { sessionId } = actorRef;
  const id = String(Reflect.get(actorRef, 'id'));
  const machine = machines.get(sessionId) ?? v4Machine(Reflect.get(actorRef, 'logic'), id);
  switch (inspection.type) {
    case '@xstate.actor': {
      machines.set(sessionId, machine);
      const parent: unknown = Reflect.get(Object(Reflect.get(actorRef, '_parent')), 'sessionId');
      const state = stringifyState(machine.initialState);
      const registration = { sessionId, id, machine: stringifyMachine(machine), state };
      return [{ type: 'service.register', ...registration, ...(typeof parent === 'string' && { parent }) }];
    }
    case '@xstate.event':
      return [{ type: 'service.event', sessionId, event: JSON.stringify(toSCXMLEvent(eventOf(inspection.event))) }];
    case '@xstate.snapshot': {
      const state = stringifyState(stateOf(inspection, machine));
      const message: ReceiverEvent = { type: 'service.state', sessionId, state };
      if (inspection.snapshot.status === 'active') return [message];
      machines.delete(sessionId);
      return [message, { type: 'service.stop', sessionId }];
    }
  }
}

/** Converts a snapshot into a state of the machine. */
function stateOf(
  { snapshot, event }: Extract<ActorInspection, { readonly type: '@xstate.snapshot' }>,
  machine: V4Machine,
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
