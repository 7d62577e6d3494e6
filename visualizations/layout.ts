/**
 * Where the phases of a plan stand in a picture: in columns from left to right, in the order of work.
 *
 * @module
 */
import { planGraph, type PhasePlan, type Plan } from '../src/model/plan.ts';
import { layersOf } from './layers.ts';
import { waysBack, type RewindPair } from './outline.ts';
import { straighten } from './straighten.ts';
import { widthInCharacters } from './text-size.ts';

/** A place. Numbers grow to the right and downwards. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** How much room a phase takes. */
export interface NodeSize {
  readonly width: number;
  readonly height: number;
}

/** A phase in its place. */
export interface LayoutNode extends NodeSize {
  readonly name: string;
  /** Its centre. */
  readonly x: number;
  readonly y: number;
}

/** An arrow between two phases. */
export interface LayoutEdge {
  readonly from: string;
  readonly to: string;
  /** Of an arrow of the order of work: where it bends. Of one back: start, two points of control, and end of a cubic Bézier curve. */
  readonly points: readonly Point[];
}

/** A plan with everything in its place. */
export interface Layout extends NodeSize {
  /** In the order of the plan. */
  readonly nodes: readonly LayoutNode[];
  readonly edges: readonly LayoutEdge[];
  /** Ways back. They leave the places of phases alone. */
  readonly backEdges: readonly LayoutEdge[];
}

/** What a layout may be told. */
export interface LayoutOptions {
  /** How much room each phase takes, in pixels. @default {@link phaseSize} */
  readonly size?: (phase: PhasePlan) => NodeSize;
  /** Which ways back there are. @default those that gates may take, see `waysBack` */
  readonly rewinds?: readonly RewindPair[];
}

/** Room for a phase whose name is in a font of some 14 pixels. */
export function phaseSize({ name }: PhasePlan): NodeSize {
  return { width: Math.min(WIDEST, Math.max(NARROWEST, widthInCharacters(name) * 8 + 32)), height: 44 };
}

/** Lays out a plan. It knows nothing of documents, so it runs in browsers, their workers and Node alike. */
export function layoutOf(plan: Plan, { size = phaseSize, rewinds = waysBack(plan) }: LayoutOptions = {}): Layout {
  const graph = planGraph(plan);
  const sizes = plan.phases.map(size);
  const layers = layersOf(graph);
  const heightOf = (node: number): number => sizes[node]?.height ?? 0;
  const isBend = (node: number): boolean => node >= sizes.length;
  const down = straighten(
    layers,
    (upper, lower) => (heightOf(upper) + heightOf(lower)) / 2 + (isBend(upper) && isBend(lower) ? 12 : BELOW),
    (node) => (isBend(node) ? 8 : 1),
  );
  const columns = columnsOf(layers.columns, sizes);
  const tops = layers.columns.flatMap((column) => column.slice(0, 1)).map((node) => yOf(node) - heightOf(node) / 2);
  const top = tops.reduce((least, one) => Math.min(least, one), 0) - MARGIN;

  function yOf(node: number): number {
    return Math.round(down.get(node) ?? 0);
  }

  const nodes = plan.phases.map(({ name }, index): LayoutNode => {
    const { width, height } = sizes[index] ?? { width: 0, height: 0 };
    return { name, x: columns.of(index).centre, y: yOf(index) - top, width, height };
  });
  const ends = graph.before.flatMap((sources, to) => sources.map((from) => [from, to] as const));
  const edges = ends.flatMap(([from, to], at): readonly LayoutEdge[] => {
    const [start, end] = [nodes[from], nodes[to]];
    if (!start || !end) return [];
    const bends = (layers.bends[at] ?? []).flatMap((bend) => {
      const { left, right } = columns.of(bend);
      const y = yOf(bend) - top;
      return [
        { x: left, y },
        { x: right, y },
      ];
    });
    const points = [{ x: start.x + start.width / 2, y: start.y }, ...bends, { x: end.x - end.width / 2, y: end.y }];
    return [{ from: start.name, to: end.name, points }];
  });
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const backEdges = rewinds.flatMap(({ from, to }): readonly LayoutEdge[] => {
    const [start, end] = [byName.get(from), byName.get(to)];
    return start && end ? [{ from, to, points: curveBack(start, end) }] : [];
  });
  const bottoms = [
    ...nodes.map(({ y, height }) => y + height / 2),
    ...[...edges, ...backEdges].map(({ points }) => points.reduce((most, { y }) => Math.max(most, y), 0)),
  ];
  const height = bottoms.reduce((most, one) => Math.max(most, one), MARGIN) + MARGIN;
  return { width: columns.width, height, nodes, edges, backEdges };
}

// --- internal ---

const NARROWEST = 96;
const WIDEST = 280;
const MARGIN = 16;
/** Room between phases below each other, and between columns. */
const BELOW = 32;
const BESIDE = 64;

interface Column {
  readonly left: number;
  readonly centre: number;
  readonly right: number;
}

/** Columns are as wide as their widest phase. */
function columnsOf(
  columns: readonly (readonly number[])[],
  sizes: readonly NodeSize[],
): { readonly width: number; of(node: number): Column } {
  const columnOf = new Map<number, Column>();
  let left = MARGIN;
  for (const column of columns) {
    const width = column.reduce((most, node) => Math.max(most, sizes[node]?.width ?? 0), 0);
    const place = { left, centre: left + Math.round(width / 2), right: left + width };
    for (const node of column) columnOf.set(node, place);
    left += width + BESIDE;
  }
  return {
    width: Math.max(2 * MARGIN, left - BESIDE + MARGIN),
    of: (node) => columnOf.get(node) ?? { left: 0, centre: 0, right: 0 },
  };
}

/** Below both phases, the deeper the longer its way. Where it leaves is beside where others arrive. */
function curveBack(from: LayoutNode, to: LayoutNode): readonly Point[] {
  const start = { x: from.x - Math.round(from.width / 6), y: from.y + from.height / 2 };
  const end = { x: to.x + Math.round(to.width / 6), y: to.y + to.height / 2 };
  const depth = Math.max(start.y, end.y) + Math.min(160, 24 + Math.round(Math.abs(start.x - end.x) / 8));
  return [start, { x: start.x, y: depth }, { x: end.x, y: depth }, end];
}
