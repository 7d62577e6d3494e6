/**
 * Cases: closing of a store.
 *
 * @module
 */
import { answerTo, batchOf, refuses, type CaseBody } from './trial.ts';

/** Claims, with their tests. */
export const closeCases: Readonly<Record<string, CaseBody>> = {
  'ends all use of the store, and may be called again': async ({ store }) => {
    await store.append(batchOf('r', 1));
    const lease = await store.acquire('r', 'me', 1000);
    await store.close();
    await store.close();
    const calls = [
      () => store.append(batchOf('r', 2), lease),
      () => store.read('r'),
      () => store.run('r'),
      () => store.runs(),
      () => store.remove('r'),
      ...(store.compact ? [() => store.compact?.()] : []),
      ...(store.backup ? [() => store.backup?.('none.db')] : []),
      () => store.acquire('s', 'me', 1000),
      () => store.renew(lease, 1000),
      () => store.release(lease),
      ...(store.claim
        ? [() => store.claim?.({ pipelines: ['article'], except: [], passed: [], holder: 'me', ms: 1000 })]
        : []),
      () => store.inbox(),
      () => store.item('r:1'),
      () => store.post(answerTo('r', 'r:1')),
      () => store.messages('r'),
      ...(store.lastMessage ? [() => store.lastMessage?.()] : []),
      ...(store.watch ? [() => store.watch?.(() => undefined)] : []),
      () => store.artifact('h'),
    ];
    for (const call of calls) await refuses('STORE_CLOSED', call);
  },
};
