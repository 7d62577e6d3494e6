import { describe, expect, it } from 'vitest';
import { definePipeline, phase, startRun } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import { openaiReflection, openaiTask, type AskRequest } from '../../src/openai.ts';
import { hurriedClock, serve } from './rig.ts';

const price = (dollars: number) => ({ inputPerMillion: dollars, outputPerMillion: dollars });
const PRICES = { small: price(1), middle: price(10), large: price(100) };

/** Returns the models that answered, each with the cost of the answer. */
function modelsIn(records: readonly RunRecord[]) {
  return records.flatMap(({ event }) =>
    event.type === 'task.reported' && event.model !== undefined ? [`${event.model} ${event.costUsd}`] : [],
  );
}

describe('openaiTask() with several models', () => {
  it('uses the next one after each attempt that was sent back, up to the last one', async () => {
    const notes = ['A note.', 'A better note.', 'A long note.', 'A short note.'];
    const server = await serve(...notes.map((one) => ({ pieces: [one], usage: [600_000, 400_000] as const })));
    const draft = openaiTask('draft', {
      models: ['small', 'middle', 'large'],
      apiKey: 'k',
      baseURL: server.url,
      prices: PRICES,
      description: 'Write a note.',
    });
    const by = ({ attempt }: { readonly attempt: number }) => (attempt < 3 ? `RETRY: Again (${attempt}).` : 'APPROVE');
    const pipeline = definePipeline({
      name: 'p',
      phases: [phase('note', { tasks: [draft], review: { by, maxRetries: 5 } })],
    });
    const run = startRun(pipeline);
    const records: RunRecord[] = [];
    run.events$.subscribe((record) => records.push(record));
    expect((await run.result).status).toBe('completed');
    expect(server.asked.map(({ body }) => body['model'])).toEqual(['small', 'middle', 'large', 'large']);
    expect(modelsIn(records)).toEqual(['small 1', 'middle 10', 'large 100', 'large 100']);
  });

  it('uses the same one for a repeated try', async () => {
    const server = await serve({ status: 503 }, 'A note.');
    const draft = openaiTask('draft', { models: ['small', 'large'], apiKey: 'k', baseURL: server.url });
    const run = startRun(definePipeline({ name: 'p', phases: [phase('note', { tasks: [draft] })] }), {
      clock: hurriedClock(),
    });
    expect((await run.result).status).toBe('completed');
    expect(server.asked.map(({ body }) => body['model'])).toEqual(['small', 'small']);
  });

  it('passes the model to a custom function', async () => {
    const asked: (string | undefined)[] = [];
    const ask = ({ model }: AskRequest) => {
      asked.push(model);
      return Promise.resolve({ text: 'x' });
    };
    const draft = openaiTask('draft', { ask, models: ['small', 'large'] });
    const by = ({ attempt }: { readonly attempt: number }) => (attempt === 0 ? 'RETRY: Again.' : 'APPROVE');
    await startRun(definePipeline({ name: 'p', phases: [phase('note', { tasks: [draft], review: by })] })).result;
    expect(asked).toEqual(['small', 'large']);
  });

  it('refuses invalid lists, and prices without one of the models', () => {
    const refusal = (options: object) => () => openaiTask('draft', options as never);
    const code = { code: 'DEFINITION_INVALID' };
    for (const models of [[], ['small', ' '], [1], 'small', {}])
      expect(refusal({ models })).toThrow(expect.objectContaining(code));
    expect(refusal({ models: ['a', 5] })).toThrow(/`models` has an invalid name as item 2 of its list\n/u);
    expect(refusal({ models: [] })).toThrow(/`models` has no name in its list\n/u);
    expect(refusal({ models: 'small' })).toThrow(/`models` has no valid list of names\n/u);
    expect(refusal({ models: ['small'], model: 'large' })).toThrow(/`models` has `model` next to it/u);
    expect(refusal({ models: ['small', 'huge'], prices: PRICES })).toThrow(/the cost of "huge"/u);
  });
});

describe('openaiReflection()', () => {
  it('shows the model the rejected output with its reason, and passes its lesson to the next attempt', async () => {
    const asked: AskRequest[] = [];
    const prompts: string[] = [];
    const draft = openaiTask('draft', {
      description: 'Write a note.',
      ask: ({ messages }) => {
        prompts.push(messages.at(-1)?.content ?? '');
        return Promise.resolve({ text: `draft ${prompts.length}` });
      },
    });
    const reflect = openaiReflection('reflect', {
      model: 'm',
      prices: { m: price(1) },
      instructions: 'You are an editor.',
      ask: (request) => {
        asked.push(request);
        return Promise.resolve({
          text: ` I learned ${asked.length}.\n`,
          usage: { inputTokens: 500_000, outputTokens: 500_000 },
        });
      },
    });
    const by = ({ attempt }: { readonly attempt: number }) =>
      attempt < 2
        ? { type: 'retry' as const, feedback: 'It has no number.', requiredChange: 'Name a number.' }
        : 'APPROVE';
    const note = phase('note', { tasks: [draft], review: { by, strategy: 'reflexion', reflect } });
    const result = await startRun(definePipeline({ name: 'p', phases: [note] })).result;
    expect(result.status).toBe('completed');
    expect(result.phases['note']?.costUsd).toBe(2);
    const [system = '', user = ''] = asked[1]?.messages.map(({ content }) => content) ?? [];
    expect(system).toMatch(/^You have done the work below[^]+You are an editor\.$/u);
    const delimiter = /"BEGIN ([^"]+)"/u.exec(system)?.[1] ?? '';
    expect(user.startsWith(`BEGIN ${delimiter}\n`) && user.endsWith(`\nEND ${delimiter}`)).toBe(true);
    expect(JSON.parse(user.split('\n').slice(1, -1).join('\n'))).toEqual({
      task: 'Write a note.',
      rejected_attempt: 2,
      outputs: { draft: 'draft 2' },
      required_change: 'Name a number.',
      feedback: 'It has no number.',
      earlier_reflections: ['I learned 1.'],
    });
    expect(prompts[2]).toContain('### Reflections on Rejected Attempts\n- I learned 1.\n- I learned 2.\n\n## Task');
  });

  it('continues without a lesson if the model fails', async () => {
    const server = await serve({ status: 401 });
    const reflect = openaiReflection('reflect', { model: 'm', apiKey: 'k', baseURL: server.url });
    const draft = openaiTask('draft', { ask: () => Promise.resolve({ text: 'x' }) });
    const by = ({ attempt }: { readonly attempt: number }) => (attempt === 0 ? 'RETRY: Again.' : 'APPROVE');
    const note = phase('note', { tasks: [draft], review: { by, strategy: 'reflexion', reflect } });
    const result = await startRun(definePipeline({ name: 'p', phases: [note] })).result;
    expect(result).toMatchObject({ status: 'completed', warnings: [{ code: 'REFLECTION_FAILED' }] });
    expect(server.asked).toHaveLength(1);
  });
});
