/**
 * Yields of a process, as W. S. Humphrey defines them in "The Personal Software Process" (CMU/SEI-2000-TR-022): the share of the
 * existing defects that was removed. Pure functions of counts.
 *
 * @module
 */
import { graphOf, walker } from '../../model/values/graph.ts';

/** Defects that a phase has injected and removed. */
export interface PhaseCounts {
  readonly phase: string;
  /** Phases that must be approved first. */
  readonly after: readonly string[];
  /** Defects made by this phase. */
  readonly injected: number;
  /** Defects that its gate had removed, made by any phase; `null` if it has no gate, so that it has no yield. */
  readonly removed: number | null;
}

/** The yield of a phase, and the defects that entered it. */
export interface PhaseYield extends PhaseCounts {
  /** Defects of the phases that it needs, as far as none of them has removed them. */
  readonly entry: number;
  /** 100 · removed / (at entry + injected). */
  readonly yield: number | null;
  /** The process yield before this phase: 100 · removed / injected, of all phases that it needs. */
  readonly processYield: number | null;
}

/** Returns a share in percent; `null` if the whole is zero. */
export function percent(part: number, whole: number): number | null {
  return whole === 0 ? null : (100 * part) / whole;
}

/** Returns a ratio; `null` if the divisor is zero. */
export function ratio(one: number, other: number): number | null {
  return other === 0 ? null : one / other;
}

/**
 * Returns the yield of every phase, in the order given. The time depends on the number of phases that have injected or removed
 * defects.
 *
 * @example
 * ```ts
 * phaseYields([
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
