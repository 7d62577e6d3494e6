/** Servers that report usage during an answer: limits of the run end it in the middle, and nothing counts twice. */
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { definePipeline, phase, startRun, task, type Limits, memoryStore, readRun } from '../../src/index.ts';
import type { EventOf, RunRecord } from '../../src/records.ts';
import { openaiTask, type Ask, type AskReply } from '../../src/openai.ts';
import { editorOf, hurriedClock, modelOf, plainTask, serve, serveBy, type AnyModelTask } from './rig.ts';
import { verdict, type Api } from './server.ts';

const APIS: readonly Api[] = ['chat', 'responses'];
const prices = { m: { inputPerMillion: 1_000_000, outputPerMillion: 10_000_000, cachedInputPerMillion: 100_000 } };

/** The number of pieces after which a server stops. It is far above any limit here. */
const MANY = 20_000;

/**
 * Starts a server that writes one piece a turn, with the usage so far: 100 tokens of the messages, and one for each
 * piece.
 * It stops after many pieces.
 */
async function serveCounting(api: Api, pieceOf = (count: number) => `${count} `) {
  let onLeft: (pieces: number) => void = () => {};
  const left = new Promise<number>((resolve) => (onLeft = resolve));
  const { url } = await serveBy((request, response) => {
    let count = 0;
    request.resume();
    response.on('close', () => onLeft(count));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    next();
    function next(): void {
      if (response.destroyed) return;
      count += 1;
      response.write(countingEvent(api, count, pieceOf(count)), () => {
        if (count < MANY) setImmediate(next);
        else finish(api, response, count);
      });
    }
  });
  return { url, left };
}

function countingEvent(api: Api, count: number, text: string): string {
  if (api === 'chat') {
    const usage = { prompt_tokens: 100, completion_tokens: count, total_tokens: 100 + count };
    return `data: ${JSON.stringify({ choices: [{ delta: { content: text } }], usage })}\n\n`;
  }
  const usage = { input_tokens: 100, output_tokens: count, total_tokens: 100 + count };
  const events = [
    { type: 'response.output_text.delta', delta: text },
    { type: 'response.in_progress', response: { status: 'in_progress', usage } },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

function finish(api: Api, response: ServerResponse, count: number): void {
  const usage = { input_tokens: 100, output_tokens: count };
  if (api === 'chat') response.end('data: {"choices":[{"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
  else
    response.end(
      `data: ${JSON.stringify({ type: 'response.completed', response: { status: 'completed', usage } })}\n\n`,
    );
}

/** Runs a phase in a store, to its end. */
async function run(task: AnyModelTask, limits: Limits = {}, review?: AnyModelTask) {
  const store = memoryStore();
  const note = phase('note', { tasks: [task], ...(review && { review }) });
  const result = await startRun(definePipeline({ name: 'p', phases: [note], limits }), { store, runId: 'r' }).result;
  const records = await readRun(store, 'r');
  return { result, records, reports: usageIn(records) };
}

function usageIn(records: readonly RunRecord[]) {
  return records.flatMap(({ event }) =>
    event.type === 'task.reported' && (event.tokens ?? event.costUsd) !== undefined ? [event] : [],
  );
}

function sum(
  reports: readonly EventOf<'task.reported'>[],
  name: 'tokens' | 'costUsd' | 'inputTokens' | 'outputTokens',
) {
  return reports.reduce((all, one) => all + (one[name] ?? 0), 0);
}

const draftOf = (server: { readonly url: string }, api: Api, more: object = {}) =>
  openaiTask('draft', { ...modelOf(server, api), description: 'Write a note.', retry: { attempts: 1 }, ...more });

describe.each(APIS)('usage in a stream, by %s,', (api) => {
  it('lets limits.tokens stop the answer in the middle', async () => {
    const server = await serveCounting(api);
    const { result } = await run(draftOf(server, api), { tokens: 1000 });
    expect(result).toMatchObject({ status: 'exhausted', limit: 'tokens' });
    // Growth of up to one eighth of the answer goes unnoticed.
    expect(result.metrics.tokens).toBeGreaterThan(1000);
    expect(result.metrics.tokens).toBeLessThanOrEqual(1000 + 1000 / 8);
    expect(await server.left).toBeLessThan(MANY);
  });

  it('lets limits.costUsd stop it', async () => {
    const server = await serveCounting(api);
    const { result } = await run(draftOf(server, api, { prices }), { costUsd: 5000 });
    expect(result).toMatchObject({ status: 'exhausted', limit: 'costUsd' });
    expect(result.metrics.costUsd).toBeGreaterThan(5000);
    expect(result.metrics.costUsd).toBeLessThanOrEqual(5000 * 1.125);
    expect(await server.left).toBeLessThan(MANY);
  });

  it('lets limits stop a reviewer', async () => {
    const server = await serveCounting(api);
    const { result } = await run(plainTask('Gates help.'), { tokens: 1000 }, editorOf(server, api));
    expect(result).toMatchObject({ status: 'exhausted', limit: 'tokens' });
    expect(await server.left).toBeLessThan(MANY);
  });

  it('counts once, in a few dozen records, if the answer is complete', async () => {
    const server = await serveCounting(api);
    const { result, reports } = await run(draftOf(server, api, { prices }), { tokens: 1_000_000 });
    expect(result).toMatchObject({ status: 'completed', metrics: { tokens: 100 + MANY } });
    expect(sum(reports, 'inputTokens')).toBe(100);
    expect(sum(reports, 'outputTokens')).toBe(MANY);
    expect(sum(reports, 'costUsd')).toBeCloseTo(100 + 10 * MANY, 3);
    expect(reports.length).toBeGreaterThan(10);
    expect(reports.length).toBeLessThan(60);
    expect(new Set(reports.map(({ model }) => model))).toEqual(new Set(['m']));
  });

  it('counts if the answer becomes too long', async () => {
    const server = await serveCounting(api);
    const { result, reports } = await run(draftOf(server, api, { maxAnswerChars: 5000, estimate: { tokens: 7 } }));
    expect(result).toMatchObject({ status: 'failed', phases: { note: { error: { code: 'TEXT_TOO_LONG' } } } });
    expect(sum(reports, 'tokens')).toBeGreaterThan(1000);
    expect(reports.filter(({ estimated }) => estimated)).toEqual([]);
  });
});

describe('usage so far, by Chat Completions,', () => {
  const chunk = (usage: object | null, content = 'x') =>
    `data: ${JSON.stringify({ choices: [{ delta: { content } }], usage })}\n\n`;
  const end = (usage?: object) =>
    `data: ${JSON.stringify({ choices: [{ finish_reason: 'stop' }] })}\n\n${usage ? `data: ${JSON.stringify({ choices: [], usage })}\n\n` : ''}data: [DONE]\n\n`;
  const tokens = (prompt_tokens: number, completion_tokens: number, more: object = {}) => ({
    prompt_tokens,
    completion_tokens,
    ...more,
  });
  const type = 'text/event-stream';

  it('is one record if the server reports it only at the end, as OpenAI does', async () => {
    const server = await serve({ raw: chunk(null) + chunk(null) + end(tokens(100, 20)), type });
    const { reports } = await run(draftOf(server, 'chat', { prices }));
    expect(reports).toMatchObject([{ tokens: 120, inputTokens: 100, outputTokens: 20, costUsd: 300 }]);
  });

  it('never costs more than the final usage, despite cached tokens', async () => {
    const cached = { prompt_tokens_details: { cached_tokens: 100 } };
    const server = await serve({
      raw: chunk(tokens(100, 1)) + chunk(tokens(100, 400)) + end(tokens(100, 400, cached)),
      type,
    });
    const { reports } = await run(draftOf(server, 'chat', { prices }));
    expect(sum(reports, 'costUsd')).toBeCloseTo(10 + 4000, 6);
    expect(sum(reports, 'tokens')).toBe(500);
    expect(reports.length).toBeGreaterThan(1);
  });

  it('never costs more than the final usage, if earlier reports are only totals', async () => {
    const server = await serve({
      raw: chunk({ total_tokens: 101 }) + chunk({ total_tokens: 500 }) + end(tokens(100, 400)),
      type,
    });
    const { reports } = await run(draftOf(server, 'chat', { prices }));
    expect(sum(reports, 'costUsd')).toBeCloseTo(100 + 4000, 6);
    expect(sum(reports, 'tokens')).toBe(500);
  });

  it('counts in full without an estimate if the stream breaks', async () => {
    const server = await serve({ raw: chunk(tokens(100, 1)) + chunk(tokens(100, 30)), type });
    const more = { prices, estimate: { tokens: 5000, costUsd: 50_000 } };
    const { result, reports } = await run(draftOf(server, 'chat', more));
    expect(result).toMatchObject({ status: 'failed', metrics: { tokens: 130 } });
    expect(sum(reports, 'costUsd')).toBeCloseTo(100 + 300, 6);
    expect(reports.filter(({ estimated }) => estimated)).toEqual([]);
  });

  it.each([
    ['falls', tokens(100, 400), tokens(100, 10), 500],
    ['is odd', { prompt_tokens: 'many', completion_tokens: -1 }, tokens(100, 10), 110],
    ['is no object', 'lots' as unknown as object, tokens(100, 10), 110],
  ])('that %s is ignored', async (_, soFar, at, expected) => {
    const server = await serve({ raw: chunk(soFar) + end(at), type });
    const { result } = await run(draftOf(server, 'chat'));
    expect(result).toMatchObject({ status: 'completed', metrics: { tokens: expected } });
  });

  it('is requested in the words of the server: stream options are sent on', async () => {
    const server = await serve('Gates help.', 'Gates help.');
    await run(draftOf(server, 'chat', { params: { stream_options: { continuous_usage_stats: true } } }));
    await run(draftOf(server, 'chat', { params: { stream_options: { include_usage: false } } }));
    expect(server.asked.map(({ body }) => body['stream_options'])).toEqual([
      { include_usage: true, continuous_usage_stats: true },
      { include_usage: false },
    ]);
  });
});

describe('onUsage', () => {
  it('stops a function that asks a model, and its report counts once', async () => {
    let said = 0;
    const ask: Ask = async ({ onUsage, signal }) => {
      for (said = 1; said < MANY && !signal.aborted; said += 1) {
        onUsage({ inputTokens: 100, outputTokens: said });
        await new Promise((resolve) => setImmediate(resolve));
      }
      signal.throwIfAborted();
      return { text: 'Gates help.' };
    };
    const { result } = await run(openaiTask('draft', { ask }), { tokens: 1000 });
    expect(result).toMatchObject({ status: 'exhausted', limit: 'tokens' });
    expect(said).toBeLessThan(MANY);
    expect(result.metrics.tokens).toBeLessThanOrEqual(1000 + 1000 / 8);
  });

  it('gives the usage of an answer without one', async () => {
    const ask: Ask = async ({ onUsage }) => {
      onUsage({ inputTokens: 100, outputTokens: 1 });
      onUsage({ inputTokens: 100, outputTokens: 20 });
      return { text: 'Gates help.' };
    };
    const { result, records } = await run(openaiTask('draft', { ask, estimate: { tokens: 9000 } }));
    expect(result.metrics.tokens).toBe(120);
    expect(records.filter(({ event }) => event.type === 'phase.warned')).toEqual([]);
  });
});

describe('the estimate that a model client charges', () => {
  it.each([
    ['says nothing of its usage', {}, [{ tokens: 1000, costUsd: 0.5, estimated: true }]],
    [
      'says a part of it',
      { usage: { prompt_tokens: 100 } },
      [
        { tokens: 100, inputTokens: 100 },
        { tokens: 900, costUsd: 0.5, estimated: true },
      ],
    ],
    [
      'says more than that',
      { usage: { completion_tokens: 2000 } },
      [
        { tokens: 2000, outputTokens: 2000 },
        { costUsd: 0.5, estimated: true },
      ],
    ],
  ])('is marked, and not charged again by the try, if the answer %s', async (_, said, expected) => {
    const server = await serve({ pieces: ['One.'], ...said });
    const { result, reports } = await run(draftOf(server, 'chat', { estimate: { tokens: 1000, costUsd: 0.5 } }));
    const shown = reports.map(({ tokens, costUsd, inputTokens, outputTokens, estimated }) => ({
      tokens,
      costUsd,
      inputTokens,
      outputTokens,
      estimated,
    }));
    expect(shown).toEqual(expected);
    expect(result.metrics).toMatchObject({ tokens: sum(reports, 'tokens'), costUsd: 0.5 });
  });

  it('is charged once if the answer is invalid', async () => {
    const server = await serve({ pieces: [''], finish: 'stop' });
    const { result, reports } = await run(draftOf(server, 'chat', { estimate: { tokens: 1000 } }));
    expect(result).toMatchObject({ status: 'failed', metrics: { tokens: 1000 } });
    expect(reports).toMatchObject([{ tokens: 1000, estimated: true }]);
  });

  it('is charged once if one try asks several models', async () => {
    const server = await serve({ pieces: [''] }, { pieces: ['Two.'] });
    const { result } = await run(draftOf(server, 'chat', { estimate: { tokens: 1000 }, fallback: ['other'] }));
    expect(result).toMatchObject({ status: 'completed', metrics: { tokens: 1000 } });
  });

  it('is charged once for all samples of a reviewer', async () => {
    const server = await serve(...Array.from({ length: 3 }, () => verdict({})));
    const more = { samples: 3, estimate: { tokens: 900 } };
    const { result, reports } = await run(plainTask('Gates help.'), {}, editorOf(server, 'chat', more));
    expect(result.status).toBe('completed');
    expect(result.metrics.tokens).toBeLessThanOrEqual(900);
    expect(reports.every(({ estimated }) => estimated === true)).toBe(true);
  });

  it.each([
    ['nothing', undefined, 1000],
    ['less', { inputTokens: 10, outputTokens: 5 }, 1000],
    ['more', { inputTokens: 1000, outputTokens: 500 }, 1500],
  ])('is not charged if the try was charged at its timeout, and the late answer reports %s', async (_, usage, all) => {
    let answer = (_said: AskReply) => {};
    const ask: Ask = () => new Promise((resolve) => (answer = resolve));
    let letEnd = (_output: string) => {};
    const draft = openaiTask('draft', { ask, timeout: 10, estimate: { tokens: 1000 }, retry: { attempts: 1 } });
    const other = task('other', { run: () => new Promise<string>((resolve) => (letEnd = resolve)) });
    const phases = [phase('note', { tasks: [draft] }), phase('other', { tasks: [other] })];
    const one = startRun(definePipeline({ name: 'p', phases }), { clock: hurriedClock(3_000_000) });
    const records: RunRecord[] = [];
    await new Promise<void>((resolve) =>
      one.events$.subscribe((record) => {
        records.push(record);
        if (record.event.type === 'phase.failed') resolve();
      }),
    );
    expect(usageIn(records)).toMatchObject([{ tokens: 1000, estimated: true }]);
    answer({ text: 'Late.', usage });
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    letEnd('done');
    expect((await one.result).metrics.tokens).toBe(all);
  });
});
