/** Order of runs in lists, and their durations, as tables. */
import { describe, expect, it } from 'vitest';
import { elapsedMsOf, orderRuns, type OrderedRun, workedMsOf } from '../src/projections/run/run-order.ts';
import { standingOf } from '../src/store/run-status.ts';
import { infoOf } from '../src/testing/store/trial.ts';

const NOW = 10_000;

function run(runId: string, more: Partial<OrderedRun> = {}): OrderedRun {
  return { ...infoOf(runId, 1), standing: 'completed', status: 'completed', startedAt: 1000, updatedAt: 2000, ...more };
}

describe('the order of runs', () => {
  const runs = [
    run('a', { startedAt: 1, updatedAt: 9000, workedMs: 5, costUsd: 0, tokens: 3, tags: ['team=b'] }),
    run('b', { startedAt: 3, updatedAt: 4000, workedMs: undefined, costUsd: 2, tokens: 3 }),
    run('c', { startedAt: 2, updatedAt: 3000, workedMs: 0, costUsd: 1, tokens: 4, tags: ['nightly'] }),
    run('d', { startedAt: 0, updatedAt: 2000, standing: 'running', status: 'running', workedMs: 1, tags: ['team=b'] }),
  ];

  it.each([
    ['started', 'bcad'],
    ['updated', 'abcd'],
    ['worked', 'dacb'],
    ['elapsed', 'dabc'],
    ['cost', 'bcda'],
    ['tokens', 'dcab'],
    ['tags', 'cadb'],
  ] as const)('by %s: %s', (by, ids) => {
    expect(
      orderRuns(runs, by, NOW)
        .map(({ runId }) => runId)
        .join(''),
    ).toBe(ids);
  });
});

describe('the durations of a run', () => {
  it.each([
    ['completed', { workedMs: 5 }, 5, 1000],
    ['of a process', { standing: 'running', status: 'running', workedMs: 5 }, 8005, 9000],
    ['that waits', { standing: 'waiting', status: 'running', workedMs: 5 }, 5, 9000],
    ['queued', { standing: 'queued', status: 'running', workedMs: 0 }, 0, 9000],
    ['of an earlier version', {}, undefined, 1000],
    [
      'of a clock that was set back',
      { standing: 'running', status: 'running', workedMs: 5, startedAt: 20_000, updatedAt: 20_000 },
      5,
      0,
    ],
  ] as const)('%s', (_, more, worked, elapsed) => {
    expect(workedMsOf(run('r', more), NOW)).toBe(worked);
    expect(elapsedMsOf(run('r', more), NOW)).toBe(elapsed);
  });
});

describe('a run with its first record only', () => {
  const lease = { runId: 'r', holder: 'desk 1', token: 't', expiresAt: 1 };

  it('is queued until a process has had it', () => {
    const fresh = { ...infoOf('r', 1), lease: undefined };
    expect(standingOf(fresh)).toBe('queued');
    expect(standingOf({ ...fresh, lease })).toBe('running');
    expect(standingOf({ ...fresh, lapsed: lease })).toBe('suspended');
    expect(standingOf({ ...fresh, seq: 2 })).toBe('suspended');
  });
});
