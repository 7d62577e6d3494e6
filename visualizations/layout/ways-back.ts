/**
 * Ways back: the phases that each gate may send back, and those that were sent back in a run.
 *
 * @module
 */
import type { GatePlan, Plan } from '../../src/model/plan/plan.ts';
import type { Count } from '../../src/model/plan/policy-schema.ts';

/** The names of a phase, and of a phase that it may send back or has sent back. */
export interface RewindPair {
  readonly from: string;
  readonly to: string;
}

/** A way back. */
export interface WayBack extends RewindPair {
  /** The number of times, for example `rewind ≤ 2`, or `rewound once, ≤ 2`. */
  readonly label: string;
  /** The number of times that it was taken. */
  readonly times: number;
}

/** The most ways back that are drawn for one gate. */
export const MOST_ARROWS = 5;

/**
 * Lists the phases that gates may send back. It leaves out gates that may send back more than {@link MOST_ARROWS} phases: so many
 * arrows would hide the rest, so the label of the gate has the number.
 */
export function waysBack(plan: Plan): readonly WayBack[] {
  return plan.phases.flatMap(({ name: from, gate }) =>
    gate && mayRewind(gate) && gate.targets.length <= MOST_ARROWS
      ? gate.targets.map((to) => ({ from, to, label: `rewind ${atMost(gate.maxPredecessorRetries)}`, times: 0 }))
      : [],
  );
}

/** Lists ways back, including those that a run has taken, by a gate or otherwise. @param taken One pair for each time. */
export function waysBackIn(
  plan: Plan,
  { rewinds: taken }: { readonly rewinds: readonly RewindPair[] } = NONE,
): readonly WayBack[] {
  const counts = new Map<string, RewindPair & { readonly times: number }>();
  for (const { from, to } of taken) {
    const key = keyOf({ from, to });
    counts.set(key, { from, to, times: (counts.get(key)?.times ?? 0) + 1 });
  }
  const gates = new Map(plan.phases.map(({ name, gate }) => [name, gate]));
  const open = waysBack(plan).filter((way) => !counts.has(keyOf(way)));
  const used = [...counts.values()].map(({ from, to, times }) => {
    const gate = gates.get(from);
    const most = gate?.targets.includes(to) ? `, ${atMost(gate.maxPredecessorRetries)}` : '';
    return { from, to, times, label: `rewound ${times === 1 ? 'once' : `${times} times`}${most}` };
  });
  return [...open, ...used];
}

/** True if a gate may send back other phases. */
export function mayRewind({ maxPredecessorRetries }: GatePlan): boolean {
  return maxPredecessorRetries !== 0;
}

/** Formats a count as a limit, for example `≤ 2`. */
export function atMost(count: Count): string {
  return count === 'unlimited' ? 'unlimited' : `≤ ${count}`;
}

// --- internal ---

const NONE = { rewinds: [] };

function keyOf({ from, to }: RewindPair): string {
  return JSON.stringify([from, to]);
}
