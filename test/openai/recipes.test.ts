/** The recipes of docs/models.md, verbatim, with the packages that they name and servers that speak the protocols. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openaiTask, type Ask, type OpenAIClient } from '../../src/openai.ts';
import { hurriedClock, STEADY, tell, serve, serveBy } from './rig.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folders: string[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Returns the exports of a recipe. */
async function recipe(heading: string): Promise<Readonly<Record<string, unknown>>> {
  const page = readFileSync(join(root, 'docs/models.md'), 'utf8');
  const section = page.slice(page.indexOf(`\n### ${heading}\n`));
  const code = section.slice(section.indexOf('```js\n') + 6, section.indexOf('\n```\n'));
  const folder = mkdtempSync(join(tmpdir(), 'phasegate-recipe-'));
  folders.push(folder);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const file = join(folder, 'recipe.mjs');
  writeFileSync(file, code);
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
}

const ANSWER = { pieces: ['Gates ', 'help.'], usage: [100, 20] } as const;

async function works(task: Parameters<typeof tell>[0]): Promise<void> {
  const { result, lines } = await tell(task, undefined, { clock: hurriedClock() });
  expect(lines).toEqual([
    expect.stringContaining('draft retrying after try 1'),
    'draft completed at try 2',
    'completed',
  ]);
  expect(result.outputs).toEqual({ note: { draft: 'Gates help.' } });
  expect(result.metrics.tokens).toBe(120);
}

describe('the recipe for', () => {
  it('Anthropic works', async () => {
    const said: string[] = [];
    const { url } = await serveBy((request, response) => {
      const key = request.headers['x-api-key'] ?? request.headers.authorization;
      said.push(`${request.url} ${String(key)}`);
      request.resume();
      if (said.length === 1) {
        const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
        response.writeHead(529, { 'content-type': 'application/json' }).end(JSON.stringify(error));
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const message = {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'c',
        content: [],
        stop_reason: null,
        stop_sequence: null,
      };
      const events: readonly (readonly [string, object])[] = [
        ['message_start', { message: { ...message, usage: { input_tokens: 100, output_tokens: 1 } } }],
        ['content_block_start', { index: 0, content_block: { type: 'text', text: '' } }],
        ...ANSWER.pieces.map(
          (text) => ['content_block_delta', { index: 0, delta: { type: 'text_delta', text } }] as const,
        ),
        ['content_block_stop', { index: 0 }],
        ['message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 20 } }],
        ['message_stop', {}],
      ];
      for (const [type, more] of events)
        response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
      response.end();
    });
    vi.stubEnv('ANTHROPIC_BASE_URL', new URL(url).origin);
    vi.stubEnv('ANTHROPIC_API_KEY', 'key-of-anthropic');
    const { ask } = await recipe('Anthropic');
    await works(openaiTask('draft', { ask: ask as Ask, model: 'c', description: 'Write.', retry: STEADY }));
    expect(said.map((one) => one.replace('Bearer ', ''))).toEqual(
      Array.from({ length: 2 }, () => '/v1/messages key-of-anthropic'),
    );
  });

  it('the Vercel AI SDK works', async () => {
    const server = await serve({ status: 503 }, ANSWER);
    vi.stubEnv('MODEL_URL', server.url);
    vi.stubEnv('MODEL_KEY', 'key-of-own');
    const { ask } = await recipe('Vercel AI SDK');
    await works(openaiTask('draft', { ask: ask as Ask, model: 'm', description: 'Write.', retry: STEADY }));
    expect(server.asked[1]).toMatchObject({ headers: { authorization: 'Bearer key-of-own' }, body: { model: 'm' } });
  });

  it('Azure works', async () => {
    const server = await serve({ status: 503 }, ANSWER);
    vi.stubEnv('AZURE_OPENAI_ENDPOINT', server.url.replace('/v1', ''));
    vi.stubEnv('AZURE_OPENAI_API_KEY', 'key-of-azure');
    const { client } = await recipe('Azure');
    const given = client as OpenAIClient;
    await works(openaiTask('draft', { client: given, api: 'chat', model: 'd', description: 'Write.', retry: STEADY }));
    expect(server.asked[1]?.path).toBe('/openai/deployments/d/chat/completions?api-version=2024-10-21');
    expect(server.asked[1]?.headers['api-key']).toBe('key-of-azure');
  });

  it('Ollama works', async () => {
    const server = await serve({ status: 503 }, ANSWER);
    vi.stubEnv('OLLAMA_URL', server.url);
    const { ollama } = await recipe('Ollama');
    const options = ollama as { readonly api: 'chat'; readonly model: string; readonly baseURL: string };
    await works(openaiTask('draft', { ...options, concurrency: 1, description: 'Write.', retry: STEADY }));
    expect(server.asked[1]?.path).toBe('/v1/chat/completions');
  });
});
