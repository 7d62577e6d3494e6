/**
 * Cycles among phases, or among the tasks of a phase.
 *
 * @module
 */
import { findCycle, graphOf, type Graph, type GraphNode } from '../values/graph.ts';
import type { Problem } from './pipeline-invalid-error.ts';
import { placeIn, type NameList, type Path } from './places.ts';

/** A phase or a task, with the names that it comes after. */
export interface Ordered {
  readonly name: string;
  readonly options: { readonly after?: NameList };
}

/** True if no node is on a cycle, or behind one. */
export function isAcyclic(graph: Graph): boolean {
  return !graph.rank.includes(-1);
}

/** Finds one cycle, removes its nodes, and searches the rest again. */
export function cycles(
  where: string,
  nodes: readonly GraphNode[],
  graph: Graph,
  list: readonly Ordered[],
  path: Path,
): readonly Problem[] {
  const found: Problem[] = [];
  let left = nodes;
  let cycle = isAcyclic(graph) ? undefined : findCycle(graph);
  while (cycle && found.length < MOST_CYCLES) {
    const members = new Set(cycle);
    left = left.filter((node) => !members.has(node.name));
    const [before = '', last = ''] = cycle.slice(-2);
    const hint =
      cycle.length === 2
        ? `Drop "${last}" from its own after list.`
        : `Drop one dependency on that path, such as "${before}" from the after list of "${last}".`;
    const message = `there is a cycle: ${shorten(cycle).join(' → ')}`;
    const at = list.findIndex(({ name }) => name === last);
    const place = placeIn([...path, at, 'after'], list[at]?.options.after, before);
    found.push({ code: 'CYCLE', where, message, hint, path: place });
    cycle = findCycle(graphOf(left));
  }
  return found;
}

// --- internal ---

const MOST_CYCLES = 10;

function shorten(path: readonly string[]): readonly string[] {
  if (path.length <= 12) return path;
  return [...path.slice(0, 5), `(${path.length - 10} more)`, ...path.slice(-5)];
}
