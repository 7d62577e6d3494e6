/**
 * The arrows of a picture of a machine: one from each state to each other, with all that leads there.
 *
 * @module
 */
import { triggerText, type ChartTransition, type Statechart } from './statechart.ts';

/** Stands for any state, where a transition is taken in all of them. No state can be called so. */
export const ANYWHERE = '*';

/** All ways from one state to another. */
export interface ChartWay {
  readonly from: string;
  readonly to: string;
  /** What leads there, in the order of the machine. */
  readonly labels: readonly string[];
}

/** One way out of a state, as it is told. */
export interface ChartExit {
  readonly label: string;
  readonly to: string;
}

/** The ways of a machine, without those that lead nowhere else. */
export function waysOf({ states, transitions }: Statechart): readonly ChartWay[] {
  return [{ name: ANYWHERE, transitions }, ...states].flatMap(({ name: from, transitions: own }) => {
    const ways = new Map<string, string[]>();
    for (const { to, label } of exitsOf(own)) ways.set(to, [...(ways.get(to) ?? []), label]);
    return [...ways].map(([to, labels]) => ({ from, to, labels }));
  });
}

/**
 * The ways out of a state. Where several are tried one after the other they are numbered, as the first is taken whose guard agrees.
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
