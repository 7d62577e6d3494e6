/** Some of the tests, on the test runner of Node. The kit depends on no runner. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { approve, retryPredecessor } from 'phasegate';
import { collectCoverage, rehearse, rehearseAll, repeats } from 'phasegate/testing';
import pipeline from './pipeline.ts';

const collected = collectCoverage(pipeline);
after(() => console.log(String(collected)));

void test('goes back to the outline for other points', async () => {
  const run = await rehearse(pipeline, {
    tasks: { points: repeats(['one', 'two', 'three']), draft: 'A draft.', letter: 'Dear readers', send: null },
    reviews: { outline: approve(), editor: [retryPredecessor('outline', 'They do not fit together.'), approve()] },
    checks: { length: true },
    people: { sending: approve() },
  });
  collected.add(run);
  assert.equal(run.result.status, 'completed');
  assert.match(run.prompts('points')[1] ?? '', /They do not fit together\./u);
});

void test('ends, opens every gate, and keeps its bounds', async () => {
  const { findings } = await rehearseAll(pipeline);
  assert.deepEqual(findings, []);
});
