/**
 * Yields of a process, as W. S. Humphrey defines them in "The Personal Software Process" (CMU/SEI-2000-TR-022): of the
 * defects that were there, the share that was removed. Plain functions of counts.
 *
 * @module
 */
import { graphOf, walker } from '../../model/values/graph.ts';

/** How many defects a phase has brought in and taken out. */
export interface PhaseCounts {
  readonly phase: string;
  /** Phases that it comes after. */
  readonly after: readonly string[];
  /** Defects that are of this phase. */
  readonly injected: number;
  /** Defects that its gate has had removed, of whatever phase; `null` where nothing looks for any, so that it has no yield. */
  readonly removed: number | null;
}

/** What a phase lets through. */
export interface PhaseYield extends PhaseCounts {
  /** Defects of the phases that it needs, which none of them has removed. */
  readonly entry: number;
  /** 100 · removed / (at entry + injected). */
  readonly yield: number | null;
  /** The process yield before this phase: 100 · removed / injected, of all phases that it needs. */
  readonly processYield: number | null;
}

/** A share in percent; `null` where there is nothing to have a share of. */
export function percent(part: number, whole: number): number | null {
  return whole === 0 ? null : (100 * part) / whole;
}

/** A ratio; `null` where there is nothing to compare with. */
export function ratio(one: number, other: number): number | null {
  return other === 0 ? null : one / other;
}

/**
 * The yield of every phase, in the order given. Takes time by the number of phases that have injected or removed anything.
 *
 * @example
 * ```ts
 * yieldsOf([
 *   { phase: 'design', after: [], injected: 26, removed: null },
 *   { phase: 'design review', after: ['design'], injected: 0, removed: 11 },
 * ]); // the second: entry 26, yield 42.3
 * ```
 */
export function yieldsOf(counts: readonly PhaseCounts[]): readonly PhaseYield[] {
  const graph = graphOf(counts.map(({ phase, after }) => ({ name: phase, after })));
  const walk = walker(graph.next);
  const above = counts.map(() => ({ injected: 0, removed: 0 }));
  for (const [index, { injected, removed }] of counts.entries()) {
    if (injected === 0 && !removed) continue;
    walk(index, (below) => {
      const sum = above[below];
      if (!sum) return;
      sum.injected += injected;
      sum.removed += removed ?? 0;
    });
  }
  return counts.map((one, index) => {
    const before = above[index] ?? { injected: 0, removed: 0 };
    const entry = before.injected - before.removed;
    return {
      ...one,
      entry,
      yield: one.removed === null ? null : percent(one.removed, entry + one.injected),
      processYield: percent(before.removed, before.injected),
    };
  });
}
