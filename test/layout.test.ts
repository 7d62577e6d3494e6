import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { definePipeline, phase, task } from '../src/index.ts';
import type { Plan } from '../src/records.ts';
import { layoutOf, type Layout } from '../visualizations/layout/layout.ts';

const size = () => ({ width: 100, height: 40 });

describe('layoutOf()', () => {
  it('has columns in the order of work, arrows between them, and rewinds below', () => {
    //  a ──▶ b ──▶ d      d ⇢ b and c
    //  └───▶ c ────┘
    const plan = planOf({ a: [], b: ['a'], c: ['a'], d: ['b', 'c'] }, 'd');
    expect(layoutOf(plan, { size })).toEqual({
      width: 460,
      height: 184,
      nodes: [
        { name: 'a', x: 66, y: 72, width: 100, height: 40 },
        { name: 'b', x: 230, y: 36, width: 100, height: 40 },
        { name: 'c', x: 230, y: 108, width: 100, height: 40 },
        { name: 'd', x: 394, y: 72, width: 100, height: 40 },
      ],
      edges: [
        { from: 'a', to: 'b', points: at([116, 72], [180, 36]) },
        { from: 'a', to: 'c', points: at([116, 72], [180, 108]) },
        { from: 'b', to: 'd', points: at([280, 36], [344, 72]) },
        { from: 'c', to: 'd', points: at([280, 108], [344, 72]) },
      ],
      backEdges: [
        { from: 'd', to: 'b', points: at([377, 92], [377, 132], [247, 132], [247, 56]) },
        { from: 'd', to: 'c', points: at([377, 92], [377, 168], [247, 168], [247, 128]) },
      ],
    });
  });

  it('keeps the positions of phases, whatever rewinds there are', () => {
    const order = { a: [], b: ['a'], c: ['b'], d: ['c', 'a'] };
    const [without, some, all] = [
      layoutOf(planOf(order), { size }),
      layoutOf(planOf(order, 'd'), { size }),
      layoutOf(planOf(order), {
        size,
        rewinds: [
          { from: 'd', to: 'a' },
          { from: 'd', to: 'gone' },
        ],
      }),
    ];
    expect([some.nodes, some.edges]).toEqual([without.nodes, without.edges]);
    expect([all.nodes, all.edges]).toEqual([without.nodes, without.edges]);
    expect(some.backEdges.map(({ from, to }) => `${from} ${to}`)).toEqual(['d a', 'd c']);
    expect(all.backEdges.map(({ from, to }) => `${from} ${to}`)).toEqual(['d a']);
  });

  it('routes long arrows past phases, and bends them at their columns only', () => {
    //  a ──▶ b ──▶ c ──▶ d
    //  └─────────────────┘
    const { nodes, edges } = layoutOf(planOf({ a: [], b: ['a'], c: ['b'], d: ['c', 'a'] }), { size });
    const long = edges.find(({ from, to }) => from === 'a' && to === 'd');
    const middle = long?.points.slice(1, -1) ?? [];
    expect(middle.map(({ x }) => x)).toEqual([180, 280, 344, 444]);
    expect(new Set(middle.map(({ y }) => y)).size).toBe(1);
    for (const { name, y, height } of nodes) {
      if (name === 'b' || name === 'c') expect(Math.abs(y - (middle[0]?.y ?? y))).toBeGreaterThan(height / 2);
    }
  });

  it('orders columns so that avoidable crossings do not happen', () => {
    //  a ──▶ y    b ──▶ x    c ──▶ w
    const plan = planOf({ a: [], b: [], c: [], w: ['c'], x: ['b'], y: ['a'] });
    const { nodes } = layoutOf(plan, { size });
    const down = (names: string) => names.split('').map((name) => nodes.find((node) => node.name === name)?.y);
    expect(down('abc')).toEqual(down('yxw'));
  });

  it('separates all nodes within the picture, with arrows to the right, for any plan', () => {
    fc.assert(
      fc.property(graphs(), (order) => {
        const plan = planOf(order);
        const { width, height, nodes, edges } = layoutOf(plan);
        expect(nodes.map(({ name }) => name)).toEqual(Object.keys(order));
        expect(edges).toHaveLength(Object.values(order).flat().length);
        for (const [index, one] of nodes.entries()) {
          expect(one.x - one.width / 2).toBeGreaterThan(0);
          expect(one.x + one.width / 2).toBeLessThan(width);
          expect(one.y - one.height / 2).toBeGreaterThan(0);
          expect(one.y + one.height / 2).toBeLessThan(height);
          for (const two of nodes.slice(index + 1)) {
            const apart = Math.abs(one.x - two.x) * 2 >= one.width + two.width;
            expect(apart || Math.abs(one.y - two.y) * 2 >= one.height + two.height).toBe(true);
          }
        }
        for (const { points } of edges) {
          const x = points.map((point) => point.x);
          expect(x).toEqual(x.toSorted((a, b) => a - b));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('has room for long and wide pipelines, and for complete graphs', () => {
    const names = Array.from({ length: 2000 }, (_, index) => `p${index}`);
    const chain = Object.fromEntries(names.map((name, index) => [name, names.slice(Math.max(0, index - 1), index)]));
    const wide = Object.fromEntries(names.map((name) => [name, []]));
    const few = names.slice(0, 200);
    const all = Object.fromEntries(few.map((name, index) => [name, few.slice(0, index)]));
    for (const order of [chain, wide, all]) {
      const plan = bare(order);
      const { nodes, edges } = layoutOf(plan);
      expect([nodes.length, edges.length]).toEqual([plan.phases.length, Object.values(order).flat().length]);
    }
  });

  it('has room for an empty plan', () => {
    expect(layoutOf(bare({}))).toEqual({ width: 32, height: 32, nodes: [], edges: [], backEdges: [] });
  });
});

function at(...points: readonly (readonly [number, number])[]): Layout['edges'][number]['points'] {
  return points.map(([x, y]) => ({ x, y }));
}

function planOf(order: Readonly<Record<string, readonly string[]>>, gated = ''): Plan {
  const phases = Object.entries(order).map(([name, after]) =>
    phase(name, { after, tasks: [task('t', { run: () => 1 })], ...(name === gated && { review: () => 'APPROVE' }) }),
  );
  return definePipeline({ name: 'p', phases }).plan;
}

/** Builds a plan without validation. */
function bare(order: Readonly<Record<string, readonly string[]>>): Plan {
  const [one] = planOf({ one: [] }).phases;
  const phases = Object.entries(order).flatMap(([name, after]) => (one ? [{ ...one, name, after }] : []));
  return { ...planOf({ one: [] }), phases };
}

/** Generates graphs. Each phase comes after some of the phases before it. */
function graphs(): fc.Arbitrary<Readonly<Record<string, readonly string[]>>> {
  return fc
    .array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 25 })
    .map((sources) =>
      Object.fromEntries(
        sources.map((some, index) => [
          `p${index}`,
          index === 0 ? [] : [...new Set(some.map((one) => `p${one % index}`))],
        ]),
      ),
    );
}
