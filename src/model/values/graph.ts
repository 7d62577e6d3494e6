/**
 * Directed graphs of named nodes, for phases in a pipeline and for tasks in a phase alike.
 *
 * @module
 */

/** A node and the names of its predecessors. */
export interface GraphNode {
  readonly name: string;
  readonly after: readonly string[];
}

/** A graph by index, in definition order; edges to unknown names are left out. */
export interface Graph {
  readonly names: readonly string[];
  readonly indexOf: ReadonlyMap<string, number>;
  /** The predecessors of each node. */
  readonly before: readonly (readonly number[])[];
  /** The successors of each node, in definition order. */
  readonly next: readonly (readonly number[])[];
  /** Position of each node in a topological order; -1 on or behind a cycle. */
  readonly rank: readonly number[];
}

/** Builds the graph of nodes whose names are unique. */
export function graphOf(nodes: readonly GraphNode[]): Graph {
  const names = nodes.map((node) => node.name);
  const indexOf = new Map<string, number>();
  names.forEach((name, index) => indexOf.set(name, index));
  // One list for all nodes without any, and lists that are made with their first item: an empty one makes room for 17 when it grows.
  const none: number[] = [];
  const next = names.map(() => none);
  const before = nodes.map((node, index) => {
    const after = node.after.length > 1 ? [...new Set(node.after)] : node.after;
    let sources = none;
    for (let at = 0; at < after.length; at++) {
      const source = indexOf.get(after[at] ?? '');
      if (source === undefined) continue;
      if (sources === none) sources = [source];
      else sources.push(source);
      const targets = next[source] ?? none;
      if (targets === none) next[source] = [index];
      else targets.push(index);
    }
    return sources;
  });
  const rank = names.map(() => -1);
  topologicalOrder({ before, next }).forEach((node, at) => (rank[node] = at));
  return { names, indexOf, before, next, rank };
}

/** Sorts node indices topologically; nodes on or behind a cycle are missing. */
export function topologicalOrder(graph: Pick<Graph, 'before' | 'next'>): readonly number[] {
  const waiting = graph.before.map((sources) => sources.length);
  const order: number[] = [];
  for (let index = 0; index < waiting.length; index++) if (waiting[index] === 0) order.push(index);
  for (let at = 0; at < order.length; at++) {
    const targets = graph.next[order[at] ?? -1] ?? [];
    for (let one = 0; one < targets.length; one++) {
      const target = targets[one] ?? -1;
      const left = (waiting[target] ?? 0) - 1;
      waiting[target] = left;
      if (left === 0) order.push(target);
    }
  }
  return order;
}

/** Returns the names of nodes in topological order. */
export function namesInOrder({ names, rank }: Graph, nodes: Iterable<number>): readonly string[] {
  return [...nodes].toSorted((a, b) => (rank[a] ?? 0) - (rank[b] ?? 0)).map((node) => names[node] ?? '');
}

/** Returns the names of all ancestors of a node, in topological order. */
export function namesAbove(graph: Graph, node: number): readonly string[] {
  return namesInOrder(graph, reach(graph.before, node));
}

/** Finds one cycle, as a path that ends at its first node; `undefined` if there is none. */
export function findCycle(graph: Graph): readonly string[] | undefined {
  const sound = new Set(topologicalOrder(graph));
  const start = graph.names.findIndex((_, index) => !sound.has(index));
  if (start === -1) return undefined;
  // Every unsound node has an unsound predecessor, so walking back must reach a node twice.
  const seen = new Map<number, number>();
  let at = start;
  while (!seen.has(at)) {
    seen.set(at, seen.size);
    at = graph.before[at]?.find((source) => !sound.has(source)) ?? start;
  }
  const cycle = [...[...seen.keys()].slice(seen.get(at)), at].toReversed();
  return cycle.map((index) => graph.names[index] ?? '');
}

/**
 * Returns every node reachable through wanted nodes.
 *
 * @param from One node, or several; they are only in the result if an edge leads back to them.
 */
export function reach(
  edges: Graph['next'],
  from: number | readonly number[],
  wanted: (node: number) => boolean = () => true,
): ReadonlySet<number> {
  const seen = new Set<number>();
  const stack = typeof from === 'number' ? [from] : [...from];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    for (const node of edges[at] ?? []) {
      if (seen.has(node) || !wanted(node)) continue;
      seen.add(node);
      stack.push(node);
    }
  }
  return seen;
}

/** Visits every node reachable from one through wanted nodes, in no defined order. */
export type Walk = (from: number, visit: (node: number) => void, wanted?: (node: number) => boolean) => void;

/** Makes a reusable `reach` over one graph, for many walks one after the other. It allocates once and marks visited nodes. */
export function walker(edges: Graph['next']): Walk {
  const marks = new Uint32Array(edges.length);
  const stack: number[] = [];
  let walk = 0;
  return (from, visit, wanted = () => true) => {
    walk++;
    for (let at: number | undefined = from; at !== undefined; at = stack.pop()) {
      for (const node of edges[at] ?? []) {
        if (marks[node] === walk || !wanted(node)) continue;
        marks[node] = walk;
        stack.push(node);
        visit(node);
      }
    }
  };
}

/** Returns the nodes strictly between two on any path from the first to the second, in definition order. */
export function between(graph: Graph, from: number, to: number): readonly number[] {
  const { rank } = graph;
  const last = rank[to] ?? -1;
  const below = reach(graph.next, from, (node) => (rank[node] ?? -1) < last);
  if (below.size === 0) return [];
  const above = reach(graph.before, to, (node) => below.has(node));
  return [...above].toSorted((a, b) => a - b);
}
