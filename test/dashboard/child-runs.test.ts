import { describe, expect, it } from 'vitest';
import { handOverIn } from '../../visualizations/dashboard/src/run/work/hand-over-in.ts';
import { isStartedBy } from '../../visualizations/dashboard/src/run/work/child-runs.ts';

describe('isStartedBy()', () => {
  const place = { run: 'r/1', phase: 'a b', generation: 1, attempt: 2 };

  it.each([
    ['r%2F1/a%20b/1/2/task/t', true],
    ['r%2F1/a%20b/1.3/2/task/t', true],
    ['r%2F1/a%20b/11/2/task/t', false],
    ['r%2F1/a%20b/0/2/task/t', false],
    ['r%2F1/a%20b/1/1/task/t', false],
    ['r%2F1/a%20b/1/2/task/u', false],
    ['r%2F1/b/1/2/task/t', false],
    ['r/a%20b/1/2/task/t', false],
    [`${encodeURIComponent('r%2F1/a%20b/1/2/task/t')}/a%20b/1/2/task/t`, false],
    ['r/1', false],
    ['', false],
  ])('takes %s for %s', (child, expected) => {
    expect(isStartedBy(child, place, 't')).toBe(expected);
  });
});

describe('handOverIn()', () => {
  it('finds the branch of the last phase that names one', () => {
    const over = { branch: 'phasegate/r', commit: 'c' };
    expect(
      handOverIn({
        a: { outputs: { t: { ...over, commit: 'b' } } },
        b: { outputs: { t: over } },
        c: { outputs: null },
      }),
    ).toBe(over);
    for (const output of [null, 1, 'x', {}, { branch: 'main', commit: 'c' }, { branch: 'phasegate/r' }])
      expect(handOverIn({ a: { outputs: { t: output } } })).toBeUndefined();
  });
});
