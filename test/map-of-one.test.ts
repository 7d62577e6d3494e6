import { expect, it } from 'vitest';
import { mapOfOne } from '../src/model/values/map-of-one.ts';

it('is the same as a map with that entry', () => {
  const one = mapOfOne('a', 1);
  const map = new Map([['a', 1]]);
  const called: unknown[] = [];
  one.forEach((value, key, of) => called.push([value, key, of === one]));
  expect(called).toEqual([[1, 'a', true]]);
  const read = (of: ReadonlyMap<string, number>) => ({
    size: of.size,
    values: [of.get('a'), of.get('b'), of.has('a'), of.has('b')],
    lists: [[...of], [...of.entries()], [...of.keys()], [...of.values()]],
    copy: new Map(of),
  });
  expect(read(one)).toEqual(read(map));
  expect([...(read(one).lists[0] ?? [])]).toEqual([['a', 1]]);
});
