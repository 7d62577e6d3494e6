/**
 * Lays out the phases of a plan in columns from left to right, in the order of work.
 *
 * @module
 */
import { planGraph, type PhasePlan, type Plan } from '../../src/model/plan/plan.ts';
import { arrange, curveBack, heightOf, type Box, type NodeSize, type Point } from './arrange.ts';
import { widthInCharacters } from './text-size.ts';
import { waysBack, type RewindPair } from './ways-back.ts';

/** A phase with its position. */
export interface LayoutNode extends Box {
  readonly name: string;
}

/** An arrow between two phases. */
export interface LayoutEdge {
  readonly from: string;
  readonly to: string;
  /** The two ends and the bends; or, for a way back, the start, two control points and end of a cubic Bézier curve. */
  readonly points: readonly Point[];
}

/** A plan with all positions. */
export interface Layout extends NodeSize {
  /** Phases in the order of the plan. */
  readonly nodes: readonly LayoutNode[];
  readonly edges: readonly LayoutEdge[];
  /** Ways back. They do not affect the positions of phases. */
  readonly backEdges: readonly LayoutEdge[];
}

/** Options of {@link layoutOf}. */
export interface LayoutOptions {
  /** The size of each phase, in pixels. @default {@link phaseSize} */
  readonly size?: (phase: PhasePlan) => NodeSize;
  /** The ways back. @default those that gates allow, see `waysBack` */
  readonly rewinds?: readonly RewindPair[];
}

/** The size of a phase, for a name in a font of about 14 pixels. */
export function phaseSize({ name }: PhasePlan): NodeSize {
  return { width: Math.min(WIDEST, Math.max(NARROWEST, widthInCharacters(name) * 8 + 32)), height: 44 };
}

/** Lays out a plan. It uses no document, so it runs in browsers, workers and Node. */
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
