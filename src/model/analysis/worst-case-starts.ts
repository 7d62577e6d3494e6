/**
 * Most starts of each phase in the worst case.
 *
 * @module
 */
import type { Plan } from '../plan/plan.ts';
import { countOf } from '../plan/policy.ts';
import { walker, type Graph } from '../values/graph.ts';
import { ancestorSums } from './ancestor-sums.ts';

/** Starts of a phase: those that pass its gate, and those after a rewind by a gate with `regate: false`. */
export interface Starts {
  readonly gated: number;
  readonly ungated: number;
}

/**
 * Counts fresh starts, by phase in definition order. Each phase has one at first, and at most one for each rewind that concerns it:
 * as target, as requester, as a phase between them, or because it is invalidated.
 *
 * The pairs of requester and target may be quadratic in the number of phases, so pairs that concern the same phases are added up first.
 */
export function countStarts(plan: Plan, graph: Graph): readonly Starts[] {
  const gated = graph.names.map(() => 1);
  const ungated = graph.names.map(() => 0);
  /** Rewinds to each phase that start everything below it. */
  const wide = graph.names.map(() => 0);
  const above = walker(graph.before);
  const ancestors = counter(graph.before);
  const between = betweener(graph);
  plan.phases.forEach(({ gate }, requester) => {
    const budget = gate ? Math.min(countOf(gate.maxPredecessorRetries), plan.limits.perPair ?? Infinity) : 0;
    if (!gate || budget === 0) return;
    // Targets are distinct ancestors: if there are as many as ancestors, they are all of them.
    const all =
      gate.targets.length > 1 && gate.targets.length === upToSome(graph.before, requester, gate.targets.length + 1);
    const targets = all ? [] : gate.targets.flatMap((name) => graph.indexOf.get(name) ?? []);
    const count = (target: number): void => {
      add(gate.regate ? gated : ungated, target, budget);
      if (gate.invalidate !== 'requester') {
        add(wide, target, budget);
        return;
      }
      add(gated, requester, budget);
      // If all ancestors are targets, a phase is between the requester and each of its own ancestors.
      if (all) add(gated, target, budget, ancestors(target));
    };
    if (all) above(requester, count);
    else targets.forEach(count);
    if (gate.invalidate === 'requester') between(targets, requester, (node) => add(gated, node, budget));
  });
  if (wide.some((rewinds) => rewinds > 0))
    ancestorSums(graph, wide).forEach((rewinds, node) => add(gated, node, rewinds));
  return gated.map((count, node) => ({ gated: count, ungated: ungated[node] ?? 0 }));
}

// --- internal ---

/** Counts the nodes reachable from a node, with one walk per node. */
function counter(edges: Graph['next']): (node: number) => number {
  const walk = walker(edges);
  const counts: number[] = [];
  return (node) => {
    const known = counts[node];
    if (known !== undefined) return known;
    let count = 0;
    walk(node, () => count++);
    counts[node] = count;
    return count;
  };
}

/** Counts the nodes reachable from a node, and stops at a number. */
function upToSome(edges: Graph['next'], from: number, most: number): number {
  const seen = new Set<number>();
  const stack = [from];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    for (const node of edges[at] ?? []) {
      if (seen.has(node)) continue;
      if (seen.size + 1 === most) return most;
      seen.add(node);
      stack.push(node);
    }
  }
  return seen.size;
}

/** Visits the nodes between each of several nodes and a later one, once per pair. */
function betweener({ before, next, rank }: Graph) {
  const [above, below] = [walker(before), walker(next)];
  const marks = new Int32Array(before.length).fill(-1);
  return (froms: readonly number[], to: number, visit: (node: number) => void): void => {
    if (froms.length === 0 || (before[to]?.length === 1 && before[to][0] === froms[0])) return;
    const first = Math.min(...froms.map((from) => rank[from] ?? 0));
    const mark = (node: number) => (marks[node] = to);
    above(to, mark, (node) => (rank[node] ?? 0) > first);
    for (const from of froms) below(from, visit, (node) => marks[node] === to);
  };
}

/** Adds a count several times. Zero times an unlimited count adds nothing. */
function add(counts: number[], node: number, count: number, times = 1): void {
  if (times > 0) counts[node] = (counts[node] ?? 0) + count * times;
}
