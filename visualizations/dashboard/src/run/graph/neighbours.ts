/**
 * From phase to phase by the keys of the arrows: along the edges, and up and down where they stand below each other.
 *
 * @module
 */
import type { Plan } from '../../../../../src/model/plan/plan.ts';
import { planGraph } from '../../../../../src/model/plan/plan.ts';
import type { LayoutNode } from '../../../../layout/layout.ts';

/** Keys that lead from phase to phase. */
const ways = ['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown', 'Home', 'End'] as const;

/** A key that leads from phase to phase. */
export type Way = (typeof ways)[number];

/** Whether a key is one of them. */
export function isWay(key: string): key is Way {
  return ways.some((way) => way === key);
}

/**
 * The phase that a key leads to, by its place in the plan; `null` where it leads nowhere.
 *
 * Right and left follow the edges, to the phase that stands nearest where there are several.
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
