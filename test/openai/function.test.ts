import { describe, expect, it } from 'vitest';
import { definePipeline, phase, resumeRun, startRun, memoryStore } from '../../src/index.ts';
import { openaiReviewer, openaiTask, type Ask, type AskRequest } from '../../src/openai.ts';
import { hurriedClock } from './rig.ts';
import { nonceIn } from './server.ts';

describe('ask', () => {
  it('lets any function be the model of a task and of a reviewer', async () => {
    const asked: AskRequest[] = [];
    const draft = openaiTask('draft', {
      description: 'Write a note.',
      ask: async (request) => {
        asked.push(request);
        return { text: asked.length === 1 ? 'Gates help.' : 'Gates catch 7 of 10.' };
      },
    });
    const editor = openaiReviewer('editor', {
      criteria: 'It names a number.',
      ask: async ({ messages }) => {
        const [system, user] = messages.map((one) => one.content);
        const nonce = /"nonce": "([^"]+)"/u.exec(system ?? '')?.[1];
        const isFine = /7 of 10/u.test(user ?? '');
        return {
          text: JSON.stringify({
            nonce,
            verdict: isFine ? 'approved' : 'needs_changes',
            required_change: isFine ? null : 'Name a number.',
            critique: isFine ? 'Fine.' : 'It has none.',
            conf: 0.9,
          }),
        };
      },
    });
    const note = phase('note', { tasks: [draft], review: editor });
    const result = await startRun(definePipeline({ name: 'p', phases: [note] })).result;
    expect(result.phases['note']?.error ?? result.error).toBeNull();
    expect(result.outputs).toEqual({ note: { draft: 'Gates catch 7 of 10.' } });
    expect(asked[1]?.messages).toEqual([
      {
        role: 'user',
        content: `## Revision Instructions (Attempt 2)
This task is being re-executed based on reviewer feedback.
Incorporate the feedback below into your response.

### Feedback
Name a number.

It has none.

### Previous Output
Gates help.

## Task
Write a note.`,
      },
    ]);
  });

  it('of a reviewer is asked again on resume, with another nonce, and the worker is not', async () => {
    const nonces: string[] = [];
    let drafts = 0;
    const store = memoryStore();
    const pipelineOf = (ask: Ask) => {
      const write: Ask = () => {
        drafts += 1;
        return Promise.resolve({ text: 'Gates help.' });
      };
      const editor = openaiReviewer('editor', {
        criteria: 'It is short.',
        ask: (request) => {
          nonces.push(nonceIn(request.messages[0]?.content ?? ''));
          return ask(request);
        },
      });
      const note = phase('note', { tasks: [openaiTask('draft', { ask: write })], review: editor });
      return definePipeline({ name: 'p', phases: [note] });
    };
    const first = startRun(
      pipelineOf(({ signal }) => {
        first.suspend();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
        });
      }),
      { store, runId: 'r1' },
    );
    expect((await first.result).status).toBe('suspended');
    // The answer to the interrupted review is invalid for the new one.
    const answers = [() => nonces[0], () => nonces.at(-1)];
    const again = await resumeRun(
      store,
      'r1',
      pipelineOf(() =>
        Promise.resolve({
          text: JSON.stringify({ nonce: answers.shift()?.(), verdict: 'approved', critique: 'Fine.', conf: 1 }),
        }),
      ),
      { clock: hurriedClock() },
    );
    expect((await again.result).phases['note']).toMatchObject({ status: 'approved', attempts: 1 });
    expect(drafts).toBe(1);
    expect(new Set(nonces).size).toBe(3);
  });
});
