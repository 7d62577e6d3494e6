/**
 * An XState machine as plain data for pictures: its states and transitions.
 *
 * It is read from the machine itself, in which targets are already resolved. It imports nothing of XState, so a page without
 * machines can use the same data and types.
 *
 * @module
 */

/** The trigger of a transition: an event, an invoked actor that is done or has failed, a delay, or only its guard (`always`). */
export type ChartTrigger = 'event' | 'done' | 'error' | 'after' | 'always';

/** A transition out of a state. Of several with the same trigger, the machine takes the first one whose guard passes. */
export interface ChartTransition {
  readonly trigger: ChartTrigger;
  /** The event, the actor that is done, or the delay; empty for `always`. */
  readonly event: string;
  /** `null` if there is no guard. */
  readonly guard: string | null;
  /** `null` if the machine stays in its state. */
  readonly target: string | null;
  readonly actions: readonly string[];
}

/** A state. */
export interface ChartState {
  /** Its key. A nested state has the path to it, with dots. */
  readonly name: string;
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  readonly isInitial: boolean;
  /** The actors that the state invokes. */
  readonly invokes: readonly string[];
  readonly transitions: readonly ChartTransition[];
}

/** A machine as JSON data. */
export interface Statechart {
  readonly id: string;
  /** States in the order of the machine. */
  readonly states: readonly ChartState[];
  /** Transitions that are taken in any state. */
  readonly transitions: readonly ChartTransition[];
}

/** The used part of an XState 5 machine. */
export interface ChartedMachine {
  readonly root: ChartedNode;
}

/** The used part of one of its states. */
export interface ChartedNode {
  readonly id: string;
  readonly key: string;
  readonly type: ChartState['type'];
  readonly initial?: { readonly target?: readonly ChartedTarget[] | undefined } | undefined;
  readonly states: Readonly<Record<string, ChartedNode>>;
  readonly invoke: readonly { readonly id: string; readonly src: unknown }[];
  readonly transitions: ReadonlyMap<string, readonly ChartedTransition[]>;
  readonly always?: readonly ChartedTransition[] | undefined;
}

/** Reads a machine into plain data. */
export function statechartOf({ root }: ChartedMachine): Statechart {
  const nodes = nodesIn(root);
  const initial = new Set(
    [root, ...nodes.map(({ node }) => node)].flatMap(({ initial: start }) => idsOf(start?.target)),
  );
  const names = new Map(nodes.map(({ name, node }) => [node.id, name]));
  const works = new Map(
    [root, ...nodes.map(({ node }) => node)].flatMap(({ invoke }) => invoke.map(({ id, src }) => [id, nameOf(src)])),
  );

  function transitionsOf(node: ChartedNode): readonly ChartTransition[] {
    const given = [...node.transitions].flatMap(([event, some]) => some.map((one) => ({ event, one })));
    const always = (node.always ?? []).map((one) => ({ event: '', one }));
    return [...given, ...always].map(({ event, one }) => ({
      ...triggerOf(event, works),
      guard: one.guard === undefined ? null : guardText(one.guard),
      target: idsOf(one.target).map((id) => names.get(id) ?? id)[0] ?? null,
      actions: one.actions.map(nameOf),
    }));
  }

  return {
    id: root.id,
    states: nodes.map(({ name, node }) => ({
      name,
      type: node.type,
      isInitial: initial.has(node.id),
      invokes: node.invoke.map(({ src }) => nameOf(src)),
      transitions: transitionsOf(node),
    })),
    transitions: transitionsOf(root),
  };
}

/** Converts a table of steps into a chart. The first state is the initial one. */
export function statechartOfSteps(id: string, table: StepTable): Statechart {
  const names = Object.keys(table);
  return {
    id,
    states: Object.entries(table).map(([name, steps]) => ({
      name,
      type: 'atomic',
      isInitial: name === names[0],
      invokes: [],
      transitions: Object.entries(steps).map(([target, event]) => ({
        trigger: 'event',
        event,
        guard: null,
        target,
        actions: [],
      })),
    })),
    transitions: [],
  };
}

/** A table of steps: by state, and by the next state, the event that leads there. */
export type StepTable = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Formats the trigger of a transition; empty for `always`. */
export function triggerText({ trigger, event }: Pick<ChartTransition, 'trigger' | 'event'>): string {
  switch (trigger) {
    case 'event':
    case 'always':
      return event;
    case 'done':
      return `${event === '*' ? 'any actor' : event} done`;
    case 'error':
      return `${event === '*' ? 'any actor' : event} failed`;
    case 'after':
      return `after ${event}`;
  }
}

// --- internal ---

interface ChartedTarget {
  readonly id: string;
}

interface ChartedTransition {
  readonly target?: readonly ChartedTarget[] | undefined;
  readonly guard?: unknown;
  readonly actions: readonly unknown[];
}

/** Events that XState creates: `xstate.done.actor.0.phase.running`, `xstate.after.1000.phase.waiting`. */
const MADE = /^xstate\.(?<trigger>done|error|after)\.(?:actor\.|state\.)?(?<of>.*)$/u;

function nodesIn(parent: ChartedNode, path = ''): readonly { readonly name: string; readonly node: ChartedNode }[] {
  return Object.values(parent.states).flatMap((node) => {
    const name = `${path}${node.key}`;
    return [{ name, node }, ...nodesIn(node, `${name}.`)];
  });
}

function idsOf(targets: readonly ChartedTarget[] | undefined): readonly string[] {
  return (targets ?? []).map(({ id }) => id);
}

function triggerOf(event: string, works: ReadonlyMap<string, string>): Pick<ChartTransition, 'trigger' | 'event'> {
  if (event === '') return { trigger: 'always', event };
  const { trigger, of = '' } = MADE.exec(event)?.groups ?? {};
  if (trigger === 'done' || trigger === 'error') return { trigger, event: works.get(of) ?? of };
  return trigger === 'after' ? { trigger, event: of.split('.')[0] ?? of } : { trigger: 'event', event };
}

/** The name of a guard, with its parameter if that is a plain value. */
function guardText(guard: unknown): string {
  const given = isNamed(guard) && 'params' in guard ? guard.params : undefined;
  const isPlain = typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean';
  return isPlain ? `${nameOf(guard)} ${given}` : nameOf(guard);
}

function nameOf(named: unknown): string {
  if (typeof named === 'string') return named;
  if (isNamed(named)) return named.type;
  return typeof named === 'function' && named.name !== '' ? named.name : 'unnamed';
}

function isNamed(value: unknown): value is { readonly type: string; readonly params?: unknown } {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
