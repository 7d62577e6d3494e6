/** The tests of the article, on Vitest. The reporter of vitest.config.ts prints its coverage. */
import { approve, retry } from 'phasegate';
import {
  asDefined,
  crashBefore,
  expectBounds,
  fails,
  pipelineProperty,
  rehearse,
  rehearseAll,
  repeats,
  silent,
} from 'phasegate/testing';
import { expect, it } from 'vitest';
import { article } from './article.ts';
import pipeline from './pipeline.ts';

/** A story without incidents. Tests replace parts of it. */
const plain = {
  tasks: { points: repeats(['one', 'two', 'three']), draft: 'A draft.', letter: 'Dear readers', send: null },
  reviews: { '*': approve() },
  checks: { length: true },
  people: { sending: approve() },
};

it('gives the change that the editor requires to the next draft', async () => {
  const { result, prompts } = await rehearse(pipeline, {
    ...plain,
    tasks: { ...plain.tasks, draft: ['draft 1', 'draft 2'] },
    reviews: { outline: approve(), editor: [retry('Too thin.', { requiredChange: 'Give an example.' }), approve()] },
  });
  expect(result.status).toBe('completed');
  expect(prompts('draft').map((prompt) => prompt.includes('Give an example.'))).toEqual([false, true]);
});

it('has a draft shortened that is too long', async () => {
  const { result, prompts } = await rehearse(pipeline, {
    ...plain,
    tasks: { ...plain.tasks, draft: ['word '.repeat(99), 'A short one.'] },
    checks: { length: asDefined() },
  });
  expect(result.status).toBe('completed');
  expect(prompts('draft')[1]).toContain('It has 100 words, and may have 60.');
});

it('sends nothing if nobody agrees within a day', async () => {
  const { result, records } = await rehearse(pipeline, { ...plain, people: { sending: silent() } });
  expect(result.status).toBe('rejected');
  expect(records.at(-1)?.time).toBe((records[0]?.time ?? 0) + 86_400_000);
});

it('fails if the model fails', async () => {
  const { result } = await rehearse(pipeline, { ...plain, tasks: { ...plain.tasks, draft: fails('no connection') } });
  expect(result.status).toBe('failed');
});

it('sends a letter once, also if the process dies before it has noted that', async () => {
  const sent = new Map<string, string>();
  const real = article({ ask: async () => '', send: async (key, text) => void sent.set(key, text) });
  const { records } = await rehearse(real, {
    ...plain,
    tasks: { ...plain.tasks, send: asDefined() },
    // The tasks before it are `points`, `draft` and `letter`.
    crashes: [crashBefore('task.completed', 4)],
  });
  expect(records.map(({ event }) => event.type)).toContain('run.resumed');
  expect(sent.size).toBe(1);
});

it('uses every change that a gate demands', async () => {
  let asked = 0;
  const real = article({ ask: async () => `idea ${(asked += 1)}`, send: async () => undefined });
  const { findings } = await rehearseAll(real, { tasks: { points: asDefined(), draft: asDefined() } });
  expect(findings).toEqual([]);
});

it('keeps its bounds, and reaches them', async () => {
  const { bounds, notReached } = await expectBounds(pipeline);
  expect(notReached.filter(({ of }) => of === 'attempts')).toEqual([]);
  expect(bounds.find(({ phase }) => phase === 'writing')?.bound).toBe(7);
});

it('sends nothing that no person has approved', async () => {
  await pipelineProperty(pipeline, {
    seed: 7,
    runs: 40,
    invariant({ records }) {
      const types = records.map(({ event }) => `${event.type} ${'phase' in event ? event.phase : ''}`);
      const sent = types.indexOf('task.started sent');
      return sent === -1 || types.slice(0, sent).includes('phase.approved sending');
    },
  });
});
