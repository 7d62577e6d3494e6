/**
 * A person who approves everything.
 *
 * @module
 */
import { PhasegateError } from '../../../src/index.ts';
import type { RunStore } from '../../../src/store.ts';

export async function answerAll(store: RunStore): Promise<void> {
  for (const { id, runId, nonce } of await store.inbox({ open: true })) {
    try {
      const body = { reply: { type: 'decide', decision: 'APPROVE' }, nonce };
      await store.post({ runId, kind: 'answer', item: id, body, by: 'a person', time: Date.now() });
    } catch (error) {
      if (!PhasegateError.is(error) || error.code !== 'ANSWERED') throw error;
    }
  }
}
