/**
 * What the drawn graph is made of: phases and ways in their places.
 *
 * @module
 */
import { type Edge, MarkerType, type Node, Position } from '@xyflow/react';
import { curveBack, type Point } from '../../../arrange.ts';
import type { Layout } from '../../../layout.ts';
import type { SentBack } from '../data/story.ts';
import type { PhaseFace } from './phase-face.ts';

/** A phase in its place. */
export type PhaseNode = Node<{ readonly face: PhaseFace; readonly isDim: boolean; readonly isOpen: boolean }, 'phase'>;

/** A way in its place. */
export type WayEdge = Edge<{ readonly path: string; readonly label: string; readonly labelAt: Point }, 'way'>;

/** How phases are shown. */
export interface NodeOptions {
  readonly layout: Layout;
  /** Whether it is one that is looked for. */
  readonly isWanted: (face: PhaseFace) => boolean;
  /** The phase whose panel is open. */
  readonly open: string | null;
}

/** Makes nodes again and again: one that has not changed is the same object, so that only others are drawn. */
export function createNodeMaker(): (faces: readonly PhaseFace[], options: NodeOptions) => PhaseNode[] {
  let before: readonly PhaseNode[] = [];
  let placed: Layout | undefined;
  return (faces, { layout, isWanted, open }) => {
    const nodes = faces.flatMap((face): PhaseNode[] => {
      const place = layout.nodes[face.index];
      const old = placed === layout ? before[face.index] : undefined;
      const isDim = !isWanted(face);
      const isOpen = face.name === open;
      if (old?.data.face === face && old.data.isDim === isDim && old.data.isOpen === isOpen) return [old];
      if (!place) return [];
      const { x, y, width, height } = place;
      const handles = [
        { type: 'target' as const, position: Position.Left, x: 0, y: height / 2, width: 1, height: 1 },
        { type: 'source' as const, position: Position.Right, x: width, y: height / 2, width: 1, height: 1 },
      ];
      const position = { x: x - width / 2, y: y - height / 2 };
      // Said beforehand, it is not measured, and ways to phases that nobody has seen yet can be drawn.
      const measured = { width, height };
      return [
        {
          id: String(face.index),
          type: 'phase',
          position,
          width,
          height,
          measured,
          handles,
          data: { face, isDim, isOpen },
        },
      ];
    });
    before = nodes;
    placed = layout;
    return nodes;
  };
}

/** The ways of the order of work, those back that were gone, and those that gates may go. */
export function waysOf(layout: Layout, sentBack: readonly SentBack[]): WayEdge[] {
  const indexOf = new Map(layout.nodes.map((node, index) => [node.name, index]));
  const gone = new Set(sentBack.map(pairOf));
  const idOf = (name: string): string => String(indexOf.get(name) ?? -1);
  const way = (kind: keyof typeof COLORS, { from, to }: Pair, data: NonNullable<WayEdge['data']>): WayEdge => ({
    id: `${kind} ${idOf(from)} ${idOf(to)}`,
    source: idOf(from),
    target: idOf(to),
    type: 'way',
    className: kind,
    markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16, color: COLORS[kind] },
    data,
  });
  return [
    ...layout.edges.map((edge) => way('ahead', edge, { path: pathAhead(edge.points), label: '', labelAt: NOWHERE })),
    ...layout.backEdges
      .filter((edge) => !gone.has(pairOf(edge)))
      .map((edge) => way('allowed', edge, { path: pathBack(edge.points), label: '', labelAt: NOWHERE })),
    ...sentBack.flatMap(({ times, ...pair }) => {
      const [start, end] = [layout.nodes[indexOf.get(pair.from) ?? -1], layout.nodes[indexOf.get(pair.to) ?? -1]];
      if (!start || !end) return [];
      const points = curveBack(start, end);
      return [way('back', pair, { path: pathBack(points), label: `↶ ${times}×`, labelAt: middleOf(points) })];
    }),
  ];
}

// --- internal ---

interface Pair {
  readonly from: string;
  readonly to: string;
}

const COLORS = { ahead: 'var(--quiet)', allowed: 'var(--line)', back: 'var(--warn)' } as const;
const NOWHERE = { x: 0, y: 0 } as const;

function pairOf({ from, to }: Pair): string {
  return JSON.stringify([from, to]);
}

/** Level where it leaves and arrives, and where it passes columns. */
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

function middleOf([start, one, two, end]: readonly Point[]): Point {
  if (!start || !one || !two || !end) return NOWHERE;
  return { x: (start.x + 3 * one.x + 3 * two.x + end.x) / 8, y: (start.y + 3 * one.y + 3 * two.y + end.y) / 8 };
}
