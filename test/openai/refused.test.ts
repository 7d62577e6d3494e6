/** A refused connection: the error contains its address and its cause, for every client. */
import { once as event } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { errorText } from '../../src/cli/terminal/error-text.ts';
import { definePipeline, phase, startRun, task, type ErrorInfo, type Task } from '../../src/index.ts';
import { openaiReviewer, openaiTask } from '../../src/openai.ts';

const once = { attempts: 1 } as const;

/** Returns the error of a phase with one task, and a reviewer that is asked once. */
async function errorOf(work: Task, by?: unknown): Promise<ErrorInfo> {
  const review = by === undefined ? {} : { review: { by: by as never, maxReviewErrors: 0 } };
  const pipeline = definePipeline({ name: 'p', phases: [phase('a', { tasks: [work] as never, ...review })] });
  const { phases } = await startRun(pipeline).result;
  const { error } = phases['a' as never] as { readonly error: ErrorInfo | null };
  if (!error) throw new Error('the phase has not failed');
  return error;
}

describe('a refused connection', () => {
  let url = '';
  let refused = '';

  beforeAll(async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await event(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await event(server, 'close');
    url = `http://127.0.0.1:${port}/v1`;
    refused = `connect ECONNREFUSED 127.0.0.1:${port}`;
  });

  it('of a working model is in the message', async () => {
    const work = openaiTask('t', { model: 'm', baseURL: url, apiKey: 'k', description: 'x', retry: once });
    const { code, message } = await errorOf(work);
    expect(code).toBe('MODEL_FAILED');
    expect(message).toContain(`the connection failed or the server broke off: Connection error. (${refused})`);
  });

  it('of a reviewing model is in the error of its phase', async () => {
    const by = openaiReviewer('review', { model: 'm', baseURL: url, apiKey: 'k', criteria: 'x', retry: once });
    const error = await errorOf(task('t', { run: () => 'x' }), by);
    expect(error.code).toBe('REVIEW_UNAVAILABLE');
    expect(errorText(error)).toContain(refused);
  });

  it('of an unknown host is reported as such', async () => {
    const baseURL = 'http://no-such-host.invalid/v1';
    const work = openaiTask('t', { model: 'm', baseURL, apiKey: 'k', description: 'x', retry: once });
    expect((await errorOf(work)).message).toMatch(/\(getaddrinfo \w+ no-such-host\.invalid\)/u);
  });

  it('of a request by the task itself is the cause of its error', async () => {
    const work = task('t', { run: async () => (await fetch(url)).text() });
    const error = await errorOf(work);
    expect(error.cause).toBe(`Error: ${refused}`);
    expect(errorText(error)).toContain(refused);
  });
});
