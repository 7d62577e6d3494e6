/**
 * Columns of a layered drawing: which column each node is in, and in which order they stand there, so that few edges cross.
 *
 * Where an edge passes columns, bends stand for it there, and take part in the order.
 *
 * @module
 */
import { topologicalOrder, type Graph } from '../../src/model/values/graph.ts';

/** The nodes of a graph by their index, and behind them the bends of its edges. */
export interface Layers {
  /** Columns from left to right: the nodes and bends in them from top to bottom. */
  readonly columns: readonly (readonly number[])[];
  /** For each node and bend, those in the column before that lead to it. */
  readonly before: readonly (readonly number[])[];
  /** For each node and bend, those in the column after. */
  readonly next: readonly (readonly number[])[];
  /** For each edge, in the order of `before` of the graph: where it bends. */
  readonly bends: readonly (readonly number[])[];
}

/** Puts each node of a graph without cycles into the column after the last of those that it comes after. */
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
  const spanOf = ({ from, to }: Edge): number => (columnOf[to] ?? 0) - (columnOf[from] ?? 0);
  let left = MOST_BENDS;
  const shortestFirst = edges.map((_, at) => at).toSorted((a, b) => spanAt(a) - spanAt(b));
  for (const at of shortestFirst) {
    const edge = edges[at];
    if (!edge) continue;
    const span = spanOf(edge);
    // What is left of many long edges takes no part in the order, and is drawn straight.
    if (span - 1 > left) break;
    left -= span - 1;
    let source = edge.from;
    for (let step = 1; step < span; step++) {
      const bend = columnOf.push((columnOf[edge.from] ?? 0) + step) - 1;
      bends[at]?.push(bend);
      next[source]?.push(bend);
      before.push([source]);
      next.push([]);
      source = bend;
    }
    next[source]?.push(edge.to);
    before[edge.to]?.push(source);
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

/** A graph in which everything comes after everything would have a bend for each edge in each column. */
const MOST_BENDS = 10_000;
const SWEEPS = 8;

/** Sorts columns by where the neighbours of their nodes stand, forth and back, and keeps what crosses least. */
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

/** Each column by the middle of its neighbours in the one before; what has none stays where it is. */
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
    // Columns of different lengths are compared by how far down something is.
    order.forEach((node, at) => place.set(node, (at + 0.5) / order.length));
    return order;
  });
}

/** How often edges between neighbouring columns cross: pairs that are in the other order at their ends. */
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

/** A Fenwick tree counts how many ends are at most as far down as one. */
function countUpTo(tree: Uint32Array, place: number): number {
  let count = 0;
  for (let at = place + 1; at > 0; at -= at & -at) count += tree[at] ?? 0;
  return count;
}

function add(tree: Uint32Array, place: number): void {
  for (let at = place + 1; at < tree.length; at += at & -at) tree[at] = (tree[at] ?? 0) + 1;
}
