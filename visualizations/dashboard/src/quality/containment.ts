/**
 * The containment of phases as a matrix: where defects came in, by where they were taken out.
 *
 * @module
 */
import type { Measures } from '../../../../src/projections/quality/measures.ts';

/** The matrix. */
export interface Matrix {
  /** Phases that have removed any, as far as there is room, in topological order. */
  readonly removing: readonly string[];
  /** How many phases more have. */
  readonly others: number;
  readonly rows: readonly MatrixRow[];
}

/** The defects of one phase. */
export interface MatrixRow {
  readonly injected: string;
  /** For each column. */
  readonly removed: readonly number[];
  /** By the phases that have no column. */
  readonly elsewhere: number;
  readonly accepted: number;
  readonly open: number;
  readonly total: number;
}

/** The matrix of a run. @param most Columns for phases. */
export function matrixOf({ containment, phases }: Measures, most: number): Matrix {
  const any = new Set(containment.flatMap(({ removed }) => Object.keys(removed)));
  const all = phases.flatMap(({ phase }) => (any.has(phase) ? [phase] : []));
  const removing = all.slice(0, most);
  const others = new Set(all.slice(most));
  const rows = containment.map(({ injected, removed, accepted, open }): MatrixRow => {
    const counts = new Map(Object.entries(removed));
    const columns = removing.map((phase) => counts.get(phase) ?? 0);
    const elsewhere = [...counts].reduce((sum, [phase, count]) => sum + (others.has(phase) ? count : 0), 0);
    const total = columns.reduce((sum, count) => sum + count, elsewhere + accepted + open);
    return { injected, removed: columns, elsewhere, accepted, open, total };
  });
  return { removing, others: others.size, rows };
}
