/** The order of the list of runs, by any column and in both directions. */
import { describe, expect, it } from 'vitest';
import type { OrderedRun } from '../../src/projections/run/run-order.ts';
import { nextSort, sortOf, sortRuns, sortText } from '../../visualizations/dashboard/src/runs/sort-runs.ts';

describe('the order in an address', () => {
  it.each([
    ['', 'started', 'descending', ''],
    ['cost', 'cost', 'descending', 'cost'],
    ['cost.reversed', 'cost', 'ascending', 'cost.reversed'],
    ['name', 'name', 'ascending', 'name'],
    ['tags.reversed', 'tags', 'descending', 'tags.reversed'],
    ['started.reversed', 'started', 'ascending', 'started.reversed'],
    ['nothing.reversed', 'started', 'descending', ''],
    ['cost.sideways', 'cost', 'descending', 'cost'],
  ] as const)('%j is by %s, %s', (text, by, direction, again) => {
    expect(sortOf(text)).toEqual({ by, direction });
    expect(sortText(sortOf(text))).toBe(again);
  });
});

describe('a press on a head', () => {
  it('sorts as is usual for the column, and then in reverse, and back', () => {
    const presses = ['cost', 'cost', 'cost', 'name', 'name'] as const;
    const seen: string[] = [];
    presses.reduce((sort, by) => {
      const next = nextSort(sort, by);
      seen.push(sortText(next));
      return next;
    }, sortOf(''));
    expect(seen).toEqual(['cost', 'cost.reversed', 'cost', 'name', 'name.reversed']);
  });
});

describe('runs', () => {
  const runs = [
    run('a', { pipeline: 'tide', costUsd: 2, tokens: 5, tags: ['x'], startedAt: 3, approved: 1, phases: 2 }),
    run('b', { pipeline: 'moon', costUsd: 0, tokens: 0, startedAt: 2, approved: 3, phases: 3 }),
    run('c', { pipeline: 'tide', costUsd: 1, tokens: 9, tags: ['b'], startedAt: 1, standing: 'failed' }),
  ];

  it.each([
    ['', 'abc'],
    ['started.reversed', 'cba'],
    // Equal runs keep their order in both directions.
    ['name', 'bac'],
    ['name.reversed', 'acb'],
    ['status', 'abc'],
    ['status.reversed', 'cab'],
    ['approved', 'bac'],
    ['approved.reversed', 'cab'],
    // Runs without a value are last in both directions.
    ['cost', 'acb'],
    ['cost.reversed', 'cab'],
    ['tokens', 'cab'],
    ['tokens.reversed', 'acb'],
    ['tags', 'cab'],
    ['tags.reversed', 'acb'],
    ['worked', 'abc'],
    ['worked.reversed', 'abc'],
  ])('by %j are %s', (text, order) => {
    const ids = sortRuns(runs, sortOf(text), 10).map(({ runId }) => runId);
    expect(ids.join('')).toBe(order);
  });
});

// --- internal ---

function run(runId: string, part: Partial<OrderedRun>): OrderedRun {
  return {
    runId,
    pipeline: 'p',
    status: 'completed',
    standing: 'completed',
    startedAt: 1,
    updatedAt: 5,
    costUsd: 0,
    tokens: 0,
    approved: 0,
    phases: 1,
    waiting: [],
    fingerprint: 'f',
    seq: 1,
    ...part,
  };
}
