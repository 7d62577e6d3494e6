/**
 * Cases: the place of a store after a run was removed. Nothing of the run is left in it.
 *
 * @module
 */
import assert from 'node:assert/strict';
import { answerTo, batchOf, openItem, recordOf, type CaseBody } from './trial.ts';

/** Claims, with their tests. */
export const eraseCases: Readonly<Record<string, CaseBody>> = {
  'has no text of a removed run once it is compacted, while it is open and afterwards': async ({ store, holds }) => {
    const secret = `secret ${'of the run '.repeat(300)}`;
    for (const runId of ['kept', 'gone']) {
      const text = runId === 'gone' ? secret : 'plain';
      const batch = batchOf(runId, 1, {
        items: [openItem(runId, 1, { reason: text })],
        artifacts: [{ hash: runId, content: JSON.stringify(text) }],
      });
      await store.append({ ...batch, records: [recordOf(runId, 1, text)] });
      await store.post(answerTo(runId, `${runId}:1`, { body: text }));
    }
    assert.equal(await holds(secret.slice(0, 100)), true);
    await store.remove('gone');
    await store.compact?.();
    assert.equal(await holds(secret.slice(0, 100)), false);
    assert.equal((await store.read('kept')).length, 1);
    await store.close();
    assert.equal(await holds(secret.slice(0, 100)), false);
  },
};
