/** Runs that the dashboard starts: of the pipelines that the server was given, once, with an input that their schema accepts. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createWorker, definePipeline, phase, resumeRun, task } from '../../src/index.ts';
import { askAt, ownStore, served, until } from './rig.ts';

const greet = definePipeline({
  name: 'greet',
  input: z.strictObject({ name: z.string().max(5) }),
  phases: [phase('hello', { tasks: [task('text', { run: ({ input }) => `Hello ${JSON.stringify(input)}` })] })],
});
const plain = definePipeline({
  name: 'plain',
  phases: [phase('a', { tasks: [task('t', { run: ({ input }) => input ?? 'no input' })] })],
});
const pipelines = [{ pipeline: greet, workCommand: 'phasegate work greet.ts' }, plain];

describe('the pipelines of a server', () => {
  it('are listed with the schema of their input', async () => {
    const { get } = await served({ pipelines });
    expect((await get('/api/session')).body).toMatchObject({ actions: ['start', 'cancel'], readOnly: false });
    expect(await get('/api/pipelines')).toMatchObject({
      status: 200,
      body: {
        pipelines: [
          {
            name: 'greet',
            phases: 1,
            isChecked: true,
            schema: { type: 'object', required: ['name'], properties: { name: { type: 'string', maxLength: 5 } } },
            workCommand: 'phasegate work greet.ts',
          },
          { name: 'plain', phases: 1, isChecked: false },
        ],
      },
    });
  });

  it('have different names', async () => {
    const { store } = await ownStore();
    await expect(served({ store, pipelines: [plain, plain] })).rejects.toThrow(
      'Cannot start runs in the dashboard as two pipelines have one name: "plain"',
    );
  });
});

describe('a start', () => {
  it('stores a run, which a worker begins', async () => {
    const { store, get, post } = await served({ pipelines });
    const asked = { pipeline: 'greet', runId: 'r', input: { name: 'Ada' } };
    expect(await post('/api/runs', asked)).toEqual({ status: 200, body: { runId: 'r', state: 'submitted' } });
    expect((await get('/api/runs/r')).body).toMatchObject({ pipeline: 'greet', seq: 1, worker: null });

    const worker = createWorker(store, [greet]);
    await until(async () => (await store.run('r'))?.status === 'completed');
    await worker.stop();
    expect(JSON.stringify(await store.read('r'))).toContain('Hello');
    expect(await post('/api/runs', asked)).toEqual({ status: 200, body: { runId: 'r', state: 'begun' } });
  });

  it('is one run, however often the same request comes, and no other run with its id', async () => {
    const { store, post } = await served({ pipelines });
    const asked = { pipeline: 'plain', runId: 'r', input: 'text' };
    const answers = await Promise.all([1, 2, 3].map(() => post('/api/runs', asked)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await store.runs()).toHaveLength(1);
    expect(await post('/api/runs', { ...asked, input: 'another' })).toMatchObject({
      status: 409,
      body: { error: { code: 'RUN_EXISTS' } },
    });
    expect(await store.read('r')).toHaveLength(1);
  });

  it('is refused with the word that commands read as the last run', async () => {
    const { store, post } = await served({ pipelines });
    expect(await post('/api/runs', { pipeline: 'plain', runId: 'latest' })).toMatchObject({
      status: 400,
      body: { error: { code: 'INPUT_INVALID', message: expect.stringContaining('which is reserved') as string } },
    });
    expect(await store.runs()).toEqual([]);
  });

  it('begins at once if the server can resume runs, and once for several requests', async () => {
    const { store } = await ownStore();
    let count = 0;
    const resume = async ({ runId }: { readonly runId: string }) => {
      count += 1;
      await (
        await resumeRun(store, runId, plain, { attended: true })
      ).result;
    };
    const { post } = await served({ store, pipelines, actions: { resume, retry: resume } });
    const asked = { pipeline: 'plain', runId: 'r', begin: true };
    const answers = await Promise.all([post('/api/runs', asked), post('/api/runs', asked)]);
    expect(answers).toEqual([1, 2].map(() => ({ status: 200, body: { runId: 'r', state: 'begun' } })));
    expect(count).toBe(1);
    expect((await store.run('r'))?.status).toBe('completed');
  });

  it('keeps the run if it cannot be begun, and says why', async () => {
    const { store } = await ownStore();
    const resume = () => Promise.reject(new Error('secret of the server'));
    const { post } = await served({ store, pipelines, actions: { resume, retry: resume }, onError: () => undefined });
    expect(await post('/api/runs', { pipeline: 'plain', runId: 'r', begin: true })).toMatchObject({
      status: 200,
      body: { runId: 'r', state: 'submitted', problem: { code: 'INTERNAL' } },
    });
    expect(await store.run('r')).toMatchObject({ seq: 1 });
  });

  it.each([
    ['an input that the schema refuses', { input: { name: 'Augusta' } }, 400, 'INPUT_INVALID', 'name: '],
    ['no input, which the schema refuses', {}, 400, 'INPUT_INVALID', '(root): '],
    ['an id that is not safe', { input: { name: 'Ada' }, runId: '../r' }, 400, 'INPUT_INVALID', 'id'],
    ['a path in place of a name', { pipeline: './greet.ts' }, 404, 'REQUEST_REFUSED', 'no such pipeline: "./greet.ts"'],
    ['an option that does not exist', { source: '/etc/passwd' }, 400, 'INPUT_INVALID', 'source'],
  ])('is refused with %s', async (_name, change, status, code, text) => {
    const { store, post } = await served({ pipelines });
    const answer = await post('/api/runs', { pipeline: 'greet', runId: 'r', ...change });
    expect(answer).toMatchObject({ status, body: { error: { code } } });
    expect(JSON.stringify(answer.body)).toContain(JSON.stringify(text).slice(1, -1));
    expect(await store.runs()).toEqual([]);
  });

  it('is refused beyond a million bytes', async () => {
    const { store, post } = await served({ pipelines });
    const answer = await post('/api/runs', { pipeline: 'plain', runId: 'r', input: 'x'.repeat(1_000_000) });
    expect(answer.status).toBe(413);
    expect(await store.runs()).toEqual([]);
  });

  it('is refused by a read-only server, and by one without pipelines', async () => {
    const asked = { pipeline: 'plain', runId: 'r' };
    const reading = await served({ pipelines, readOnly: true });
    expect((await reading.get('/api/session')).body).toMatchObject({ actions: [], readOnly: true });
    expect((await reading.get('/api/pipelines')).body).toEqual({ pipelines: [] });
    expect(await reading.post('/api/runs', asked)).toMatchObject({ status: 403 });
    const without = await served();
    expect(await without.post('/api/runs', asked)).toMatchObject({ status: 404 });
    for (const { store } of [reading, without]) expect(await store.runs()).toEqual([]);
  });

  it('is refused without the cookie, and from any other page', async () => {
    const { dashboard, store, cookie } = await served({ pipelines });
    const body = JSON.stringify({ pipeline: 'plain', runId: 'r' });
    const base = `http://127.0.0.1:${dashboard.port}`;
    const json = { 'content-type': 'application/json' };
    for (const [headers, status] of [
      [{ ...json, origin: base }, 401],
      [{ ...json, cookie }, 403],
      [{ ...json, cookie, origin: `http://127.0.0.1:${dashboard.port + 1}` }, 403],
      [{ cookie, origin: base, 'content-type': 'text/plain' }, 415],
    ] as const)
      expect((await askAt(`${base}/api/runs`, { method: 'POST', headers, body })).status).toBe(status);
    expect(await store.runs()).toEqual([]);
  });
});

describe('the tags of a run that the dashboard starts', () => {
  it('are stored with it, and find it', async () => {
    const { store, post, get } = await served({ pipelines });
    const request = { pipeline: 'plain', tags: ['team=search', 'nightly'] };
    expect(await post('/api/runs', { ...request, runId: 'r' })).toMatchObject({ status: 200 });
    expect(await post('/api/runs', { pipeline: 'plain', runId: 'other' })).toMatchObject({ status: 200 });
    expect((await store.run('r'))?.tags).toEqual(['nightly', 'team=search']);
    const found = async (query: string) =>
      ((await get(`/api/runs?${query}`)).body as { readonly runs: readonly { readonly runId: string }[] }).runs.map(
        ({ runId }) => runId,
      );
    expect(await found('tag=team')).toEqual(['r']);
    expect(await found('tag=team%3Dsearch&tag=nightly')).toEqual(['r']);
    expect(await found('tag=team%3Dads')).toEqual([]);
    expect(await found('')).toEqual(['other', 'r']);
  });

  it('are those of the pipeline if the request names none', async () => {
    const { store, post, get } = await served({ pipelines: [{ pipeline: plain, tags: ['team=search', 'nightly'] }] });
    expect((await get('/api/pipelines')).body).toMatchObject({ pipelines: [{ tags: ['nightly', 'team=search'] }] });
    for (const [runId, tags] of [
      ['own', undefined],
      ['none', []],
      ['other', ['new']],
    ] as const)
      expect(await post('/api/runs', { pipeline: 'plain', runId, tags })).toMatchObject({ status: 200 });
    const stored = await Promise.all(['own', 'none', 'other'].map(async (id) => (await store.run(id))?.tags));
    expect(stored).toEqual([['nightly', 'team=search'], undefined, ['new']]);
    await expect(served({ pipelines: [{ pipeline: plain, tags: ['two words'] }] })).rejects.toMatchObject({
      code: 'TAG_INVALID',
    });
  });

  it('are refused if they are none, and nothing is stored', async () => {
    const { store, post } = await served({ pipelines });
    expect(await post('/api/runs', { pipeline: 'plain', runId: 'r', tags: ['two words'] })).toMatchObject({
      status: 400,
      body: { error: { code: 'TAG_INVALID' } },
    });
    expect(await post('/api/runs', { pipeline: 'plain', runId: 'r', tags: 'nightly' })).toMatchObject({ status: 400 });
    expect(await store.runs()).toEqual([]);
  });
});
