/**
 * Cases: values that records refer to.
 *
 * @module
 */
import assert from 'node:assert/strict';
import { batchOf, type CaseBody } from './trial.ts';

/** Claims, with their tests. */
export const artifactCases: Readonly<Record<string, CaseBody>> = {
  'returns contents by hash': async ({ store }) => {
    const content = JSON.stringify({ text: 'ü \u2028 "', rows: [1, 2] });
    await store.append(
      batchOf('r', 1, {
        artifacts: [
          { hash: 'aa', content },
          { hash: 'bb', content: '1' },
        ],
      }),
    );
    await store.append(batchOf('s', 1, { artifacts: [{ hash: 'aa', content }] }));
    assert.equal(await store.artifact('aa'), content);
    assert.equal(await store.artifact('bb'), '1');
    assert.equal(await store.artifact('cc'), undefined);
    assert.equal(await store.artifact('AA'), undefined);
  },

  'accepts the same content repeatedly': async ({ store }) => {
    const artifacts = [
      { hash: 'aa', content: '1' },
      { hash: 'aa', content: '1' },
    ];
    await store.append(batchOf('r', 1, { artifacts }));
    await store.append(batchOf('r', 2, { artifacts }));
    assert.equal(await store.artifact('aa'), '1');
    await store.remove('r');
    assert.equal(await store.artifact('aa'), undefined);
  },
};
