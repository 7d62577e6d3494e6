/**
 * The lines of rewinds in the graph. They run between the columns and between the rows, so they cross no phase.
 *
 * ```text
 *   ┌───┐      ┌───┐      ┌───┐
 *   │ a │◀╮    │ b │◀╮  ╭─│ c │      c may send back a and b
 *   └───┘ │    └───┘ │  │ └───┘
 *         ╰──────────┴──╯             the lane of c
 * ```
 *
 * Rewinds of one phase share its lane. Rewinds to phases of one column share the line beside that column.
 *
 * @module
 */
import type { Point } from '../../../../layout/arrange.ts';
import type { Layout, LayoutNode } from '../../../../layout/layout.ts';
import type { RewindPair } from '../../../../layout/ways-back.ts';

/** Rewinds as SVG paths. */
export interface RewindRoutes {
  /** Data of SVG paths: of all lines, and of all arrowheads. */
  readonly lines: string;
  readonly heads: string;
  /** The centre of the label of each phase that is sent back, by name. It lies beside the phase, in the gap between columns. */
  readonly labels: ReadonlyMap<string, Point>;
}

/** The distances of one kind of rewinds from phases, in pixels, so that kinds do not cover each other. */
export interface Offsets {
  /** The distance of the vertical line from its column. */
  readonly beside: number;
  /** The distance of the line that ends at a phase from its centre, downwards. */
  readonly below: number;
}

/** Draws planned rewinds: all of them, or those of one phase, which run as they do among all. */
export type RewindDrawing = (only?: string | null) => RewindRoutes;

/** Plans the lanes of rewinds between phases of one layout. */
export type RewindRouter = (pairs: readonly RewindPair[], offsets: Offsets) => RewindDrawing;

/** Creates a router for a layout. */
export function createRewindRouter({ nodes }: Pick<Layout, 'nodes'>): RewindRouter {
  const columns = columnsOf(nodes);
  const placeOf = new Map(
    columns.flatMap((column) => column.nodes.map((node): [string, Place] => [node.name, { node, column }])),
  );
  return (pairs, offsets) => {
    const lanes: Lane[] = [];
    for (const [source, targets] of bySource(pairs, placeOf)) {
      const dropX = source.column.left - offsets.beside;
      const lastX = Math.min(...targets.map(({ column }) => column.right + offsets.beside));
      const span = { left: Math.min(lastX, dropX), right: Math.max(lastX, dropX) };
      const wish = heightIn(source.node, offsets.below);
      const y = freeHeight(wish, [...heightsBetween(columns, span), ...heightsOf(lanes, span)]);
      lanes.push({ ...span, y, source, targets });
    }
    return (only = null) =>
      draw(only === null ? lanes : lanes.filter(({ source }) => source.node.name === only), offsets);
  };
}

// --- internal ---

/** The distance between lanes, and of lanes from phases. */
const LANE = 8;
const CLEAR = 12;
const RADIUS = 7;
/** The distance from a vertical line to the centre of a label. */
const LABEL = 12;

interface Column {
  readonly centre: number;
  readonly left: number;
  readonly right: number;
  readonly nodes: readonly LayoutNode[];
}

interface Place {
  readonly node: LayoutNode;
  readonly column: Column;
}

interface Span {
  readonly left: number;
  readonly right: number;
}

/** The line that all rewinds of one phase share. */
interface Lane extends Span {
  readonly y: number;
  readonly source: Place;
  readonly targets: readonly Place[];
}

/** The vertical line beside a column. */
interface Riser {
  readonly x: number;
  readonly lanes: Set<number>;
  readonly targets: Set<LayoutNode>;
}

/** A range of heights that a lane must avoid. */
interface Blocked {
  readonly from: number;
  readonly to: number;
}

function draw(lanes: readonly Lane[], { beside, below }: Offsets): RewindRoutes {
  const risers = new Map<Column, Riser>();
  const lines: string[] = [];
  for (const { left: lastX, right: dropX, y, source, targets } of lanes) {
    const { node } = source;
    const startY = heightIn(node, below);
    const start = { x: node.x - node.width / 2, y: startY };
    const joint = jointOf(
      y,
      targets
        .filter(({ column }) => column.right + beside === lastX)
        .map(({ node: target }) => heightIn(target, below)),
    );
    const last = { x: lastX, y: joint };
    lines.push(
      bend([start, { x: dropX, y: startY }, { x: dropX, y }, { x: lastX, y }, ...(joint === y ? [] : [last])]),
    );
    for (const { column, node: target } of targets) {
      const riser = risers.get(column) ?? { x: column.right + beside, lanes: new Set(), targets: new Set() };
      riser.lanes.add(riser.x === lastX ? joint : y);
      riser.targets.add(target);
      risers.set(column, riser);
    }
  }
  const heads: string[] = [];
  const labels = new Map<string, Point>();
  for (const riser of risers.values()) {
    lines.push(...linesOf(riser, below));
    for (const node of riser.targets) {
      const end = { x: node.x + node.width / 2, y: heightIn(node, below) };
      heads.push(`M${end.x},${end.y}l9,-4.5v9z`);
      labels.set(node.name, { x: riser.x + LABEL, y: end.y });
    }
  }
  return { lines: lines.join(''), heads: heads.join(''), labels };
}

/** The height at which a lane has turned into the line beside its last column; its own height if it does not turn to one side. */
function jointOf(y: number, ends: readonly number[]): number {
  if (ends.every((end) => end < y - 3 * RADIUS)) return y - 2 * RADIUS;
  return ends.every((end) => end > y + 3 * RADIUS) ? y + 2 * RADIUS : y;
}

/** Groups phases by their column. Phases of one column have the same centre. */
function columnsOf(nodes: readonly LayoutNode[]): readonly Column[] {
  const groups = new Map<number, LayoutNode[]>();
  for (const node of nodes) {
    const group = groups.get(node.x);
    if (group) group.push(node);
    else groups.set(node.x, [node]);
  }
  return [...groups].map(([centre, own]) => {
    const half = own.reduce((most, { width }) => Math.max(most, width / 2), 0);
    return { centre, left: centre - half, right: centre + half, nodes: own };
  });
}

function bySource(
  pairs: readonly RewindPair[],
  placeOf: ReadonlyMap<string, Place>,
): ReadonlyMap<Place, readonly Place[]> {
  const groups = new Map<Place, Place[]>();
  for (const { from, to } of pairs) {
    const [source, target] = [placeOf.get(from), placeOf.get(to)];
    if (!source || !target) continue;
    const group = groups.get(source);
    if (group) group.push(target);
    else groups.set(source, [target]);
  }
  return groups;
}

function heightIn({ y, height }: LayoutNode, below: number): number {
  return y + Math.min(below, height / 2 - 6);
}

/** Returns the heights of phases in the columns that a lane passes. */
function heightsBetween(columns: readonly Column[], { left, right }: Span): readonly Blocked[] {
  return columns
    .filter(({ centre }) => centre > left && centre < right)
    .flatMap(({ nodes }) =>
      nodes.map(({ y, height }) => ({ from: y - height / 2 - CLEAR, to: y + height / 2 + CLEAR })),
    );
}

function heightsOf(lanes: readonly Lane[], { left, right }: Span): readonly Blocked[] {
  return lanes
    .filter((lane) => lane.left <= right && lane.right >= left)
    .map(({ y }) => ({ from: y - LANE, to: y + LANE }));
}

/** Finds the height nearest to a wished one that nothing blocks. Of two, it is the lower one of the picture. */
function freeHeight(wish: number, blocked: readonly Blocked[]): number {
  let [up, down] = [wish, wish];
  for (const { from, to } of blocked.toSorted((a, b) => a.from - b.from)) if (from < down && to > down) down = to;
  for (const { from, to } of blocked.toSorted((a, b) => b.to - a.to)) if (from < up && to > up) up = from;
  return wish - up < down - wish ? up : down;
}

/** Draws the line beside a column, and from it the lines to phases. */
function linesOf({ x, lanes: heights, targets }: Riser, below: number): readonly string[] {
  const lanes = [...heights];
  const ends = [...targets].map((node) => ({ at: node.x + node.width / 2, y: heightIn(node, below) }));
  const [lowest, highest] = [Math.max(...lanes), Math.min(...lanes)];
  const branches = ends.map(({ at, y }) => {
    const lane = lanes.reduce((best, one) => (Math.abs(one - y) < Math.abs(best - y) ? one : best));
    const entry = lane === y ? 0 : Math.sign(lane - y) * Math.min(RADIUS, Math.abs(lane - y));
    return { entry: y + entry, line: `M${x},${y + entry}Q${x},${y} ${x - Math.abs(entry)},${y}H${at + 8}` };
  });
  const top = Math.min(highest, ...branches.map(({ entry }) => entry));
  const bottom = Math.max(lowest, ...branches.map(({ entry }) => entry));
  return [...(top < bottom ? [`M${x},${top}V${bottom}`] : []), ...branches.map(({ line }) => line)];
}

/** Draws a line with round corners. */
function bend(points: readonly Point[]): string {
  return points
    .map((point, at) => {
      const [before, after] = [points[at - 1], points[at + 1]];
      if (!before) return `M${point.x},${point.y}`;
      if (!after) return `L${point.x},${point.y}`;
      const [start, end] = [towards(point, before), towards(point, after)];
      return `L${start.x},${start.y}Q${point.x},${point.y} ${end.x},${end.y}`;
    })
    .join('');
}

/** A point near a corner, on the way to another point. */
function towards(corner: Point, other: Point): Point {
  const length = Math.abs(other.x - corner.x) + Math.abs(other.y - corner.y);
  const part = length === 0 ? 0 : Math.min(RADIUS, length / 2) / length;
  return { x: corner.x + (other.x - corner.x) * part, y: corner.y + (other.y - corner.y) * part };
}
