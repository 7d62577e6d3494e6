import { expect, it } from 'vitest';
import { inFoldOrder } from '../../src/fleet/fold-order.ts';

it.each([
  ['the order that is given', { x: {}, y: {}, z: {} }, 'xyz'],
  ['a part after those that its start has', { x: { z: 'z1' }, y: {}, z: {} }, 'yzx'],
  ['also after later versions of them', { x: { z: 'z0' }, y: {}, z: {} }, 'yzx'],
  ['along a chain', { x: { y: 'y1' }, y: { z: 'z1' }, z: {} }, 'zyx'],
  ['by the versions of now, if each has the other', { x: { y: 'y1' }, y: { x: 'x0' } }, 'yx'],
  ['in spite of a circle', { x: { y: 'y1' }, y: { x: 'x1' } }, 'xy'],
  ['without parts that are not there', { x: { gone: 'g1' }, y: {} }, 'xy'],
] as const)('folds %s', (_, starts, order) => {
  const parts = Object.entries(starts).map(([name, contains]) => ({ name, commit: `${name}1`, contains }));
  expect(
    inFoldOrder(parts)
      .map(({ name }) => name)
      .join(''),
  ).toBe(order);
});
