/**
 * Places boxes and arrows in columns from left to right. Each box is to the right of all boxes that lead to it.
 *
 * @module
 */
import type { Graph } from '../../src/model/values/graph.ts';
import { layersOf } from './layers.ts';
import { straighten } from './straighten.ts';

/** A point. Numbers grow to the right and downwards. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A size in pixels. */
export interface NodeSize {
  readonly width: number;
  readonly height: number;
}

/** A box, by its centre. */
export interface Box extends Point, NodeSize {}

/** An arrow between two boxes, by their indices. */
export interface Arrow {
  readonly from: number;
  readonly to: number;
  /** Its two ends, and the bends between them. */
  readonly points: readonly Point[];
}

/** A graph with all positions. */
export interface Arrangement {
  readonly width: number;
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}

/** Arranges a graph without cycles. @param sizes The size of each node. */
export function arrange(graph: Pick<Graph, 'before' | 'next'>, sizes: readonly NodeSize[]): Arrangement {
  const layers = layersOf(graph);
  const tall = (node: number): number => sizes[node]?.height ?? 0;
  const isBend = (node: number): boolean => node >= sizes.length;
  const down = straighten(
    layers,
    (upper, lower) => (tall(upper) + tall(lower)) / 2 + (isBend(upper) && isBend(lower) ? 12 : BELOW),
    (node) => (isBend(node) ? 8 : 1),
  );
  const columns = columnsOf(layers.columns, sizes);
  const yOf = (node: number): number => Math.round(down.get(node) ?? 0);
  const tops = layers.columns.flatMap((column) => column.slice(0, 1)).map((node) => yOf(node) - tall(node) / 2);
  const top = tops.reduce((least, one) => Math.min(least, one), 0) - MARGIN;
  const boxes = sizes.map((size, node): Box => ({ x: columns.of(node).centre, y: yOf(node) - top, ...size }));
  const ends = graph.before.flatMap((sources, to) => sources.map((from) => ({ from, to })));
  const arrows = ends.flatMap(({ from, to }, at): readonly Arrow[] => {
    const [start, end] = [boxes[from], boxes[to]];
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
    return [{ from, to, points }];
  });
  return { width: columns.width, boxes, arrows };
}

/**
 * A way back as a cubic Bézier curve: start, two control points, and end. It passes below both boxes, the deeper the longer it
 * is. It starts next to the end of other curves, so that they do not touch.
 */
export function curveBack(from: Box, to: Box): readonly Point[] {
  const start = { x: from.x - Math.round(from.width / 6), y: from.y + from.height / 2 };
  const end = { x: to.x + Math.round(to.width / 6), y: to.y + to.height / 2 };
  const depth = Math.max(start.y, end.y) + Math.min(160, 24 + Math.round(Math.abs(start.x - end.x) / 8));
  return [start, { x: start.x, y: depth }, { x: end.x, y: depth }, end];
}

/** The height of the picture with all boxes and lines. */
export function heightOf(boxes: readonly Box[], lines: readonly { readonly points: readonly Point[] }[]): number {
  const bottoms = [
    ...boxes.map(({ y, height }) => y + height / 2),
    ...lines.map(({ points }) => points.reduce((most, { y }) => Math.max(most, y), 0)),
  ];
  return bottoms.reduce((most, one) => Math.max(most, one), MARGIN) + MARGIN;
}

// --- internal ---

const MARGIN = 16;
/** Distance between boxes of a column, and between columns. */
const BELOW = 32;
const BESIDE = 64;

interface Column {
  readonly left: number;
  readonly centre: number;
  readonly right: number;
}

/** Places the columns. Each is as wide as its widest box. */
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
