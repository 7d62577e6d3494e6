/**
 * The arrows in the order of work as SVG paths. Each path has the arrows of many phases, as thousands of elements would be slow to move.
 *
 * @module
 */
import type { Point } from '../../../../layout/arrange.ts';
import type { Layout, LayoutEdge } from '../../../../layout/layout.ts';

/** Arrows that are drawn as one path. */
export interface WayGroup {
  /** Data of SVG paths: of all lines, and of all arrowheads. */
  readonly lines: string;
  readonly heads: string;
}

/**
 * Arrows in the order of work, grouped by the column that they start in. The browser skips groups outside the view.
 *
 * Arrows of one phase share their bends, so what they have in common is drawn once.
 */
export function waysAhead({ edges }: Layout): readonly WayGroup[] {
  return grouped(edges).map((group) => ({
    lines: [...new Set(group.flatMap(({ points }) => partsOf(points)))].join(''),
    heads: [...new Set(group.map(({ points }) => headAt(points.at(-1))))].join(''),
  }));
}

// --- internal ---

function grouped(edges: readonly LayoutEdge[]): readonly (readonly LayoutEdge[])[] {
  const groups = new Map<number, LayoutEdge[]>();
  for (const edge of edges) {
    const column = Math.round((edge.points[0]?.x ?? 0) / 10);
    const group = groups.get(column);
    if (group) group.push(edge);
    else groups.set(column, [edge]);
  }
  return [...groups.values()];
}

/** The parts of a line that is horizontal at its ends and in the columns that it passes. */
function partsOf(points: readonly Point[]): readonly string[] {
  return points.slice(1).flatMap((to, at) => {
    const from = points[at];
    if (!from) return [];
    const middle = (from.x + to.x) / 2;
    const part = from.y === to.y ? `H${to.x}` : `C${middle},${from.y} ${middle},${to.y} ${to.x},${to.y}`;
    return [`M${from.x},${from.y}${part}`];
  });
}

function headAt(end: Point | undefined): string {
  return end ? `M${end.x},${end.y}l-9,-4.5v9z` : '';
}
