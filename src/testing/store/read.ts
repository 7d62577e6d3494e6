/**
 * Cases: reading of records.
 *
 * @module
 */
import { batchOf, same, type CaseBody } from './trial.ts';

/** Claims, with their tests. */
export const readCases: Readonly<Record<string, CaseBody>> = {
  'returns a part of the records': async ({ store }) => {
    const { records } = batchOf('r', 1, { count: 5 });
    await store.append(batchOf('r', 1, { count: 5 }));
    const parts: readonly (readonly [from: number | undefined, limit: number | undefined, seqs: readonly number[]])[] =
      [
        [undefined, undefined, [1, 2, 3, 4, 5]],
        [1, undefined, [1, 2, 3, 4, 5]],
        [3, undefined, [3, 4, 5]],
        [5, undefined, [5]],
        [6, undefined, []],
        [undefined, 2, [1, 2]],
        [2, 3, [2, 3, 4]],
        [4, 9, [4, 5]],
        [2, 0, []],
        [0, 1, [1]],
        [-3, 2, [1, 2]],
        [2, Infinity, [2, 3, 4, 5]],
      ];
    for (const [from, limit, seqs] of parts)
      same(
        await store.read('r', from, limit),
        records.filter(({ seq }) => seqs.includes(seq)),
      );
  },

  'returns no records of an unknown run': async ({ store }) => {
    await store.append(batchOf('r', 1));
    same(await store.read('s'), []);
    await store.acquire('s', 'me', 1000);
    same(await store.read('s'), []);
  },
};
