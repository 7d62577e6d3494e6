/**
 * The arrows of the graph as SVG paths. Each path has the arrows of many phases, as thousands of elements would be slow to move.
 *
 * @module
 */
import { curveBack, type Point } from '../../../../layout/arrange.ts';
import type { Layout, LayoutEdge } from '../../../../layout/layout.ts';
import type { SentBack } from '../../data/run-history.ts';

/** Arrows that are drawn as one path. */
export interface WayGroup {
  /** Data of SVG paths: of all lines, and of all arrowheads. */
  readonly lines: string;
  readonly heads: string;
}

/** A way back that was taken. */
export interface WayBack extends WayGroup {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly labelAt: Point;
}

/** Arrows in the order of work, grouped by the column that they start in. The browser skips groups outside the view. */
export function waysAhead({ edges }: Layout): readonly WayGroup[] {
  return grouped(edges).map((group) => ({
    lines: group.map(({ points }) => pathAhead(points)).join(''),
    heads: group.map(({ points }) => headTo(points.at(-1), 'right')).join(''),
  }));
}

/**
 * Ways back that gates allow. A graph with many phases shows only those of the open phase, as all of them would hide the rest.
 */
export function waysAllowed({ nodes, backEdges }: Layout, open: string | null): readonly WayGroup[] {
  const shown =
    nodes.length <= MOST_ALLOWED ? backEdges : backEdges.filter(({ from, to }) => from === open || to === open);
  return grouped(shown).map((group) => ({
    lines: group.map(({ points }) => pathBack(points)).join(''),
    heads: group.map(({ points }) => headTo(points.at(-1), 'up')).join(''),
  }));
}

/** Ways back that were taken, with the number of times. */
export function waysTaken({ nodes }: Layout, sentBack: readonly SentBack[]): readonly WayBack[] {
  const placeOf = new Map(nodes.map((node) => [node.name, node]));
  return sentBack.flatMap(({ from, to, times }) => {
    const [start, end] = [placeOf.get(from), placeOf.get(to)];
    if (!start || !end) return [];
    const points = curveBack(start, end);
    const labelAt = middleOf(points);
    return [{ from, to, lines: pathBack(points), heads: headTo(points.at(-1), 'up'), label: `${times}×`, labelAt }];
  });
}

// --- internal ---

/** The most phases for which all allowed ways back are drawn. */
const MOST_ALLOWED = 200;

const NOWHERE = { x: 0, y: 0 } as const;

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

/** A line that is horizontal at its ends and in the columns that it passes. */
function pathAhead([start, ...rest]: readonly Point[]): string {
  if (!start) return '';
  let from = start;
  const parts = rest.map((to) => {
    const middle = (from.x + to.x) / 2;
    const part = from.y === to.y ? `H${to.x}` : `C${middle},${from.y} ${middle},${to.y} ${to.x},${to.y}`;
    from = to;
    return part;
  });
  return `M${start.x},${start.y}${parts.join('')}`;
}

function pathBack([start, one, two, end]: readonly Point[]): string {
  if (!start || !one || !two || !end) return '';
  return `M${start.x},${start.y}C${one.x},${one.y} ${two.x},${two.y} ${end.x},${end.y}`;
}

function headTo(end: Point | undefined, towards: 'right' | 'up'): string {
  if (!end) return '';
  return `M${end.x},${end.y}${towards === 'right' ? 'l-9,-4.5v9z' : 'l-4.5,9h9z'}`;
}

function middleOf([start, one, two, end]: readonly Point[]): Point {
  if (!start || !one || !two || !end) return NOWHERE;
  return { x: (start.x + 3 * one.x + 3 * two.x + end.x) / 8, y: (start.y + 3 * one.y + 3 * two.y + end.y) / 8 };
}
