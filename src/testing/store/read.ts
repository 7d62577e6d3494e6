/**
 * Cases: reading of records.
 *
 * @module
 */
import { EDITION } from '../../model/plan/edition.ts';
import type { Plan } from '../../model/plan/plan.ts';
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

  'returns the same records to a caller who has a plan': async ({ store }) => {
    const plan: Plan = {
      name: '"plan":',
      phases: [],
      concurrency: 8,
      onFailure: 'continue',
      onLimit: 'stop',
      limits: {},
    };
    const other: Plan = { ...plan, name: 'other' };
    const batch = batchOf('r', 1, { count: 3 });
    // A plan is also found elsewhere in the record, and in another order.
    const started = {
      type: 'run.started',
      edition: EDITION,
      input: { plan: other },
      plan,
      fingerprint: 'f00d',
    } as const;
    const records = batch.records.map((record) => (record.seq === 1 ? { ...record, event: started } : record));
    await store.append({ ...batch, records });
    for (const known of [undefined, plan, other, { ...plan, phases: [] }]) {
      same(await store.read('r', 1, undefined, known), records);
      same(await store.read('r', 2, 1, known), records.slice(1, 2));
    }
  },

  'returns no records of an unknown run': async ({ store }) => {
    await store.append(batchOf('r', 1));
    same(await store.read('s'), []);
    await store.acquire('s', 'me', 1000);
    same(await store.read('s'), []);
  },
};
