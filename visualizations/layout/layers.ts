/**
 * The columns of a layered drawing: a column for each node, and an order within each column that has few crossings.
 *
 * A long edge has a bend in each column that it passes. Bends take part in the order. The edges of one node share them.
 *
 * @module
 */
import { topologicalOrder, type Graph } from '../../src/model/values/graph.ts';

/** The nodes of a graph by index, followed by the bends of its edges. */
export interface Layers {
  /** Columns from left to right. Each lists its nodes and bends from top to bottom. */
  readonly columns: readonly (readonly number[])[];
  /** For each node and bend, its sources in the previous column. */
  readonly before: readonly (readonly number[])[];
  /** For each node and bend, its targets in the next column. */
  readonly next: readonly (readonly number[])[];
  /** The bends of each edge. Edges are in the order of `before` of the graph. */
  readonly bends: readonly (readonly number[])[];
}

/** Puts each node of a graph without cycles into the column after the last of its sources. */
export function layersOf(graph: Pick<Graph, 'before' | 'next'>): Layers {
  const columnOf = graph.before.map(() => 0);
  for (const node of topologicalOrder(graph)) {
    for (const source of graph.before[node] ?? []) {
      columnOf[node] = Math.max(columnOf[node] ?? 0, (columnOf[source] ?? 0) + 1);
    }
  }
  const before: number[][] = graph.before.map(() => []);
  const next: number[][] = graph.before.map(() => []);
  const edges = graph.before.flatMap((sources, to) => sources.map((from) => ({ from, to })));
  const bends: number[][] = edges.map(() => []);
  const bendsOf: number[][] = graph.before.map(() => []);
  const spanOf = ({ from, to }: Edge): number => (columnOf[to] ?? 0) - (columnOf[from] ?? 0);
  let left = MOST_BENDS;
  const shortestFirst = edges.map((_, at) => at).toSorted((a, b) => spanAt(a) - spanAt(b));
  for (const at of shortestFirst) {
    const edge = edges[at];
    if (!edge) continue;
    const span = spanOf(edge);
    // The edges of one node share their bends, so they are drawn as one line that branches.
    const shared = (bendsOf[edge.from] ??= []);
    // Beyond the limit, long edges have no bends, and are drawn straight.
    if (span - 1 - shared.length > left) break;
    for (let step = shared.length + 1; step < span; step++) {
      const source = shared.at(-1) ?? edge.from;
      const bend = columnOf.push((columnOf[edge.from] ?? 0) + step) - 1;
      next[source]?.push(bend);
      before.push([source]);
      next.push([]);
      shared.push(bend);
      left -= 1;
    }
    const last = span > 1 ? (shared[span - 2] ?? edge.from) : edge.from;
    bends[at]?.push(...shared.slice(0, span - 1));
    next[last]?.push(edge.to);
    before[edge.to]?.push(last);
  }
  const columns: number[][] = [];
  columnOf.forEach((column, node) => (columns[column] ??= []).push(node));
  return { columns: ordered(columns, before, next), before, next, bends };

  function spanAt(at: number): number {
    const edge = edges[at];
    return edge ? spanOf(edge) : 0;
  }
}

// --- internal ---

interface Edge {
  readonly from: number;
  readonly to: number;
}

type Neighbours = readonly (readonly number[])[];

/** A limit, as a graph with all possible edges would need a bend for each edge in each column. */
const MOST_BENDS = 10_000;
const SWEEPS = 8;

/**
 * Sorts columns by the positions of neighbours, forwards and backwards in turn, and returns the order with the fewest crossings.
 */
function ordered(columns: readonly (readonly number[])[], before: Neighbours, next: Neighbours): Layers['columns'] {
  let best = columns;
  let least = crossings(columns, next);
  let current = columns;
  for (let sweep = 0; sweep < SWEEPS && least > 0; sweep++) {
    const isForth = sweep % 2 === 0;
    current = sorted(isForth ? current : current.toReversed(), isForth ? before : next);
    if (!isForth) current = current.toReversed();
    const crossed = crossings(current, next);
    if (crossed < least) [best, least] = [current, crossed];
  }
  return best;
}

/** Sorts each column by the mean position of its neighbours in the previous one. A node without neighbours keeps its position. */
function sorted(columns: readonly (readonly number[])[], neighbours: Neighbours): readonly (readonly number[])[] {
  const place = new Map<number, number>();
  return columns.map((column) => {
    const keys = new Map(
      column.map((node, at) => {
        const near = neighbours[node] ?? [];
        const sum = near.reduce((total, one) => total + (place.get(one) ?? 0), 0);
        return [node, near.length === 0 ? at / column.length : sum / near.length];
      }),
    );
    const order = column.toSorted((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0));
    // Relative positions, as columns differ in length.
    order.forEach((node, at) => place.set(node, (at + 0.5) / order.length));
    return order;
  });
}

/** Counts crossings of edges between adjacent columns: pairs of edges in opposite order at their ends. */
function crossings(columns: readonly (readonly number[])[], next: Neighbours): number {
  const place = new Map<number, number>();
  for (const column of columns) column.forEach((node, at) => place.set(node, at));
  let count = 0;
  columns.forEach((column, at) => {
    const size = columns[at + 1]?.length ?? 0;
    const tree = new Uint32Array(size + 1);
    let seen = 0;
    for (const node of column) {
      const ends = (next[node] ?? []).map((target) => place.get(target) ?? 0);
      for (const end of ends) count += seen - countUpTo(tree, end);
      for (const end of ends) add(tree, end);
      seen += ends.length;
    }
  });
  return count;
}

/** Counts ends at or above a position, with a Fenwick tree. */
function countUpTo(tree: Uint32Array, place: number): number {
  let count = 0;
  for (let at = place + 1; at > 0; at -= at & -at) count += tree[at] ?? 0;
  return count;
}

function add(tree: Uint32Array, place: number): void {
  for (let at = place + 1; at < tree.length; at += at & -at) tree[at] = (tree[at] ?? 0) + 1;
}
