import { describe, expect, it } from 'vitest';
import { arrange } from '../../visualizations/layout/arrange.ts';
import type { LayoutNode } from '../../visualizations/layout/layout.ts';
import { waysAhead } from '../../visualizations/dashboard/src/run/graph/graph-edges.ts';
import { centreWithin } from '../../visualizations/dashboard/src/run/graph/graph-viewport.ts';
import { layoutForRun } from '../../visualizations/dashboard/src/run/graph/layout-request.ts';
import { createRewindRouter } from '../../visualizations/dashboard/src/run/graph/rewind-routes.ts';
import { rewindWords } from '../../visualizations/dashboard/src/run/graph/rewinds-of.ts';
import { definePipeline } from '../../src/index.ts';
import { fake } from '../rig.ts';

const OFFSETS = { beside: 12, below: 28 };
const LETTERS = ['a', 'b', 'c', 'd'];

/** Three columns: a; b and c; d. */
const NODES: readonly LayoutNode[] = [
  { name: 'a', x: 100, y: 100, width: 100, height: 80 },
  { name: 'b', x: 300, y: 50, width: 100, height: 80 },
  { name: 'c', x: 300, y: 150, width: 100, height: 80 },
  { name: 'd', x: 500, y: 100, width: 100, height: 80 },
];

/** A pipeline in which a leads to all others, which are a chain. */
function fan() {
  const phases = LETTERS.map((name, at) =>
    fake(name, { after: LETTERS.slice(0, at), verdicts: ['APPROVE'], rewindTo: 'ancestors' }),
  );
  return definePipeline({ name: 'fan', phases: phases.map(({ definition }) => definition) }).plan;
}

describe('createRewindRouter()', () => {
  const route = createRewindRouter({ nodes: NODES });

  it('leads around the phases of the columns between, by the nearest free height', () => {
    const { lines, heads, labels } = route([{ from: 'd', to: 'a' }], OFFSETS)();
    // b ends at 90 and c begins at 110, which is too narrow: above b, or below c, is the way.
    expect(lines).toContain('M450,128');
    expect(lines).toContain('438,202');
    expect(heads).toBe('M150,128l9,-4.5v9z');
    expect([...labels]).toEqual([['a', { x: 174, y: 128 }]]);
  });

  it('shares the lane of one phase, and the line beside one column', () => {
    const { lines, heads } = route(
      ['a', 'b', 'c'].map((to) => ({ from: 'd', to })),
      OFFSETS,
    )();
    // One lane, one line beside each of two columns, and a branch to each of three phases.
    expect(lines.match(/M/gu)).toHaveLength(6);
    expect(heads.match(/M/gu)).toHaveLength(3);
  });

  it('keeps lanes apart, and draws those of one phase where they are among all', () => {
    const draw = route(
      [
        { from: 'b', to: 'a' },
        { from: 'c', to: 'a' },
        { from: 'd', to: 'a' },
      ],
      OFFSETS,
    );
    const own = draw('d').lines;
    const lane = /438,(\d+)L/u.exec(own)?.[1];
    expect(draw().lines).toContain(`438,${lane}L`);
    expect(draw('b').lines).not.toContain('438,');
    expect(draw('nobody')).toEqual({ lines: '', heads: '', labels: new Map() });
  });

  it('leaves out pairs of phases that the plan does not have', () => {
    expect(route([{ from: 'x', to: 'a' }], OFFSETS)().lines).toBe('');
  });
});

describe('the arrows in the order of work', () => {
  it('share the bends of one phase, and draw them once', () => {
    const layout = layoutForRun(fan());
    const [first] = waysAhead(layout);
    // To b; to the shared bend, through it, and on to c; to a second bend, through it, and on to d.
    expect(first?.lines.match(/M/gu)).toHaveLength(7);
    const graph = { before: [[], [0], [0, 1], [0, 2]], next: [[1, 2, 3], [2], [3], []] };
    const { arrows } = arrange(
      graph,
      LETTERS.map(() => ({ width: 50, height: 20 })),
    );
    const [short, long] = [2, 3].map((end) => arrows.find(({ from, to }) => from === 0 && to === end)?.points ?? []);
    expect(long?.slice(0, 3)).toEqual(short?.slice(0, 3));
    expect([short?.length, long?.length]).toEqual([4, 6]);
  });
});

describe('rewindWords()', () => {
  it('names the phases that a phase may send back, has sent back, and was sent back by', () => {
    const plan = fan();
    const sentBack = [
      { from: 'd', to: 'c', times: 1 },
      { from: 'c', to: 'b', times: 2 },
    ];
    expect(rewindWords(plan, 'd', sentBack)).toBe('d may send back a, b and c (≤ 2 each). It has sent back c once.');
    expect(rewindWords(plan, 'c', sentBack)).toBe(
      'c may send back a and b (≤ 2 each). It has sent back b 2 times. It was sent back by d once.',
    );
    expect(rewindWords(plan, 'a', [])).toBe('a may send back no phase.');
  });
});

describe('centreWithin()', () => {
  const graph = { width: 5000, height: 300 };
  const view = { zoom: 1, width: 1000, height: 600 };

  it.each([
    ['the begin of a long graph at the side', 100, 476],
    ['the point itself in its midst', 2500, 2500],
    ['the end at the other side', 4950, 4524],
  ])('shows %s', (_, x, centre) => {
    expect(centreWithin({ x, y: 150 }, graph, view).x).toBe(centre);
  });

  it('shows a small graph in the middle, with room for the controls', () => {
    expect(centreWithin({ x: 10, y: 10 }, { width: 400, height: 200 }, view)).toEqual({ x: 200, y: 124, zoom: 1 });
  });
});
