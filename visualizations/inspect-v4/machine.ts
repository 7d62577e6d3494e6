/**
 * Statecharts of XState v5 as machines of v4, which the older inspector draws.
 *
 * They are drawn and never run: states, transitions and names of guards and actions are the same, and nothing is behind the names.
 *
 * @module
 */
import { createMachine } from 'xstate';

/** The older form of what an actor is an instance of. */
export type OldMachine = ReturnType<typeof oldMachine>;

/**
 * Makes the machine of an actor.
 *
 * @param logic What the actor was made of. Where it is no statechart, its machine has a state for each status that it may have.
 */
export function oldMachine(logic: unknown, id: string) {
  const config = fieldOf(logic, 'config');
  if (!isRecord(config) || !isRecord(config['states'])) return createMachine({ id, ...STATUSES });
  return createMachine({ ...oldState(config), id, predictableActionArguments: true });
}

// --- internal ---

type NodeType = 'atomic' | 'compound' | 'parallel' | 'final' | 'history';

interface OldTransition {
  target?: string;
  cond?: string;
  actions: string[];
}

interface OldInvoke {
  id?: string;
  src: string;
  onDone: OldTransition[];
  onError: OldTransition[];
}

interface OldState {
  type?: NodeType;
  initial?: string;
  history?: 'shallow' | 'deep';
  states?: Record<string, OldState>;
  on?: Record<string, OldTransition[]>;
  after?: Record<string, OldTransition[]>;
  always?: OldTransition[];
  invoke?: OldInvoke[];
  entry?: string[];
  exit?: string[];
}

/** What work is, as far as it is seen from outside. */
const STATUSES = {
  predictableActionArguments: true,
  initial: 'active',
  states: { active: {}, done: {}, error: {}, stopped: {} },
};

function oldState(state: Readonly<Record<string, unknown>>): OldState {
  const { type, initial, states, on, always, after, invoke, entry, exit, history } = state;
  return {
    ...(isType(type) && { type }),
    ...(typeof initial === 'string' && { initial }),
    ...(typeof history === 'string' && { history: history === 'deep' ? 'deep' : 'shallow' }),
    ...(isRecord(states) && { states: mapFields(states, (one) => oldState(isRecord(one) ? one : {})) }),
    ...(isRecord(on) && { on: mapFields(on, transitions) }),
    ...(isRecord(after) && { after: mapFields(after, transitions) }),
    ...(always !== undefined && { always: transitions(always) }),
    ...(invoke !== undefined && { invoke: listOf(invoke).map(oldInvoke) }),
    ...(entry !== undefined && { entry: names(entry) }),
    ...(exit !== undefined && { exit: names(exit) }),
  };
}

function transitions(given: unknown): OldTransition[] {
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

function oldInvoke(invoke: unknown): OldInvoke {
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
