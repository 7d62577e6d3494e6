import { describe, expect, it } from 'vitest';
import { definePipeline, phase, startRun } from '../../src/index.ts';
import { openaiReviewer, openaiTask, type AskRequest } from '../../src/openai.ts';

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
});
