/** Servers that deviate from the API: their valid parts are read, and never misinterpreted. */
import { describe, expect, it } from 'vitest';
import { definePipeline, phase, startRun, type Estimate } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import { openaiTask, type OpenAIModel } from '../../src/openai.ts';
import { editorOf, modelOf, tell, serve } from './rig.ts';
import { verdict, type Api, type Server } from './server.ts';

const APIS: readonly Api[] = ['responses', 'chat'];
/** Combinations of API and mode: streamed or whole. */
const WAYS = APIS.flatMap((api) => [true, false].map((stream) => ({ api, stream })));

function draftOf(server: Server, api: Api, more: Partial<OpenAIModel> & { readonly estimate?: Estimate } = {}) {
  return openaiTask('draft', { ...modelOf(server, api), ...more, description: 'Write a note.' });
}

const reports = (records: readonly RunRecord[]) =>
  records.flatMap(({ event }) => {
    if (event.type !== 'task.reported') return [];
    const { tokens, inputTokens, outputTokens, costUsd } = event;
    return tokens === undefined ? [] : [{ tokens, inputTokens, outputTokens, costUsd }];
  });
const warnings = (records: readonly RunRecord[]) =>
  records.flatMap(({ event }) => (event.type === 'phase.warned' ? [`${event.code}: ${event.message}`] : []));

describe.each(WAYS)('by $api, stream: $stream,', ({ api, stream }) => {
  it.each(['error', 'model_length_exceeded', 'insufficient_system_resource', 'abort', 'tool_calls', 'a\u0000b'])(
    'an answer with an unknown finish_reason, %j, is a failed try, and a review error of a reviewer',
    async (finish) => {
      const server = await serve(
        { pieces: ['half an ans'], finish },
        'Gates help.',
        (asked) => ({ pieces: [verdict({})(asked)], finish }),
        verdict({}),
      );
      const { result, lines } = await tell(draftOf(server, api, { stream }), editorOf(server, api, { stream }));
      expect(lines).toEqual([
        expect.stringMatching(
          /^draft retrying after try 1 in \d+ ms: MODEL_ANSWER_INVALID .* as it ended for an unknown reason: "/u,
        ),
        'draft completed at try 2',
        expect.stringContaining('verdict unavailable: MODEL_ANSWER_INVALID'),
        'verdict approve',
        'completed',
      ]);
      expect(result.outputs).toEqual({ note: { draft: 'Gates help.' } });
    },
  );

  it.each([
    ['safety', 'a content filter has stopped it'],
    ['model_length', 'it was cut off after 11 characters'],
  ])('a finish_reason of other makers, %j, is understood', async (finish, found) => {
    const server = await serve({ pieces: ['half an ans'], finish });
    const { lines } = await tell(draftOf(server, api, { stream }));
    expect(lines).toEqual([expect.stringContaining(found), 'failed']);
  });

  const cached = api === 'chat' ? 'prompt_tokens_details' : 'input_tokens_details';
  const input = api === 'chat' ? 'prompt_tokens' : 'input_tokens';
  const output = api === 'chat' ? 'completion_tokens' : 'output_tokens';
  it.each<[string, Record<string, unknown>, readonly object[]]>([
    [
      'cached_tokens null',
      { [input]: 100, [output]: 20, total_tokens: 120, [cached]: { cached_tokens: null } },
      [{ tokens: 120, inputTokens: 100, outputTokens: 20, costUsd: 0.00018 }],
    ],
    [
      'details null',
      { [input]: 100, [output]: 20, [cached]: null },
      [{ tokens: 120, inputTokens: 100, outputTokens: 20, costUsd: 0.00018 }],
    ],
    [
      'numbers as text',
      { [input]: '100', [output]: '20' },
      [{ tokens: 120, inputTokens: 100, outputTokens: 20, costUsd: 0.00018 }],
    ],
    ['only a total', { total_tokens: 120 }, [{ tokens: 120, costUsd: 0.00048 }]],
    [
      'a total and one part',
      { [output]: 20, total_tokens: 120 },
      [{ tokens: 120, inputTokens: 100, outputTokens: 20, costUsd: 0.00018 }],
    ],
  ])('usage with quirks, %s, is read as far as possible, and the answer counts', async (_, usage, expected) => {
    const server = await serve({ pieces: ['Gates help.'], usage });
    const prices = { m: { inputPerMillion: 1, outputPerMillion: 4 } };
    const { result, records, lines } = await tell(draftOf(server, api, { stream, prices }));
    expect(lines).toEqual(['draft completed at try 1', 'completed']);
    expect(result.outputs).toEqual({ note: { draft: 'Gates help.' } });
    expect(reports(records)).toEqual(expected);
    expect(warnings(records)).toEqual([]);
  });

  it('the message of a 200 with { error } is kept', async () => {
    const server = await serve(
      { raw: JSON.stringify({ error: { message: 'The model is loading.', type: 'loading', code: 503 } }) },
      { raw: JSON.stringify({ error: 'out of memory' }) },
      { raw: '<html>Sign in</html>', type: 'text/html' },
      { raw: JSON.stringify({ error: { message: 'No such model.', code: 'model_not_found' } }) },
    );
    const { lines } = await tell(draftOf(server, api, { stream }));
    const as = 'MODEL_FAILED Cannot get an answer of model "m" as the server answered';
    expect(lines.map((line) => line.replace(/in \d+ ms/u, 'in … ms'))).toEqual([
      `draft retrying after try 1 in … ms: ${as} 200 with the error 503: The model is loading.`,
      `draft retrying after try 2 in … ms: ${as} 200 with the error: out of memory`,
      `draft retrying after try 3 in … ms: ${as} 200 with a body that is not an answer: "<html>Sign in</html>"`,
      `draft failed at try 4: ${as} 200 with the error model_not_found: No such model.`,
      'failed',
    ]);
  });

  it('an empty retry-after-ms does not hide retry-after', async () => {
    const server = await serve({ status: 429, headers: { 'retry-after-ms': '', 'retry-after': '7' } }, 'Gates help.');
    const { lines } = await tell(draftOf(server, api, { stream }));
    expect(lines[0]).toMatch(/^draft retrying after try 1 in 7000 ms/u);
  });

  it.each(['-5', 'NaN', 'soon', '0x10', ' '])('a retry-after-ms of %j is ignored', async (said) => {
    const headers = { 'retry-after-ms': said, 'retry-after': '7' };
    const server = await serve({ status: 429, headers }, 'Gates help.');
    const { lines } = await tell(draftOf(server, api, { stream }));
    expect(lines[0]).toMatch(/^draft retrying after try 1 in 7000 ms/u);
  });
});

describe.each(APIS)('by %s', (api) => {
  it('with stream: false nothing is streamed, and all else is the same', async () => {
    const server = await serve(
      { pieces: ['Gates ', 'help.'], usage: [100, 20, 40] },
      { pieces: [], refusal: 'I will not.' },
      verdict({}),
    );
    const more = { stream: false, params: { stream: true, stream_options: { include_usage: true } } };
    const { records, lines } = await tell(draftOf(server, api, more), editorOf(server, api, { stream: false }));
    expect(lines).toEqual([
      'draft completed at try 1',
      expect.stringMatching(/^verdict unavailable: .* as the model refused: I will not\.$/u),
      'verdict approve',
      'completed',
    ]);
    expect(server.asked.map(({ body }) => [body['stream'], 'stream_options' in body])).toEqual(
      Array.from({ length: 3 }, () => [false, false]),
    );
    expect(reports(records)).toEqual([{ tokens: 120, inputTokens: 100, outputTokens: 20 }]);
  });

  it('a whole answer to a request for a stream is accepted', async () => {
    const raw =
      api === 'chat'
        ? { choices: [{ message: { content: [{ type: 'text', text: 'Gates help.' }] }, finish_reason: 'stop' }] }
        : {
            status: 'completed',
            output: [{ type: 'message', content: [{ type: 'output_text', text: 'Gates help.' }] }],
          };
    const server = await serve({ raw: JSON.stringify(raw) });
    const { result } = await tell(draftOf(server, api));
    expect(result.outputs).toEqual({ note: { draft: 'Gates help.' } });
  });
});

describe('usage without numbers', () => {
  it.each<[string, Record<string, unknown>, readonly object[]]>([
    ['nothing', {}, [{ tokens: 1000, costUsd: 0.5 }]],
    [
      'a part',
      { prompt_tokens: 100 },
      [
        { tokens: 100, inputTokens: 100 },
        { tokens: 900, costUsd: 0.5 },
      ],
    ],
    ['a part that is more than all', { completion_tokens: 2000 }, [{ tokens: 2000, outputTokens: 2000 }]],
  ])('charges the estimate: %s', async (_, usage, charged) => {
    const server = await serve({ pieces: ['One.'], usage });
    const { result, records } = await tell(draftOf(server, 'chat', { estimate: { tokens: 1000, costUsd: 0.5 } }));
    expect(reports(records)).toEqual(charged);
    expect(result.metrics).toMatchObject({ costUsd: 0.5 });
  });

  const QUIRKS: readonly Record<string, unknown>[] = [{}, { prompt_tokens: null, total_tokens: -1 }, { tokens: 5 }];

  it.each(QUIRKS)('%j emits one warning in a run, and the answers count', async (usage) => {
    const server = await serve({ pieces: ['One.'], usage }, { pieces: ['Two.'], usage }, { pieces: ['Three.'], usage });
    const draft = openaiTask('draft', { ...modelOf(server, 'chat'), description: 'Write.' });
    const by = ({ attempt }: { readonly attempt: number }) => (attempt < 2 ? 'RETRY: Again.' : 'APPROVE');
    const run = startRun(definePipeline({ name: 'p', phases: [phase('note', { tasks: [draft], review: by })] }));
    const records: RunRecord[] = [];
    run.events$.subscribe((record) => records.push(record));
    expect((await run.result).outputs).toEqual({ note: { draft: 'Three.' } });
    expect(warnings(records)).toEqual([
      'USAGE_UNREADABLE: The usage of an answer of model "m" is incomplete: the estimate counts if there is one',
    ]);
  });
});
