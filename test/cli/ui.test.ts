/**
 * `phasegate ui`, and `--ui` of other commands: real processes, a real store, and requests as a browser would send
 * them.
 */
import { existsSync, statSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { askAt, cookieOf, until, type JsonAnswer } from '../server/rig.ts';
import { files, phasegateProcess as phasegate, start, type Going } from './cli.ts';
import { onTerminal, python } from './pty.ts';

/** A pipeline that asks a person, and then waits for a file. */
const ASKS = `
import { existsSync } from 'node:fs';
import { definePipeline, human, phase, task } from 'phasegate';
const ask = phase('ask', { tasks: [task('which', { run: human({ question: 'Which?' }) })] });
const wait = async () => {
  // The wait is bounded, as a failed test leaves the process behind.
  for (let left = 3000; left > 0 && !existsSync('done'); left -= 1) await new Promise((resolve) => setTimeout(resolve, 20));
  return 'there';
};
const work = phase('work', { after: [ask], tasks: [task('file', { run: wait })] });
export default definePipeline({ name: 'asks', phases: [ask, work] });
`;

const FAILS = `
import { existsSync } from 'node:fs';
import { definePipeline, phase, task } from 'phasegate';
const run = () => { if (existsSync('done')) return 1; throw new Error('not yet'); };
export default definePipeline({ name: 'fails', phases: [phase('a', { tasks: [task('t', { run })] })] });
`;

/** A pipeline that writes a lot to standard error while it works, and stores its process id. */
const NOISY = `
import { existsSync, writeFileSync } from 'node:fs';
import { definePipeline, human, phase, task } from 'phasegate';
const ask = phase('ask', { tasks: [task('which', { run: human({ question: 'Which?' }) })] });
const shout = async () => {
  for (let left = 3000; left > 0 && !existsSync('done'); left -= 1) {
    console.error('noise '.repeat(2000));
    if (left === 2900) writeFileSync('pid', String(process.pid));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
const work = phase('work', { after: [ask], tasks: [task('shout', { run: shout })] });
export default definePipeline({ name: 'noisy', phases: [ask, work] });
`;

/** The timeout of tests that start several processes, in milliseconds. */
const LONG = { timeout: 240_000 };

describe('phasegate ui', LONG, () => {
  it('prints one line with the URL, serves, and ends in good order by Ctrl-C, even with open connections', async () => {
    const cwd = await files({ 'asks.mjs': ASKS });
    await phasegate(['run', 'asks.mjs', '--run-id', 'r'], { cwd });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const ui = start(['ui', '--port', '0'], { cwd });
      const client = await clientOf(ui);
      expect(client.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/u);
      expect((await client.get('/api/session')).body).toMatchObject({
        store: '.phasegate/runs.db',
        readOnly: false,
        actions: ['resume', 'retry', 'cancel', 'fork'],
      });
      expect((await client.get('/api/runs')).body).toMatchObject({ runs: [{ runId: 'r', standing: 'waiting' }] });
      const stream = fetch(`${client.base}/api/runs/r/records`, { headers: { cookie: client.cookie } });
      expect((await stream).status).toBe(200);
      ui.child.kill(signal);
      expect(await ui.ended).toEqual({ code: 0, stdout: `dashboard: ${client.url}\n`, stderr: '' });
    }
  });

  it('takes another port if its own is in use, and fails if that one was named', async () => {
    const cwd = await files({ 'asks.mjs': ASKS });
    await phasegate(['run', 'asks.mjs'], { cwd });
    const [one, other] = [await clientOf(start(['ui'], { cwd })), await clientOf(start(['ui'], { cwd }))];
    const ports = [one, other].map(({ url }) => Number(new URL(url).port));
    expect(new Set(ports).size).toBe(2);
    for (const port of ports) expect(port >= 4400 && port < 4420).toBe(true);

    const port = await taken(0);
    expect(await phasegate(['ui', '--port', String(port)], { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr: `Cannot serve the dashboard on port ${port} as it is in use
Name another port, or none for any free port.
Docs: https://github.com/phasegate/phasegate/blob/main/docs/errors.md#PORT_UNUSABLE
`,
    });
    expect((await phasegate(['ui', '--port', 'x'], { cwd })).stderr).toContain('It must be a port');
  });

  it('takes any port if all of its own are in use', async () => {
    const cwd = await files({ 'asks.mjs': ASKS });
    await phasegate(['run', 'asks.mjs'], { cwd });
    await Promise.all(Array.from({ length: 20 }, (_, index) => taken(4400 + index)));
    const { url } = await clientOf(start(['ui'], { cwd }));
    expect(Number(new URL(url).port)).toBeGreaterThan(4419);
  });

  it('refuses a missing store, and creates none', async () => {
    const cwd = await files({});
    expect(await phasegate(['ui'], { cwd })).toMatchObject({
      code: 2,
      stderr: `Cannot look for runs in .phasegate/runs.db as no run was stored in this folder yet
Start one with: phasegate run <pipeline>. Name a store in another place with --store <file>.
Docs: https://github.com/phasegate/phasegate/blob/main/docs/errors.md#STORE_UNREADABLE
`,
    });
    expect((await phasegate(['ls'], { cwd })).code).toBe(2);
  });

  it('starts runs of the pipelines that it was given, in processes of their own or for workers', async () => {
    const cwd = await files({ 'asks.mjs': ASKS });
    const ui = start(['ui', 'asks.mjs', '--port', '0', '--store', 'new.db'], { cwd });
    const { get, post, item } = await clientOf(ui);
    expect((await get('/api/session')).body).toMatchObject({
      actions: ['start', 'resume', 'retry', 'cancel', 'fork'],
    });
    expect((await get('/api/pipelines')).body).toEqual({
      pipelines: [{ name: 'asks', phases: 2, isChecked: false, workCommand: 'phasegate work asks.mjs --store new.db' }],
    });
    const left = { pipeline: 'asks', runId: 'left', input: { topic: 'x' } };
    expect(await post('/api/runs', left)).toEqual({ status: 200, body: { runId: 'left', state: 'submitted' } });
    const begun = await post('/api/runs', { pipeline: 'asks', runId: 'begun', begin: true });
    expect(JSON.stringify(begun.body)).toMatch(/^\{"runId":"begun","state":"(?:begun|starting)"\}$/u);
    const { id } = await item();
    expect(id).toMatch(/^begun:/u);
    expect(await post('/api/runs/begun/cancel')).toMatchObject({ status: 200 });

    const worker = start(['work', 'asks.mjs', '--store', 'new.db'], { cwd });
    expect((await item()).id).toMatch(/^left:/u);
    worker.child.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
    expect((await get('/api/runs/left')).body).toMatchObject({ source: join(cwd, 'asks.mjs'), standing: 'waiting' });
  });

  it('refuses pipelines that it cannot load, two with one name, and any if it is read-only', async () => {
    const cwd = await files({ 'asks.mjs': ASKS, 'same.mjs': ASKS });
    for (const [args, text] of [
      [['none.mjs'], 'Cannot load "none.mjs" as there is no such file'],
      [['asks.mjs', 'same.mjs'], 'Cannot start runs in the dashboard as two pipelines have one name: "asks"'],
      [['asks.mjs', '--read-only'], 'Cannot serve pipelines in a read-only dashboard as it starts no runs'],
    ] as const) {
      const { code, stderr } = await phasegate(['ui', ...args], { cwd });
      expect(code).toBe(2);
      expect(stderr).toContain(text);
    }
  });

  it('serves the app of the package, with every file that its page references', async () => {
    const cwd = await files({ 'asks.mjs': ASKS });
    await phasegate(['run', 'asks.mjs'], { cwd });
    const { base, cookie } = await clientOf(start(['ui', '--port', '0'], { cwd }));
    const page = await askAt(base, { headers: { cookie } });
    expect(page.status).toBe(200);
    const named = [...page.text.matchAll(/(?:src|href)="([^"]+)"/gu)].map(
      (match) => new URL(match[1] ?? '', base).href,
    );
    expect(named.some((url) => url.endsWith('.js'))).toBe(true);
    for (const url of named) {
      const { status, headers } = await askAt(url, { headers: { cookie } });
      const isHashed = url.includes('/assets/');
      expect([url, status, headers['cache-control']?.includes('immutable')]).toEqual([url, 200, isHashed]);
    }
  });

  it('changes nothing with --read-only, and does not open the store for writing', async () => {
    const cwd = await files({ 'asks.mjs': ASKS });
    await phasegate(['run', 'asks.mjs', '--run-id', 'r'], { cwd });
    const before = await readFile(join(cwd, '.phasegate/runs.db'));
    const isBeside = (name: string) => !name.endsWith('-shm') && !name.endsWith('-wal');
    const names = async () => (await readdir(join(cwd, '.phasegate'))).filter(isBeside);
    expect(await names()).toEqual(['.gitignore', 'runs.db']);
    const client = await clientOf(start(['ui', '--port', '0', '--read-only'], { cwd }));
    const item = await client.item();
    for (const [path, body] of [
      [`/api/inbox/${item.id}/answer`, { nonce: item.nonce, reply: { type: 'value', value: 1 } }],
      ['/api/runs/r/cancel', {}],
      ['/api/runs/r/resume', {}],
      ['/api/runs/r/fork', { at: 1 }],
    ] as const) {
      expect(await client.post(path, body)).toMatchObject({
        status: 403,
        body: { error: { code: 'REQUEST_REFUSED' } },
      });
    }
    expect((await client.get('/api/session')).body).toMatchObject({ readOnly: true, actions: [] });
    expect(await readFile(join(cwd, '.phasegate/runs.db'))).toEqual(before);
    expect(await names()).toEqual(['.gitignore', 'runs.db']);
  });
});

describe('actions of the dashboard', LONG, () => {
  it('run in processes of their own, which outlive it', async () => {
    const cwd = await files({ 'asks.mjs': ASKS });
    await phasegate(['run', 'asks.mjs', '--run-id', 'r'], { cwd });
    const ui = start(['ui', '--port', '0'], { cwd });
    const client = await clientOf(ui);
    const item = await client.item();
    expect(
      await client.post(`/api/inbox/${item.id}/answer`, { nonce: item.nonce, reply: { type: 'value', value: 'red' } }),
    ).toEqual({ status: 200, body: { state: 'resumed' } });
    await until(async () => JSON.stringify((await client.get('/api/runs/r')).body).includes('"approved":1'));
    const { body } = await client.get('/api/runs/r');
    expect(body).toMatchObject({ standing: 'running', actions: ['cancel', 'fork'] });
    expect(body).toMatchObject({ worker: expect.stringMatching(/^process \d+ on /u) as string });
    expect((body as { readonly worker: string }).worker).not.toContain(`process ${ui.child.pid} `);

    ui.child.kill('SIGINT');
    expect((await ui.ended).code).toBe(0);
    await writeFile(join(cwd, 'done'), '');
    const followed = await phasegate(['events', 'r', '--follow'], { cwd });
    expect(followed.stdout).toContain('which done');
    expect((await phasegate(['show', 'r', '--json'], { cwd })).stdout).toContain('"standing":"completed"');
  });

  it.skipIf(process.platform === 'win32')('leave no log file of such a process behind, whatever its size', async () => {
    const cwd = await files({ 'noisy.mjs': NOISY, 'tmp/here': '' });
    await phasegate(['run', 'noisy.mjs', '--run-id', 'r'], { cwd });
    const ui = start(['ui', '--port', '0'], { cwd, env: { TMPDIR: join(cwd, 'tmp') } });
    const client = await clientOf(ui);
    const item = await client.item();
    await client.post(`/api/inbox/${item.id}/answer`, { nonce: item.nonce, reply: { type: 'value', value: 'red' } });
    await until(() => existsSync(join(cwd, 'pid')));
    expect((await readdir(join(cwd, 'tmp'))).filter((name) => name.endsWith('.log'))).toEqual([]);
    ui.child.kill('SIGINT');
    await ui.ended;
    const log = `/proc/${await readFile(join(cwd, 'pid'), 'utf8')}/fd/2`;
    if (existsSync('/proc/self/fd')) {
      // The file grows by a megabyte each second, and is truncated every second.
      let isCut = false;
      let before = 0;
      await until(() => {
        const { size } = statSync(log);
        expect(size).toBeLessThan(5_000_000);
        isCut ||= size < before;
        before = size;
        return isCut;
      });
    }
    await writeFile(join(cwd, 'done'), '');
    await phasegate(['events', 'r', '--follow'], { cwd });
    expect((await phasegate(['show', 'r', '--json'], { cwd })).stdout).toContain('"standing":"completed"');
  });

  it('report the reason that a run cannot resume', async () => {
    const cwd = await files({ 'asks.mjs': ASKS });
    await phasegate(['run', 'asks.mjs', '--run-id', 'r'], { cwd });
    const client = await clientOf(start(['ui', '--port', '0'], { cwd }));

    await writeFile(join(cwd, 'asks.mjs'), ASKS.replace("phase('ask'", "phase('other'"));
    expect(await client.post('/api/runs/r/resume')).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'RUN_CHANGED',
          message: expect.stringContaining('Cannot resume run r as the definition of "asks" has changed:\n') as string,
          hint: expect.stringContaining('Restore the definition') as string,
        },
      },
    });
    await writeFile(join(cwd, 'asks.mjs'), 'throw new Error("broken");');
    expect(await client.post('/api/runs/r/resume')).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'DEFINITION_INVALID',
          message: expect.stringContaining('broken') as string,
        },
      },
    });
  });

  it('retry a failed run', async () => {
    const cwd = await files({ 'fails.mjs': FAILS });
    await phasegate(['run', 'fails.mjs', '--run-id', 'f'], { cwd });
    const client = await clientOf(start(['ui', '--port', '0'], { cwd }));
    expect((await client.get('/api/runs/f')).body).toMatchObject({ standing: 'failed', actions: ['retry', 'fork'] });
    await writeFile(join(cwd, 'done'), '');
    expect(await client.post('/api/runs/f/retry')).toMatchObject({ status: 200, body: { run: { runId: 'f' } } });
    await until(async () => JSON.stringify((await client.get('/api/runs/f')).body).includes('"standing":"completed"'));
    expect(await client.post('/api/runs/f/retry')).toMatchObject({
      status: 409,
      body: { error: { code: 'RUN_ENDED' } },
    });
  });

  it('release a run from a process that was killed', async () => {
    const cwd = await files({ 'asks.mjs': ASKS });
    const run = start(['run', 'asks.mjs', '--run-id', 'r', '--wait'], { cwd });
    await until(async () => (await phasegate(['inbox'], { cwd })).stdout.includes('Which?'));
    const client = await clientOf(start(['ui', '--port', '0'], { cwd }));
    const worker = expect.stringContaining(`process ${run.child.pid} on `) as string;
    expect((await client.get('/api/runs/r')).body).toMatchObject({ standing: 'waiting', worker, gone: null });
    run.child.kill('SIGKILL');
    await run.ended;
    expect((await client.get('/api/runs/r')).body).toMatchObject({
      worker: null,
      gone: worker,
      actions: ['resume', 'cancel', 'fork'],
    });
    expect(await client.post('/api/runs/r/cancel', { reason: 'Over' })).toMatchObject({
      status: 200,
      body: { run: { standing: 'cancelled', worker: null, gone: null } },
    });
  });
});

describe('run --ui', LONG, () => {
  it('prints the URL next to the records, waits for an answer from the browser, and ends with the run', async () => {
    const cwd = await files({ 'asks.mjs': ASKS, done: '' });
    const run = start(['run', 'asks.mjs', '--run-id', 'r', '--ui', '--json'], { cwd });
    const client = await clientOf(run, 'stderr');
    expect((await client.get('/api/runs/r')).body).toMatchObject({
      worker: expect.stringContaining(`process ${run.child.pid} on `) as string,
    });
    const item = await client.item();
    expect(
      await client.post(`/api/inbox/${item.id}/answer`, { nonce: item.nonce, reply: { type: 'value', value: 'red' } }),
    ).toMatchObject({ status: 200, body: { state: 'taken' } });
    const { code, stdout, stderr } = await run.ended;
    expect(code).toBe(0);
    for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ runId: 'r' });
    expect(stderr).toContain(`dashboard: ${client.url}\n`);
  });

  it('shows the end of the run to open pages before it ends itself', async () => {
    const cwd = await files({ 'asks.mjs': ASKS, done: '' });
    const run = start(['run', 'asks.mjs', '--run-id', 'r', '--ui'], { cwd });
    const client = await clientOf(run, 'stderr');
    const item = await client.item();
    const stream = await fetch(`${client.base}/api/changes?run=r`, { headers: { cookie: client.cookie } });
    const heard = stream.text();
    await client.post(`/api/inbox/${item.id}/answer`, { nonce: item.nonce, reply: { type: 'value', value: 'red' } });
    expect(await heard).toMatch(/"run\.ended"[^]*\nevent: closing\ndata: \{\}\n\n$/u);
    expect((await client.get(`/api/inbox/${item.id}`)).body).toMatchObject({
      item: { outcome: expect.any(String) as string },
      run: { standing: 'completed' },
    });
    expect((await run.ended).code).toBe(0);
  });

  it('works with resume as well', async () => {
    const cwd = await files({ 'asks.mjs': ASKS, done: '' });
    await phasegate(['run', 'asks.mjs', '--run-id', 'r'], { cwd });
    const run = start(['resume', 'r', '--ui'], { cwd });
    const client = await clientOf(run, 'stderr');
    const item = await client.item();
    await client.post(`/api/inbox/${item.id}/answer`, { nonce: item.nonce, reply: { type: 'value', value: 'red' } });
    expect((await run.ended).code).toBe(0);
  });

  it('needs a store', async () => {
    const cwd = await files({ 'asks.mjs': ASKS });
    expect(await phasegate(['run', 'asks.mjs', '--ui', '--no-store'], { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr: `Cannot show the run in the dashboard as it is not stored
Name a file for it with --store, or leave --ui out.
Docs: https://github.com/phasegate/phasegate/blob/main/docs/errors.md#STORE_UNREADABLE
`,
    });
  });

  it.runIf(python)('keeps serving on a terminal after the run, until Ctrl-C', async () => {
    const cwd = await files({ 'quick.mjs': FAILS, done: '' });
    const { code, text } = await onTerminal(['run', join(cwd, 'quick.mjs'), '--ui', '--store', join(cwd, 'runs.db')], {
      'The dashboard stays open until Ctrl-C': '\u0003',
    });
    // This process has no file `done` in its folder, so the run has not succeeded.
    expect(code).toBe(1);
    expect(text).toMatch(/dashboard: http:\/\/127\.0\.0\.1:\d+\/\?token=/u);
    expect(text).toContain('failed');
  });
});

// --- internal ---

interface Client {
  readonly url: string;
  readonly base: string;
  readonly cookie: string;
  readonly get: (path: string) => Promise<JsonAnswer>;
  readonly post: (path: string, body?: unknown) => Promise<JsonAnswer>;
  /** Waits for the pending item. */
  readonly item: () => Promise<{ readonly id: string; readonly nonce: string }>;
}

/** Waits for the URL that a command prints, and requests the cookie. @returns A client. */
async function clientOf({ child, ended }: Going, stream: 'stdout' | 'stderr' = 'stdout'): Promise<Client> {
  let text = '';
  child[stream]?.on('data', (more: string) => (text += more));
  let isOver = false;
  void ended.then(() => (isOver = true));
  await until(() => /dashboard: \S+\n/u.test(text) || isOver);
  const url = /dashboard: (\S+)\n/u.exec(text)?.[1] ?? '';
  if (url === '') throw new Error(`It has ended: ${JSON.stringify(await ended)}`);
  const base = new URL(url).origin;
  const cookie = await cookieOf(url);
  const json = async (path: string, asking: Parameters<typeof askAt>[1]): Promise<JsonAnswer> => {
    const answer = await askAt(`${base}${path}`, asking);
    return { status: answer.status, body: JSON.parse(answer.text) };
  };
  const get = (path: string) => json(path, { headers: { cookie } });
  return {
    url,
    base,
    cookie,
    get,
    post: (path, body = {}) =>
      json(path, {
        method: 'POST',
        headers: { cookie, origin: base, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    async item() {
      const items = async () =>
        (
          (await get('/api/inbox')).body as {
            readonly items: readonly { readonly id: string; readonly nonce: string }[];
          }
        ).items;
      await until(async () => (await items()).length === 1);
      const [one] = await items();
      return one ?? { id: '', nonce: '' };
    },
  };
}

/** Takes a port, unless it is in use. @returns The port that is then in use. */
async function taken(port: number): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.on('error', () => resolve()).listen(port, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
