/**
 * Cases: answers, and turns that end without one.
 *
 * @module
 */
import assert from 'node:assert/strict';
import { failureOf, resultOf, take, textIn, type Scene, type Stage } from './scene.ts';

/** A claim: its scene, and a test that rejects if it does not hold. */
export type AgentClaim = readonly [scene: Scene, test: (stage: Stage) => Promise<void>];

/** Claims, with their tests. */
export const answerCases: Readonly<Record<string, AgentClaim>> = {
  'return the answer, and tell it as text': [
    'done',
    async (stage) => {
      const taken = await take(stage);
      const { stop, text } = resultOf(taken);
      assert.deepEqual({ stop, text: text.trim() }, { stop: 'done', text: 'Hello.' });
      assert.ok(textIn(taken).includes('Hello.'));
    },
  ],

  'answer in a turn that only reads, if the agent has one': [
    'done',
    async (stage) => {
      if (!stage.agent.access.includes('read')) return;
      assert.equal(resultOf(await take(stage, { access: 'read' })).text.trim(), 'Hello.');
    },
  ],

  'pass on the prompt as it is': [
    'echo',
    async (stage) => {
      const prompt = `--help "quoted" $(id) 'é日本🙂' \\ {prompt} ${'x'.repeat(50_000)}\n- line\n- RETRY: end`;
      assert.equal(resultOf(await take(stage, { prompt })).text.trim(), prompt);
    },
  ],

  'mark the process, whatever its variables are': [
    'mark',
    async (stage) => {
      assert.equal(resultOf(await take(stage, { env: { PHASEGATE_AGENT: '' } })).text.trim(), '1');
    },
  ],

  'tell a refusal from an answer': [
    'refused',
    async (stage) => {
      assert.equal(resultOf(await take(stage)).stop, 'refused');
    },
  ],

  'tell a limit from an answer': [
    'limit',
    async (stage) => {
      assert.equal(resultOf(await take(stage)).stop, 'limit');
    },
  ],

  'reject if the agent dies': [
    'dies',
    async (stage) => {
      assert.match(failureOf(await take(stage)).message, /exit code 9|connection/u);
    },
  ],

  'reject if the agent dies after its answer': [
    'dies after',
    async (stage) => {
      assert.match(failureOf(await take(stage)).message, /exit code 9/u);
    },
  ],

  'reject if the agent ends without an answer': [
    'leaves',
    async (stage) => {
      failureOf(await take(stage));
    },
  ],

  'reject for good if there is no such program': [
    'missing',
    async (stage) => {
      assert.equal(failureOf(await take(stage)).permanent, true);
    },
  ],

  'reject with the delay that a limit of rate states': [
    'rate',
    async (stage) => {
      const { permanent, retryAfterMs = 0 } = failureOf(await take(stage));
      assert.equal(permanent, undefined);
      assert.ok(retryAfterMs > 80_000 && retryAfterMs <= 90_000, `The delay is ${retryAfterMs} ms`);
    },
  ],
};
