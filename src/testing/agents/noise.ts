/**
 * Cases: programs that write what they should not.
 *
 * @module
 */
import assert from 'node:assert/strict';
import type { AgentClaim } from './answers.ts';
import { resultOf, take, type Stage, type Taken } from './scene.ts';

/** Claims, with their tests. */
export const noiseCases: Readonly<Record<string, AgentClaim>> = {
  'answer though the prompt is not read': [
    'ignores',
    async (stage) => {
      assertHello(await take(stage, { prompt: 'x'.repeat(5_000_000) }));
    },
  ],

  'answer after something unknown, which is told as raw': ['unknown', assertRaw],

  'answer after bytes that are no text': [
    'noise',
    async (stage) => {
      assertHello(await take(stage));
    },
  ],

  'answer if the last line has no end': [
    'half',
    async (stage) => {
      assertHello(await take(stage));
    },
  ],

  'answer after a message that is too long, which is told as raw': ['giant', assertRaw],

  'answer after a flood, with all texts bounded': [
    'flood',
    async (stage) => {
      const taken = await take(stage);
      assertHello(taken);
      assert.ok(taken.events.every((event) => JSON.stringify(event).length < 150_000));
    },
  ],
};

// --- internal ---

function assertHello(taken: Taken): void {
  const { stop, text } = resultOf(taken);
  assert.equal(stop, 'done');
  assert.ok(text.trim().endsWith('Hello.'), `The answer is ${JSON.stringify(text.slice(-100))}`);
}

async function assertRaw(stage: Stage): Promise<void> {
  const taken = await take(stage);
  assertHello(taken);
  assert.ok(taken.events.some((event) => event.type === 'raw'));
}
