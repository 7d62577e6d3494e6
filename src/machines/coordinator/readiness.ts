/**
 * Which phases may start: those that have to run, and none of whose ancestors has to.
 *
 * A phase is *unsettled* while it has to run or is running, and *dirty* while it or any ancestor is unsettled. Sending an
 * approved phase back unsettles it, which makes everything below it dirty at once: so nothing starts on an input that is
 * about to change, and a phase that many changes reach runs once for all of them.
 *
 * Costs one step per edge whose dirt changes; a run that never goes back costs one step per edge in all.
 *
 * @module
 */
import type { Graph } from '../../model/values/graph.ts';

/** The readiness of every phase of a run, by index. */
export interface Readiness {
  readonly graph: Graph;
  /** Whether each phase has to run or is running. */
  readonly unsettled: boolean[];
  /** How many of each phase's predecessors are dirty. */
  readonly dirtySources: number[];
}

/** A course at the start of a run: every phase has to run. */
export function createReadiness(graph: Graph): Readiness {
  return { graph, unsettled: graph.names.map(() => true), dirtySources: graph.before.map((sources) => sources.length) };
}

/** True where the phase has to run or is running. */
export function isUnsettled({ unsettled }: Readiness, phase: number): boolean {
  return unsettled[phase] === true;
}

/** True where the phase has to run, and may. */
export function canStart({ unsettled, dirtySources }: Readiness, phase: number): boolean {
  return unsettled[phase] === true && dirtySources[phase] === 0;
}

/** The phase need not run any more. Returns the phases that became free by it, in definition order. */
export function markSettled(readiness: Readiness, phase: number): readonly number[] {
  if (!isUnsettled(readiness, phase)) return [];
  readiness.unsettled[phase] = false;
  return readiness.dirtySources[phase] === 0 ? spread(readiness, phase, -1) : [];
}

/** The phase has to run again. */
export function markUnsettled(readiness: Readiness, phase: number): void {
  if (isUnsettled(readiness, phase)) return;
  readiness.unsettled[phase] = true;
  if (readiness.dirtySources[phase] === 0) spread(readiness, phase, 1);
}

// --- internal ---

/** Passes a change of one phase's dirt on to those below it; returns the phases that the change freed. */
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
