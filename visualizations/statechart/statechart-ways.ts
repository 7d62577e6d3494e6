/**
 * The arrows of a picture of a machine: one for each pair of states, with all triggers between them.
 *
 * @module
 */
import { triggerText, type ChartTransition, type Statechart } from './statechart.ts';

/** The source of transitions that are taken in any state. No state can have this name. */
export const ANYWHERE = '*';

/** All transitions from one state to another. */
export interface ChartWay {
  readonly from: string;
  readonly to: string;
  /** The labels of the transitions, in the order of the machine. */
  readonly labels: readonly string[];
}

/** A transition out of a state, as text. */
export interface ChartExit {
  readonly label: string;
  readonly to: string;
}

/** Lists the arrows of a machine, without transitions that have no target. */
export function waysOf({ states, transitions }: Statechart): readonly ChartWay[] {
  return [{ name: ANYWHERE, transitions }, ...states].flatMap(({ name: from, transitions: own }) => {
    const ways = new Map<string, string[]>();
    for (const { to, label } of exitsOf(own)) ways.set(to, [...(ways.get(to) ?? []), label]);
    return [...ways].map(([to, labels]) => ({ from, to, labels }));
  });
}

/**
 * Lists the transitions out of a state. Transitions with the same trigger are numbered, as the machine takes the first one whose
 * guard passes.
 */
export function exitsOf(transitions: readonly ChartTransition[]): readonly ChartExit[] {
  const groups = new Map<string, number>();
  const sizes = new Map<string, number>();
  for (const one of transitions) sizes.set(groupOf(one), (sizes.get(groupOf(one)) ?? 0) + 1);
  return transitions.flatMap((one) => {
    const group = groupOf(one);
    const number = (groups.get(group) ?? 0) + 1;
    groups.set(group, number);
    const isOneOfSeveral = (sizes.get(group) ?? 0) > 1;
    const guard = one.guard ?? (isOneOfSeveral ? 'otherwise' : undefined);
    const parts = [
      ...(isOneOfSeveral ? [String(number)] : []),
      triggerText(one),
      ...(guard === undefined ? [] : [`[${guard}]`]),
    ];
    return one.target === null ? [] : [{ label: parts.filter((part) => part !== '').join(' '), to: one.target }];
  });
}

// --- internal ---

function groupOf({ trigger, event }: ChartTransition): string {
  return `${trigger} ${event}`;
}
