/**
 * Keyboard navigation between phases: along the edges, and up and down within a column.
 *
 * @module
 */
import type { Plan } from '../../../../../src/model/plan/plan.ts';
import { planGraph } from '../../../../../src/model/plan/plan.ts';
import type { LayoutNode } from '../../../../layout/layout.ts';

/** The keys for navigation. */
const ways = ['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown', 'Home', 'End'] as const;

/** A key for navigation. */
export type Way = (typeof ways)[number];

/** True if a key is one for navigation. */
export function isWay(key: string): key is Way {
  return ways.some((way) => way === key);
}

/**
 * Finds the phase that a key leads to, as an index in the plan; `null` if there is none.
 *
 * Right and left follow the edges. If there are several, they lead to the nearest phase.
 */
export function neighbourOf(
  plan: Plan,
  nodes: readonly LayoutNode[],
  { from, way }: { readonly from: number; readonly way: Way },
): number | null {
  const here = nodes[from];
  if (!here) return null;
  const all = nodes.map((_, at) => at);
  const graph = planGraph(plan);
  switch (way) {
    case 'ArrowRight':
      return nearest(nodes, here, graph.next[from] ?? []);
    case 'ArrowLeft':
      return nearest(nodes, here, graph.before[from] ?? []);
    case 'ArrowUp':
      return nearest(
        nodes,
        here,
        inColumn(nodes, here).filter((at) => (nodes[at]?.y ?? 0) < here.y),
      );
    case 'ArrowDown':
      return nearest(
        nodes,
        here,
        inColumn(nodes, here).filter((at) => (nodes[at]?.y ?? 0) > here.y),
      );
    case 'Home':
      return all[0] ?? null;
    case 'End':
      return all.at(-1) ?? null;
  }
}

// --- internal ---

function inColumn(nodes: readonly LayoutNode[], { x }: LayoutNode): readonly number[] {
  return nodes.flatMap((node, at) => (Math.abs(node.x - x) < node.width / 2 ? [at] : []));
}

function nearest(nodes: readonly LayoutNode[], { x, y }: LayoutNode, among: readonly number[]): number | null {
  let best: number | null = null;
  let least = Infinity;
  for (const at of among) {
    const node = nodes[at];
    const distance = node ? Math.hypot(node.x - x, node.y - y) : Infinity;
    if (distance < least) [best, least] = [at, distance];
  }
  return best;
}
