/**
 * Readiness of phases: a phase may start if it has to run, and none of its ancestors has to.
 *
 * A phase is *unsettled* while it has to run or runs, and *dirty* while it or any ancestor is unsettled. An approved phase that is
 * sent back becomes unsettled, and everything below it dirty at once. So no phase starts on an input that is about to change, and a
 * phase that many changes reach runs once for all of them.
 *
 * Costs one step for each edge whose dirt changes. A run without rewinds costs one step for each edge in all.
 *
 * @module
 */
import type { Graph } from '../../model/values/graph.ts';

/** The readiness of every phase of a run, by index. */
export interface Readiness {
  readonly graph: Graph;
  /** True for each phase that has to run or runs. */
  readonly unsettled: boolean[];
  /** Number of dirty predecessors of each phase. */
  readonly dirtySources: number[];
}

/** Creates the readiness at the start of a run: every phase has to run. */
export function createReadiness(graph: Graph): Readiness {
  return { graph, unsettled: graph.names.map(() => true), dirtySources: graph.before.map((sources) => sources.length) };
}

/** True if the phase has to run or runs. */
export function isUnsettled({ unsettled }: Readiness, phase: number): boolean {
  return unsettled[phase] === true;
}

/** True if the phase has to run, and may. */
export function canStart({ unsettled, dirtySources }: Readiness, phase: number): boolean {
  return unsettled[phase] === true && dirtySources[phase] === 0;
}

/** Settles a phase. Returns the phases that may start by that, in definition order. */
export function markSettled(readiness: Readiness, phase: number): readonly number[] {
  if (!isUnsettled(readiness, phase)) return [];
  readiness.unsettled[phase] = false;
  return readiness.dirtySources[phase] === 0 ? spread(readiness, phase, -1) : [];
}

/** Marks a phase that has to run again. */
export function markUnsettled(readiness: Readiness, phase: number): void {
  if (isUnsettled(readiness, phase)) return;
  readiness.unsettled[phase] = true;
  if (readiness.dirtySources[phase] === 0) spread(readiness, phase, 1);
}

// --- internal ---

/** Passes a change of one phase's dirt on to those below it. Returns the phases that may start by that. */
function spread({ graph, unsettled, dirtySources }: Readiness, from: number, change: 1 | -1): readonly number[] {
  const freed: number[] = [];
  const changed = [from];
  for (let source = changed.pop(); source !== undefined; source = changed.pop()) {
    for (const target of graph.next[source] ?? []) {
      const before = dirtySources[target] ?? 0;
      dirtySources[target] = before + change;
      const clean = before + Math.min(change, 0) === 0;
      if (!clean) continue;
      if (unsettled[target] !== true) changed.push(target);
      else if (change === -1) freed.push(target);
    }
  }
  return freed.toSorted((a, b) => a - b);
}
