/** Answers of models beyond the limit: they are aborted, and count as neither verdict nor output. */
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { definePipeline, phase, startRun, memoryStore, readRun } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import { openaiReflection, openaiReviewer, openaiTask, type Ask } from '../../src/openai.ts';
import { hurriedClock, tell, plainTask, modelOf, editorOf, type AnyModelTask, serve, serveBy } from './rig.ts';
import { nonceIn, verdict, type Api } from './server.ts';

const APIS: readonly Api[] = ['chat', 'responses'];
const MOST = 1000;

/** Starts a server that repeats a piece for as long as the client reads. */
async function serveEndless(head: string, piece: string) {
  let onLeft = () => {};
  const left = new Promise<void>((resolve) => (onLeft = resolve));
  const { url } = await serveBy((request, response) => {
    response.on('close', onLeft);
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(head);
    goOn(response, piece);
  });
  return { url, left };
}

function goOn(response: ServerResponse, piece: string): void {
  if (response.destroyed) return;
  if (response.write(piece)) setImmediate(() => goOn(response, piece));
  else response.once('drain', () => goOn(response, piece));
}

const FAILED =
  /^draft failed at try 1: TEXT_TOO_LONG Cannot use the answer of .* as it has more than 1000 characters$/u;

describe('an answer that is returned whole', () => {
  it.each([MOST - 1, MOST])('is accepted with %i characters', async (length) => {
    const draft = openaiTask('draft', { ask: async () => ({ text: 'x'.repeat(length) }), maxAnswerChars: MOST });
    const { lines } = await tell(draft);
    expect(lines).toEqual(['draft completed at try 1', 'completed']);
  });

  it('is a failed try with one more, and its usage is counted', async () => {
    const ask: Ask = async () => ({ text: 'x'.repeat(MOST + 1), usage: { inputTokens: 3, outputTokens: 4 } });
    const { lines, result } = await tell(openaiTask('draft', { ask, maxAnswerChars: MOST }));
    expect(lines).toEqual([expect.stringMatching(FAILED), 'failed']);
    expect(result.metrics.tokens).toBe(7);
  });

  it.each([999_999, 1_000_000, 1_000_001])('has a default limit, with %i characters', async (length) => {
    const { result } = await tell(openaiTask('draft', { ask: async () => ({ text: 'x'.repeat(length) }) }));
    expect(result.status).toBe(length > 1_000_000 ? 'failed' : 'completed');
  });

  it('is requested of the next model, if there is one', async () => {
    const draft = openaiTask('draft', {
      ask: async () => ({ text: 'x'.repeat(MOST + 1) }),
      maxAnswerChars: MOST,
      fallback: [{ ask: async () => ({ text: 'short' }) }],
    });
    const { result } = await tell(draft);
    expect(result).toMatchObject({ outputs: { note: { draft: 'short' } } });
  });

  it.each([0, -1, 1.5, Infinity, NaN, '5'])('cannot have a limit of %s', (maxAnswerChars) => {
    const options = { model: 'm', maxAnswerChars: maxAnswerChars as number };
    for (const make of [
      () => openaiTask('draft', options),
      () => openaiReflection('draft', options),
      () => openaiReviewer('draft', { ...options, criteria: 'It is short.' }),
    ]) {
      expect(make).toThrow(/^Cannot let a model do "draft" as `maxAnswerChars` is .*, not a whole number from 1/u);
    }
  });
});

describe('an answer in pieces', () => {
  it('is aborted at the limit, even if the function ignores the error and the signal', async () => {
    const seen: string[] = [];
    const ask: Ask = async ({ onDelta, signal, maxAnswerChars }) => {
      for (let count = 1; !signal.aborted; count += 1) {
        try {
          onDelta('x'.repeat(100));
        } catch (error) {
          seen.push(`piece ${count} of ${maxAnswerChars}: ${(error as { code?: string }).code}`);
        }
      }
      return new Promise(() => {});
    };
    const { lines } = await tell(openaiTask('draft', { ask, maxAnswerChars: MOST }));
    expect(lines).toEqual([expect.stringMatching(FAILED), 'failed']);
    expect(seen).toEqual(['piece 11 of 1000: TEXT_TOO_LONG']);
  });

  describe.each(APIS)('by %s', (api) => {
    it.each([MOST - 1, MOST])('is accepted with %i characters', async (length) => {
      const server = await serve({ pieces: ['x'.repeat(length - 1), 'y'] });
      const { lines } = await tell(openaiTask('draft', { ...modelOf(server, api), maxAnswerChars: MOST }));
      expect(lines).toEqual(['draft completed at try 1', 'completed']);
    });

    it('is a failed try with one more, and the server sees its connection closed', async () => {
      const server = await serve({ pieces: ['x'.repeat(MOST), 'y'], breaks: 'hang' });
      const { lines } = await tell(openaiTask('draft', { ...modelOf(server, api), maxAnswerChars: MOST }));
      await server.left;
      expect(lines).toEqual([expect.stringMatching(FAILED), 'failed']);
      expect(server.asked.length).toBe(1);
    });

    it('is a review error, so the gate asks again', async () => {
      const server = await serve({ pieces: ['x'.repeat(MOST), 'y'], breaks: 'hang' }, verdict({}));
      const { lines } = await tell(plainTask('Gates help.'), editorOf(server, api, { maxAnswerChars: MOST }));
      await server.left;
      expect(lines).toEqual([
        'draft completed at try 1',
        expect.stringMatching(
          /^verdict unavailable: TEXT_TOO_LONG Cannot use the answer of the model of "editor" of phase "note"/u,
        ),
        'verdict approve',
        'completed',
      ]);
    });

    it('is aborted as a refusal, too', async () => {
      const server = await serve({ pieces: [], refusal: 'n'.repeat(MOST + 1), breaks: 'hang' });
      const { lines } = await tell(openaiTask('draft', { ...modelOf(server, api), maxAnswerChars: MOST }));
      await server.left;
      expect(lines).toEqual([expect.stringMatching(FAILED), 'failed']);
    });

    it.each([
      ['one event', 'data: {"x":"', 'x'.repeat(65_536)],
      ['lines of one event', 'event: x\r\n', 'data: x\r\n'.repeat(8000)],
    ])('is aborted if %s never ends', async (_, head, piece) => {
      const server = await serveEndless(head, piece);
      const { lines } = await tell(openaiTask('draft', { ...modelOf(server, api), maxAnswerChars: MOST }));
      await server.left;
      expect(lines).toEqual([expect.stringMatching(FAILED), 'failed']);
    });

    it('is aborted if its body in one piece is longer than any answer', async () => {
      const server = await serve({ raw: `{"x":"${'x'.repeat(2_100_000)}"}` });
      const stream = false;
      const { lines } = await tell(openaiTask('draft', { ...modelOf(server, api), maxAnswerChars: MOST, stream }));
      expect(lines).toEqual([expect.stringMatching(FAILED), 'failed']);
    });

    it('may have more characters in all events than in one', async () => {
      const pieces = Array.from({ length: MOST }, () => 'x');
      const server = await serve({ pieces });
      const { lines } = await tell(openaiTask('draft', { ...modelOf(server, api), maxAnswerChars: MOST }));
      expect(lines).toEqual(['draft completed at try 1', 'completed']);
    });
  });
});

describe('a critique of a model', () => {
  async function reviewed(critique: string): Promise<readonly RunRecord[]> {
    const editor: AnyModelTask = openaiReviewer('editor', {
      criteria: 'It is short.',
      ask: async ({ messages }) => ({
        text: JSON.stringify({
          nonce: nonceIn(messages[0]?.content ?? ''),
          verdict: 'needs_changes',
          required_change: 'Cite it.',
          critique,
          conf: 0.9,
        }),
      }),
    });
    const store = memoryStore();
    const note = phase('note', { tasks: [plainTask('Gates help.')], review: editor });
    await startRun(definePipeline({ name: 'p', phases: [note] }), { store, runId: 'r', clock: hurriedClock() }).result;
    return readRun(store, 'r');
  }

  it('of 20 MB is a review error, and makes a store of a bounded size', async () => {
    const records = await reviewed('c'.repeat(20_000_000));
    const [decided] = records.flatMap(({ event }) => (event.type === 'review.decided' ? event : []));
    expect(decided?.verdict).toMatchObject({ type: 'unavailable', error: { code: 'TEXT_TOO_LONG' } });
    expect(JSON.stringify(records).length).toBeLessThan(100_000);
  });

  it('of 900 kB is cut to the limit of feedback, and makes a store of a bounded size', async () => {
    const records = await reviewed('c'.repeat(900_000));
    const [decided] = records.flatMap(({ event }) => (event.type === 'review.decided' ? event : []));
    expect(decided?.verdict).toMatchObject({
      type: 'retry',
      requiredChange: 'Cite it.',
      feedback: expect.stringMatching(/^Cite it\.\n\nc+ \[… 85\d{4} characters left out …\] c+$/u) as string,
    });
    expect(JSON.stringify(records).length).toBeLessThan(1_000_000);
  });
});
