/** Lists in messages: all entries, or the first ones with the number of the others. */
import { expect, it } from 'vitest';
import { cutList } from '../src/model/values/cut-list.ts';

const quoted = (entry: number) => `"${entry}"`;

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
