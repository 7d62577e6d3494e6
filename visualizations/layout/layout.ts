/**
 * Where the phases of a plan stand in a picture: in columns from left to right, in the order of work.
 *
 * @module
 */
import { planGraph, type PhasePlan, type Plan } from '../../src/model/plan/plan.ts';
import { arrange, curveBack, heightOf, type Box, type NodeSize, type Point } from './arrange.ts';
import { widthInCharacters } from './text-size.ts';
import { waysBack, type RewindPair } from './ways-back.ts';

/** A phase in its place. */
export interface LayoutNode extends Box {
  readonly name: string;
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
  const { width, boxes, arrows } = arrange(planGraph(plan), plan.phases.map(size));
  const nameOf = (index: number): string => plan.phases[index]?.name ?? '';
  const nodes = boxes.map((box, index): LayoutNode => ({ name: nameOf(index), ...box }));
  const edges = arrows.map(({ from, to, points }) => ({ from: nameOf(from), to: nameOf(to), points }));
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const backEdges = rewinds.flatMap(({ from, to }): readonly LayoutEdge[] => {
    const [start, end] = [byName.get(from), byName.get(to)];
    return start && end ? [{ from, to, points: curveBack(start, end) }] : [];
  });
  return { width, height: heightOf(boxes, [...edges, ...backEdges]), nodes, edges, backEdges };
}

// --- internal ---

const NARROWEST = 96;
const WIDEST = 280;
