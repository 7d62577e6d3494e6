/**
 * Vertical positions in columns: as near to the neighbours as the order and the sizes allow.
 *
 * @module
 */
import type { Layers } from './layers.ts';

/**
 * Computes the vertical centre of each node and bend.
 *
 * @param gap The least distance between the centres of two adjacent nodes of a column.
 * @param pull The weight with which a node or bend moves towards its neighbours. Bends have more, so that long edges are
 * straight.
 */
export function straighten(
  { columns, before, next }: Layers,
  gap: (upper: number, lower: number) => number,
  pull: (node: number) => number,
): ReadonlyMap<number, number> {
  const y = new Map<number, number>();
  for (const column of columns) {
    let at = 0;
    column.forEach((node, index) => {
      at += index === 0 ? 0 : gap(column[index - 1] ?? node, node);
      y.set(node, at);
    });
    for (const node of column) y.set(node, (y.get(node) ?? 0) - at / 2);
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isForth = sweep % 2 === 0;
    for (const column of isForth ? columns : columns.toReversed()) settle(column, sweepNeighbours(sweep));
  }
  return y;

  /** Uses the neighbours of one side in turn, and of both sides at the end. */
  function sweepNeighbours(sweep: number): (node: number) => readonly number[] {
    if (sweep >= SWEEPS - 2) return (node) => [...(before[node] ?? []), ...(next[node] ?? [])];
    return (node) => (sweep % 2 === 0 ? before : next)[node] ?? [];
  }

  function settle(column: readonly number[], neighbours: (node: number) => readonly number[]): void {
    const wishes = column.map((node): Wish => {
      const near = neighbours(node);
      if (near.length === 0) return { at: y.get(node) ?? 0, weight: WEAK };
      const pulls = near.map((one) => Math.min(pull(one), pull(node)));
      const weight = pulls.reduce((sum, one) => sum + one, 0);
      const at = near.reduce((sum, one, index) => sum + (y.get(one) ?? 0) * (pulls[index] ?? 0), 0) / weight;
      return { at, weight };
    });
    const gaps = column.map((node, index) => (index === 0 ? 0 : gap(column[index - 1] ?? node, node)));
    nearest(wishes, gaps).forEach((at, index) => y.set(column[index] ?? 0, at));
  }
}

// --- internal ---

interface Wish {
  readonly at: number;
  readonly weight: number;
}

const SWEEPS = 8;
const WEAK = 0.01;

/**
 * Finds the positions nearest to the wished ones, with at least the given gaps: the least sum of weighted squares. With the gaps
 * subtracted this is an isotonic regression, which pools neighbours that would have to pass each other.
 */
function nearest(wishes: readonly Wish[], gaps: readonly number[]): readonly number[] {
  let offset = 0;
  const offsets = gaps.map((one) => (offset += one));
  const pools: { sum: number; weight: number; count: number }[] = [];
  wishes.forEach(({ at, weight }, index) => {
    let pool = { sum: (at - (offsets[index] ?? 0)) * weight, weight, count: 1 };
    for (let last = pools.at(-1); last && last.sum / last.weight > pool.sum / pool.weight; last = pools.at(-1)) {
      pool = { sum: pool.sum + last.sum, weight: pool.weight + last.weight, count: pool.count + last.count };
      pools.pop();
    }
    pools.push(pool);
  });
  const places = pools.flatMap(({ sum, weight, count }) => Array.from({ length: count }, () => sum / weight));
  return places.map((place, index) => place + (offsets[index] ?? 0));
}
