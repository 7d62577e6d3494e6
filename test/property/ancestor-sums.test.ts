import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ancestorSums } from '../../src/model/analysis/ancestor-sums.ts';
import { graphOf, reach } from '../../src/model/values/graph.ts';

/** Graphs without cycles, in any order of definition, with a weight for each node. */
const weighted = fc
  .integer({ min: 1, max: 120 })
  .chain((count) =>
    fc.record({
      edges: fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 3 * count }),
      order: fc.shuffledSubarray(
        Array.from({ length: count }, (_, node) => node),
        { minLength: count },
      ),
      weights: fc.array(fc.constantFrom(0, 1, 1, 2, 7, Infinity), { minLength: count, maxLength: count }),
    }),
  )
  .map(({ edges, order, weights }) => {
    const nodes = order.map((node) => ({
      name: `n${node}`,
      after: edges.filter(([a, b]) => a !== b && Math.max(a, b) === node).map(([a, b]) => `n${Math.min(a, b)}`),
    }));
    return { graph: graphOf(nodes), weights };
  });

describe('sums over ancestors', () => {
  it('are those of a walk from each node', () => {
    fc.assert(
      fc.property(weighted, ({ graph, weights }) => {
        const expected = graph.names.map((_, node) =>
          [...reach(graph.before, node)].reduce((sum, one) => sum + (weights[one] ?? 0), 0),
        );
        expect(ancestorSums(graph, weights)).toEqual(expected);
      }),
    );
  });

  it('are right beyond one strip of words', () => {
    // A strip has 1024 nodes of one weight. Here are four, and two weights.
    const nodes = Array.from({ length: 4096 }, (_, node) => ({
      name: `n${node}`,
      after: node === 0 ? [] : [`n${node - 1}`],
    }));
    const weights = nodes.map((_, node) => (node % 2 === 0 ? 3 : 0.5));
    const sums = ancestorSums(graphOf(nodes), weights);
    expect(sums.map((sum, node) => sum - (node / 2) * 3.5)).toEqual(
      nodes.map((_, node) => (node % 2 === 0 ? 0 : 1.25)),
    );
  });

  it('of no nodes are none', () => {
    expect(ancestorSums(graphOf([]), [])).toEqual([]);
  });
});
