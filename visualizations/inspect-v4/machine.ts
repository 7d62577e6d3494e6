/**
 * Converts statecharts of XState v5 into machines of v4, which the older inspector draws.
 *
 * The machines never run. They have the same states, transitions, and names of guards and actions, but no implementations.
 *
 * @module
 */
import { createMachine } from 'xstate';

/** A machine of XState v4. */
export type V4Machine = ReturnType<typeof v4Machine>;

/**
 * Creates the machine of an actor.
 *
 * @param logic The logic of the actor. If it is no statechart, its machine has one state for each actor status.
 */
export function v4Machine(logic: unknown, id: string) {
  const config = fieldOf(logic, 'config');
  if (!isRecord(config) || !isRecord(config['states'])) return createMachine({ id, ...STATUSES });
  return createMachine({ ...v4State(config), id, predictableActionArguments: true });
}

// --- internal ---

type NodeType = 'atomic' | 'compound' | 'parallel' | 'final' | 'history';

interface V4Transition {
  target?: string;
  cond?: string;
  actions: string[];
}

interface V4Invoke {
  id?: string;
  src: string;
  onDone: V4Transition[];
  onError: V4Transition[];
}

interface V4State {
  type?: NodeType;
  initial?: string;
  history?: 'shallow' | 'deep';
  states?: Record<string, V4State>;
  on?: Record<string, V4Transition[]>;
  after?: Record<string, V4Transition[]>;
  always?: V4Transition[];
  invoke?: V4Invoke[];
  entry?: string[];
  exit?: string[];
}

/** The machine of an actor without a statechart. */
const STATUSES = {
  predictableActionArguments: true,
  initial: 'active',
  states: { active: {}, done: {}, error: {}, stopped: {} },
};

function v4State(state: Readonly<Record<string, unknown>>): V4State {
  const { type, initial, states, on, always, after, invoke, entry, exit, history } = state;
  return {
    ...(isType(type) && { type }),
    ...(typeof initial === 'string' && { initial }),
    ...(typeof history === 'string' && { history: history === 'deep' ? 'deep' : 'shallow' }),
    ...(isRecord(states) && { states: mapFields(states, (one) => v4State(isRecord(one) ? one : {})) }),
    ...(isRecord(on) && { on: mapFields(on, transitions) }),
    ...(isRecord(after) && { after: mapFields(after, transitions) }),
    ...(always !== undefined && { always: transitions(always) }),
    ...(invoke !== undefined && { invoke: listOf(invoke).map(v4Invoke) }),
    ...(entry !== undefined && { entry: names(entry) }),
    ...(exit !== undefined && { exit: names(exit) }),
  };
}

function transitions(given: unknown): V4Transition[] {
  return listOf(given).map((one) => {
    if (typeof one === 'string') return { target: one, actions: [] };
    const guard = nameOf(fieldOf(one, 'guard'));
    const target = fieldOf(one, 'target');
    return {
      ...(typeof target === 'string' && { target }),
      ...(guard !== undefined && { cond: guard }),
      actions: names(fieldOf(one, 'actions')),
    };
  });
}

function v4Invoke(invoke: unknown): V4Invoke {
  const id = fieldOf(invoke, 'id');
  return {
    ...(typeof id === 'string' && { id }),
    src: nameOf(fieldOf(invoke, 'src')) ?? 'work',
    onDone: transitions(fieldOf(invoke, 'onDone')),
    onError: transitions(fieldOf(invoke, 'onError')),
  };
}

function names(actions: unknown): string[] {
  return listOf(actions).map((one) => nameOf(one) ?? 'inline');
}

/** The name of a guard, an action or an actor. */
function nameOf(one: unknown): string | undefined {
  if (typeof one === 'string') return one;
  const type = fieldOf(one, 'type');
  if (typeof type === 'string') return type;
  return typeof one === 'function' && one.name !== '' ? one.name : undefined;
}

function listOf(given: unknown): readonly unknown[] {
  if (given === undefined) return [];
  return Array.isArray(given) ? given : [given];
}

function mapFields<T>(record: Readonly<Record<string, unknown>>, change: (value: unknown) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

function isType(type: unknown): type is NodeType {
  return type === 'atomic' || type === 'compound' || type === 'parallel' || type === 'final' || type === 'history';
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
