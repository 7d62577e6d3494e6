/**
 * Sums over all ancestors of each node of a graph.
 *
 * @module
 */
import { topologicalOrder, type Graph } from '../values/graph.ts';

/**
 * Adds up the weights of all ancestors, for each node in definition order.
 *
 * Sets of ancestors are rows of bits, up to 32 of one weight to a word. So the time grows with edges times words. Phases have few
 * different weights: for 100 000 of them in layers it is a second, and a walk for each took minutes.
 *
 * @param weights By node; not negative, and may be infinite.
 */
export function ancestorSums(graph: Pick<Graph, 'before' | 'next'>, weights: readonly number[]): readonly number[] {
  const order = topologicalOrder(graph);
  const rank = new Int32Array(weights.length);
  order.forEach((node, at) => (rank[node] = at));
  const words = wordsOf(order, weights);
  const sums = new Float64Array(weights.length);
  const rows = new Int32Array(weights.length * STRIP);
  for (let first = 0; first < words.length; first += STRIP) {
    const strip = words.slice(first, first + STRIP);
    const own = new Map(strip.flatMap(({ nodes }, word) => nodes.map((node, bit) => [node, { word, bit }] as const)));
    rows.fill(0);
    // No node before the first of the strip is behind one of them.
    const start = strip.reduce((least, { nodes }) => Math.min(least, rank[nodes[0] ?? 0] ?? 0), order.length);
    for (let at = start; at < order.length; at++) {
      const node = order[at] ?? 0;
      const row = node * STRIP;
      for (const source of graph.before[node] ?? [])
        for (let word = 0; word < strip.length; word++)
          rows[row + word] = (rows[row + word] ?? 0) | (rows[source * STRIP + word] ?? 0);
      for (let word = 0; word < strip.length; word++) {
        const bits = rows[row + word] ?? 0;
        if (bits !== 0) sums[node] = (sums[node] ?? 0) + bitCount(bits) * (strip[word]?.weight ?? 0);
      }
      const place = own.get(node);
      if (place) rows[row + place.word] = (rows[row + place.word] ?? 0) | (1 << place.bit);
    }
  }
  return [...sums];
}

// --- internal ---

/** Words of a row that are computed together, so that a row fits into two lines of a cache. */
const STRIP = 32;

/** Up to 32 nodes of the same weight: the bits of one word. */
interface Word {
  readonly weight: number;
  /** In topological order. */
  readonly nodes: number[];
}

function wordsOf(order: readonly number[], weights: readonly number[]): readonly Word[] {
  const words: Word[] = [];
  const latest = new Map<number, Word>();
  for (const node of order) {
    const weight = weights[node] ?? 0;
    if (weight === 0) continue;
    const word = latest.get(weight);
    if (word && word.nodes.length < 32) {
      word.nodes.push(node);
      continue;
    }
    const next: Word = { weight, nodes: [node] };
    latest.set(weight, next);
    words.push(next);
  }
  return words;
}

/** Counts the bits of a word, in parallel: by two, by four, by eight. */
function bitCount(word: number): number {
  const twos = word - ((word >>> 1) & 0x5555_5555);
  const fours = (twos & 0x3333_3333) + ((twos >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
