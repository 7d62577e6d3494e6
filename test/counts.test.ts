/** Counts in messages. Of a list, all entries are written, or the first ones with the number of the others. */
import { expect, it } from 'vitest';
import { counted, cutList, times } from '../src/model/values/counts.ts';

const quoted = (entry: number) => `"${entry}"`;

it('writes one without a plural', () => {
  expect([0, 1, 2].map((count) => counted(count, 'phase'))).toEqual(['0 phases', '1 phase', '2 phases']);
  expect([0, 1, 2].map(times)).toEqual(['0 times', 'once', '2 times']);
});

it.each([
  [cutList([], 2), []],
  [cutList([1, 2], 2), ['1', '2']],
  [cutList([1, 2, 3], 2), ['1', '2', 'and 1 more']],
  [cutList([1, 2, 3], 2, quoted), ['"1"', '"2"', 'and 1 more']],
  [cutList([1, 2], 2, quoted, 9), ['"1"', '"2"', 'and 7 more']],
  [cutList([1], 2, quoted, 9), ['"1"', 'and 8 more']],
])('%j', (written, expected) => {
  expect(written).toEqual(expected);
});
