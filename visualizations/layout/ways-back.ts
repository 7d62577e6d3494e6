/**
 * Arrows back: which phases may send back which, and which have.
 *
 * @module
 */
import type { GatePlan, Plan } from '../../src/model/plan/plan.ts';
import type { Count } from '../../src/model/plan/policy-schema.ts';

/** The names of a phase and of one that it may send back, or has. */
export interface RewindPair {
  readonly from: string;
  readonly to: string;
}

/** An arrow back. */
export interface WayBack extends RewindPair {
  /** How often, such as `rewind ≤ 2`, or `rewound once, ≤ 2`. */
  readonly label: string;
  /** How often it was taken. */
  readonly times: number;
}

/** Ways back that are drawn for one gate. */
export const MOST_ARROWS = 5;

/**
 * Which phases gates may send back. Of a gate that may send back more than a few nothing is here: arrows to all of them would hide
 * everything else, so its label says it.
 */
export function waysBack(plan: Plan): readonly WayBack[] {
  return plan.phases.flatMap(({ name: from, gate }) =>
    gate && mayRewind(gate) && gate.targets.length <= MOST_ARROWS
      ? gate.targets.map((to) => ({ from, to, label: `rewind ${atMost(gate.maxPredecessorRetries)}`, times: 0 }))
      : [],
  );
}

/** The same with those that a run has taken, by whoever demanded it. @param taken One for each time. */
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
  const gone = [...counts.values()].map(({ from, to, times }) => {
    const gate = gates.get(from);
    const most = gate?.targets.includes(to) ? `, ${atMost(gate.maxPredecessorRetries)}` : '';
    return { from, to, times, label: `rewound ${times === 1 ? 'once' : `${times} times`}${most}` };
  });
  return [...open, ...gone];
}

/** Whether a gate may send back other phases. */
export function mayRewind({ maxPredecessorRetries }: GatePlan): boolean {
  return maxPredecessorRetries !== 0;
}

/** A count as a limit, such as `≤ 2`. */
export function atMost(count: Count): string {
  return count === 'unlimited' ? 'unlimited' : `≤ ${count}`;
}

// --- internal ---

const NONE = { rewinds: [] };

function keyOf({ from, to }: RewindPair): string {
  return JSON.stringify([from, to]);
}
