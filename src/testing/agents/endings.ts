/**
 * Cases: cancelling, deadlines, and processes that do not end by themselves.
 *
 * @module
 */
import assert from 'node:assert/strict';
import type { AgentClaim } from './answers.ts';
import { assertEnded, failureOf, resultOf, take, textIn, type Stage } from './scene.ts';

/** Claims, with their tests. */
export const endingCases: Readonly<Record<string, AgentClaim>> = {
  'start nothing if the signal is aborted already': [
    'done',
    async (stage) => {
      const taken = await take(stage, { signal: AbortSignal.abort() });
      assert.equal(resultOf(taken).stop, 'cancelled');
      assert.deepEqual([textIn(taken), taken.groups], ['', []]);
    },
  ],

  'end all processes when the signal is aborted, before the result': ['hangs', assertCancelled],

  'end processes that ignore SIGTERM, with their children': ['deaf', assertCancelled],

  'reject, and end all processes, if the agent gives no sign of life': [
    'mute',
    async (stage) => {
      const taken = await take(stage);
      assert.equal(failureOf(taken).permanent, undefined);
      await assertEnded(taken);
    },
  ],

  'reject, and end all processes, if the agent falls silent': [
    'silent',
    async (stage) => {
      const taken = await take(stage);
      assert.match(failureOf(taken).message, /silent/u);
      await assertEnded(taken);
    },
  ],

  'end processes that the agent has left behind, before the result': [
    'background',
    async (stage) => {
      const taken = await take(stage);
      assert.equal(resultOf(taken).text.trim(), 'Hello.');
      await assertEnded(taken);
    },
  ],

  'reject, and end all processes, if the id of a process cannot be noted': [
    'hangs',
    async (stage) => {
      const groups: number[] = [];
      const taken = await take(stage, {
        onProcess(pid) {
          groups.push(pid);
          return Promise.reject(new Error('The disk is full'));
        },
      });
      assert.ok('error' in taken.outcome && taken.outcome.error instanceof Error);
      assert.equal(taken.outcome.error.message, 'The disk is full');
      await assertEnded({ ...taken, groups });
    },
  ],

  'reject, and end all processes, if a listener throws': [
    'hangs',
    async (stage) => {
      const taken = await take(stage, {
        onEvent() {
          throw new Error('The listener is broken');
        },
      });
      assert.ok('error' in taken.outcome && taken.outcome.error instanceof Error);
      assert.equal(taken.outcome.error.message, 'The listener is broken');
      await assertEnded(taken);
    },
  ],
};

// --- internal ---

async function assertCancelled(stage: Stage): Promise<void> {
  const cancelling = new AbortController();
  const taken = await take(stage, { signal: cancelling.signal }, () => cancelling.abort());
  assert.equal(resultOf(taken).stop, 'cancelled');
  assert.equal(taken.groups.length, 1);
  await assertEnded(taken);
}
