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
import type { Graph } from './graph.ts';

/** The readiness of every phase of a run, by index. */
export interface Course {
  /** True where the phase has to run, and may. */
  isFree(phase: number): boolean;
  /** True where the phase has to run or is running. */
  isUnsettled(phase: number): boolean;
  /** The phase need not run any more. Returns the phases that became free by it, in definition order. */
  settle(phase: number): readonly number[];
  /** The phase has to run again. */
  unsettle(phase: number): void;
}

/** A course at the start of a run: every phase has to run. */
export function createCourse(graph: Graph): Course {
  const unsettled = graph.names.map(() => true);
  const dirtySources = graph.before.map((sources) => sources.length);

  /** Passes a change of one phase's dirt on to those below it; returns the phases that the change freed. */
  function spread(from: number, change: 1 | -1): number[] {
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

  return {
    isFree: (phase) => unsettled[phase] === true && dirtySources[phase] === 0,
    isUnsettled: (phase) => unsettled[phase] === true,
    settle(phase) {
      if (unsettled[phase] !== true) return [];
      unsettled[phase] = false;
      return dirtySources[phase] === 0 ? spread(phase, -1) : [];
    },
    unsettle(phase) {
      if (unsettled[phase] === true) return;
      unsettled[phase] = true;
      if (dirtySources[phase] === 0) spread(phase, 1);
    },
  };
}
