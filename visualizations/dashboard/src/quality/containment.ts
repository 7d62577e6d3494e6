/**
 * The containment matrix: the phases that injected defects, by the phases that removed them.
 *
 * @module
 */
import type { Measures } from '../../../../src/projections/quality/measures.ts';

/** The matrix. */
export interface Matrix {
  /** The columns: phases that have removed defects, in topological order, as far as there is room. */
  readonly removing: readonly string[];
  /** The number of further phases that have removed defects. */
  readonly others: number;
  readonly rows: readonly MatrixRow[];
}

/** The defects of one phase. */
export interface MatrixRow {
  readonly injected: string;
  /** Removed defects by column. */
  readonly removed: readonly number[];
  /** Defects that phases without a column have removed. */
  readonly elsewhere: number;
  readonly accepted: number;
  readonly open: number;
  readonly total: number;
}

/** Computes the matrix of a run. @param most The most columns for phases. */
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
