/** Access to the dashboard: every attack that `docs/dashboard.md` lists as prevented. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { phaseMachine } from '../../src/machines/phase/phase.machine.ts';
import { pipelineMachine } from '../../src/machines/pipeline/pipeline.machine.ts';
import { serveDashboard } from '../../src/dashboard.ts';
import { LIFECYCLE_STEPS } from '../../src/machines/coordinator/phase-state.ts';
import type { Charts, Refusal } from '../../src/server/api.ts';
import { askAt, cookieOf, ownStore, served, type Answer, type Served } from './rig.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('the token', () => {
  it('is exchanged for a cookie that scripts and other sites cannot read, and leaves the address', async () => {
    const { dashboard } = await served();
    const { port, url } = dashboard;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/u);
    const { status, headers, text } = await askAt(url);
    expect({ status, location: headers.location, text }).toEqual({ status: 303, location: '/', text: '' });
    const [cookie = '', ...more] = headers['set-cookie'] ?? [];
    expect(more).toEqual([]);
    const [pair = '', ...attributes] = cookie.split('; ');
    expect(pair).toMatch(new RegExp(`^phasegate-${port}=[\\w-]{43}$`, 'u'));
    expect(attributes.toSorted()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Strict']);
    expect(pair).not.toContain(new URL(url).searchParams.get('token'));
  });

  it('redirects by a page after a link from another site, as browsers withhold the cookie along redirects', async () => {
    const { dashboard } = await served();
    const { status, headers, text } = await askAt(dashboard.url, { headers: { 'sec-fetch-site': 'cross-site' } });
    expect(status).toBe(200);
    expect(headers['set-cookie']).toHaveLength(1);
    expect(text).toContain('<meta http-equiv="refresh" content="0; url=/">');
  });

  it.each([
    ['another token', (url: string) => url.replace(/token=.{5}/u, 'token=AAAAA')],
    ['a part of it', (url: string) => url.slice(0, -1)],
    ['more than it', (url: string) => `${url}A`],
    ['none', (url: string) => url.replace(/token=.*/u, 'token=')],
  ])('is compared in full: %s gives no cookie', async (_name, change) => {
    const { dashboard } = await served();
    const { status, headers, text } = await askAt(change(dashboard.url));
    expect({ status, cookies: headers['set-cookie'] }).toEqual({ status: 401, cookies: undefined });
    expect(text).toContain('Open the URL that it printed at its start');
  });

  it('is accepted at the entry only', async () => {
    const { ask, dashboard } = await served();
    const { search } = new URL(dashboard.url);
    expect((await ask(`/api/runs${search}`)).status).toBe(401);
    expect((await ask(`/${search}`, { method: 'POST' })).status).toBe(401);
  });
});

describe('a request', () => {
  const PATHS = ['/', '/assets/app.js', '/api/session', '/api/runs', '/api/changes', '/api/nothing', '/nothing'];

  it.each(PATHS)('without the cookie cannot read %s', async (path) => {
    const one = await served();
    const other = await served();
    const value = one.cookie.split('=')[1] ?? '';
    const cookies = ['', other.cookie, `phasegate-1=${value}`, one.cookie.slice(0, -1), `${one.cookie}x`];
    for (const cookie of cookies) {
      const { status, text } = await one.ask(path, { headers: { cookie } });
      expect(status).toBe(401);
      if (path.startsWith('/api/'))
        expect(JSON.parse(text)).toEqual({
          error: {
            code: 'REQUEST_REFUSED',
            message: 'Cannot answer as the request has no valid cookie',
            hint: 'Open the URL that the dashboard printed at its start, with the same port.',
          },
        });
    }
  });

  it('must name this machine and the port, as a page with a rebound name does not', async () => {
    const { ask, cookie, dashboard } = await served();
    const { port } = dashboard;
    const good = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
    for (const host of good) expect((await ask('/api/runs', { headers: { cookie, host } })).status).toBe(200);
    const bad = ['evil.example', `evil.example:${port}`, '127.0.0.1', 'localhost', `127.0.0.1:${port + 1}`];
    const worse = [`localhost:${port}.evil.example`, `0.0.0.0:${port}`, `LOCALHOST.:${port}`, `127.1:${port}`];
    for (const host of [...bad, ...worse]) {
      const { status, text } = await ask('/api/runs', { headers: { cookie, host } });
      // Such a host name is malformed, and is refused earlier.
      const expected = host.includes('.evil') ? 400 : 403;
      expect([host, status, text.includes('runs')]).toEqual([host, expected, false]);
    }
    const { search } = new URL(dashboard.url);
    const rebound = await ask(`/${search}`, { headers: { host: `evil.example:${port}` } });
    expect([rebound.status, rebound.headers['set-cookie']]).toEqual([403, undefined]);
  });

  it('must have one host, which a host in the request line does not bypass', async () => {
    const { dashboard, cookie } = await served();
    const { port } = dashboard;
    const get = (target: string, ...hosts: readonly string[]) =>
      raw(
        port,
        `GET ${target} HTTP/1.1\r\n${hosts.map((host) => `host: ${host}\r\n`).join('')}cookie: ${cookie}\r\nconnection: close\r\n\r\n`,
      );
    expect(await get('/api/runs', `127.0.0.1:${port}`)).toMatch(/^HTTP\/1\.1 200 [^]*"runs":\[\]/u);
    expect(await get('/api/runs')).toMatch(/^HTTP\/1\.1 400 /u);
    expect(await get('/api/runs', `evil.example:${port}`, `127.0.0.1:${port}`)).not.toMatch(/^HTTP\/1\.1 200 /u);
    expect(await get(`http://127.0.0.1:${port}/api/runs`, 'evil.example')).toMatch(/^HTTP\/1\.1 403 /u);
    expect(await get('/api/runs', 'e\\vil@[')).toMatch(/^HTTP\/1\.1 4/u);
  });

  it('must come from the page of the dashboard', async () => {
    const { ask, cookie, dashboard } = await served();
    const { port } = dashboard;
    const foreign = [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: `http://127.0.0.1:${port + 1}` },
      { origin: `https://127.0.0.1:${port}` },
      { origin: `http://localhost:${port}` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of foreign) {
      const { status } = await ask('/api/runs', { headers: { cookie, ...headers } });
      expect([headers, status]).toEqual([headers, 403]);
    }
    const own = await ask('/api/runs', {
      headers: { cookie, origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' },
    });
    expect(own.status).toBe(200);
  });

  it('that changes something must have the origin of the page, and a JSON body', async () => {
    const { ask, cookie, dashboard } = await served();
    const origin = `http://127.0.0.1:${dashboard.port}`;
    const post = async (headers: Readonly<Record<string, string>>) =>
      (await ask('/api/runs/none/cancel', { method: 'POST', headers: { cookie, ...headers }, body: '{}' })).status;
    expect(await post({ ...JSON_TYPE })).toBe(403);
    expect(await post({ ...JSON_TYPE, 'sec-fetch-site': 'none' })).toBe(403);
    expect(await post({ origin })).toBe(415);
    expect(await post({ origin, 'content-type': 'text/plain' })).toBe(415);
    expect(await post({ origin, 'content-type': 'application/x-www-form-urlencoded' })).toBe(415);
    expect(await post({ origin, 'content-type': 'text/plain; a=application/json' })).toBe(415);
    // The run does not exist, which only authenticated clients learn.
    expect(await post({ origin, ...JSON_TYPE })).toBe(404);
    expect(await post({ origin, 'content-type': 'application/json; charset=utf-8' })).toBe(404);
    expect(await post({ 'sec-fetch-site': 'same-origin', ...JSON_TYPE })).toBe(404);
  });

  it('is refused for the reason that it has', async () => {
    const { ask, cookie, dashboard } = await served();
    const reasonFor = async (headers: Readonly<Record<string, string>>) =>
      (await ask('/api/runs/none/cancel', { method: 'POST', headers: { cookie, ...headers }, body: '{}' })).text;
    const silent = await reasonFor(JSON_TYPE);
    expect(silent).toContain('does not state its origin');
    expect(silent).toContain(`Send the header origin: http://127.0.0.1:${dashboard.port}"`);
    expect(await reasonFor({ origin: 'http://evil.example', ...JSON_TYPE })).toContain('comes from another page');
    expect(await reasonFor({ 'sec-fetch-site': 'cross-site', ...JSON_TYPE })).toContain('comes from another page');
  });

  it('has a body of at most a million bytes, with or without a declared length', async () => {
    const { ask, cookie, dashboard } = await served();
    const headers = { cookie, origin: `http://127.0.0.1:${dashboard.port}`, ...JSON_TYPE };
    const body = JSON.stringify({ reason: 'x'.repeat(1_000_000) });
    const path = '/api/runs/none/cancel';
    expect((await ask(path, { method: 'POST', headers, body })).status).toBe(413);
    const chunked = { ...headers, 'transfer-encoding': 'chunked' };
    expect((await ask(path, { method: 'POST', headers: chunked, body })).status).toBe(413);
    expect((await ask(path, { method: 'POST', headers, body: body.slice(100_000) })).status).toBe(400);
    const answer = await ask('/api/inbox/r:1/answer', { method: 'POST', headers, body });
    expect(JSON.parse(answer.text)).toEqual({
      error: {
        code: 'REQUEST_REFUSED',
        message: 'Cannot read the request as its body must have at most 1000000 bytes',
        hint: 'Answer with phasegate inbox answer r:1 --edit <file>.',
      },
    });
  });

  it('that is malformed is refused', async () => {
    const { ask, get, post, cookie, dashboard } = await served();
    const headers = { cookie, origin: `http://127.0.0.1:${dashboard.port}`, ...JSON_TYPE };
    const send = async (path: string, body: string) => {
      const { status, text } = await ask(path, { method: 'POST', headers, body });
      return [status, codeOf(JSON.parse(text))];
    };
    expect(await send('/api/runs/none/cancel', '{')).toEqual([400, 'INPUT_INVALID']);
    expect(await send('/api/runs/none/cancel', '[]')).toEqual([400, 'INPUT_INVALID']);
    expect(await send('/api/runs/none/cancel', '{"reason":1}')).toEqual([400, 'INPUT_INVALID']);
    expect(await send('/api/runs/none/cancel', '{"reson":"typo"}')).toEqual([400, 'INPUT_INVALID']);
    expect(await send('/api/runs/none/fork', '{"at":0}')).toEqual([400, 'INPUT_INVALID']);
    expect(await send('/api/inbox/none/answer', '{"reply":{"type":"skip"}}')).toEqual([400, 'INPUT_INVALID']);
    expect(await send('/api/inbox/none/answer', '{"nonce":"n","reply":{"type":"?"}}')).toEqual([400, 'INPUT_INVALID']);
    expect((await get('/api/runs?limit=-1')).status).toBe(400);
    expect(codeOf((await get('/api/runs/none')).body)).toBe('RUN_UNKNOWN');
    expect((await get('/api/runs/none/records')).status).toBe(404);
    expect(codeOf((await get('/api/inbox/none:1')).body)).toBe('ITEM_UNKNOWN');
    expect((await get(`/api/artifacts/${'0'.repeat(64)}`)).status).toBe(404);
    for (const hash of ['0', '..%2F..%2Fpackage.json', `${'0'.repeat(64)}0`])
      expect((await get(`/api/artifacts/${hash}`)).status).toBe(404);
    for (const path of ['/api', '/api/', '/api/nothing', '/nothing/at/all']) {
      const { status, body } = await get(path);
      expect([path, status, codeOf(body)]).toEqual([path, 404, 'REQUEST_REFUSED']);
    }
    expect((await post('/api/session')).status).toBe(404);
    expect((await ask('/api/runs', { method: 'DELETE', headers })).status).toBe(404);
    expect(
      (await ask('/api/runs', { method: 'OPTIONS', headers: { ...headers, origin: 'http://evil.example' } })).status,
    ).toBe(403);
  });
});

describe('a response', () => {
  it('restricts scripts, frames and caches; only the page may be cached, with revalidation', async () => {
    const { ask, cookie } = await served();
    for (const [path, headers, keeps] of [
      ['/', { cookie }, 'no-cache'],
      ['/api/session', { cookie }, 'no-store'],
      ['/api/nothing', { cookie }, 'no-store'],
      ['/', {}, 'no-store'],
    ] as const) {
      const answer = await ask(path, { headers });
      expect(policyOf(answer)).toEqual({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'cache-control': keeps,
      });
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });

  it('hides unforeseen errors, which are reported to the owner of the server', async () => {
    const secret = 'secret of /home/ada/.ssh';
    const told: unknown[] = [];
    const { store } = await served();
    const broken = { ...store, runs: () => Promise.reject(new Error(secret)) };
    const { get } = await served({ store: broken, onError: (thrown) => told.push(thrown) });
    const { status, body } = await get('/api/runs');
    expect(status).toBe(500);
    expect(body).toEqual({
      error: {
        code: 'INTERNAL',
        message: 'Cannot answer as an unexpected error occurred',
        hint: 'The process that serves the dashboard has reported the error.',
      },
    });
    expect(told).toEqual([new Error(secret)]);
    const onError = () => {
      throw new Error('not even this one');
    };
    const other = await served({ store: broken, onError });
    expect((await other.get('/api/runs')).status).toBe(500);
    for await (const event of other.events('/api/changes', { limit: 1 })) expect(event.name).toBe('error');
  });

  it('writes unforeseen errors to standard error if there is no handler', async () => {
    const print = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => print.mockRestore());
    const { store } = await ownStore();
    const thrown = new Error('the disk is gone');
    const { get } = await served({ store: { ...store, runs: () => Promise.reject(thrown) } });
    expect((await get('/api/runs')).status).toBe(500);
    expect(print.mock.calls).toEqual([[thrown]]);
  });

  it('needs a valid, free port', async () => {
    const { dashboard, store } = await served();
    const { port } = dashboard;
    await expect(serveDashboard(store, { port })).rejects.toMatchObject({
      code: 'PORT_UNUSABLE',
      message: `Cannot serve the dashboard on port ${port} as it is in use
Name another port, or none for any free port.
Docs: docs/errors.md#PORT_UNUSABLE`,
    });
    await expect(serveDashboard(store, { port: 70_000 })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      hint: 'Name one from 0 to 65535.',
    });
  });

  it('comes from a loopback port that other machines cannot reach', async () => {
    const { dashboard } = await served();
    await expect(cookieOf(dashboard.url.replace('127.0.0.1', '127.0.0.2'))).rejects.toThrow('ECONNREFUSED');
  });
});

describe('the charts', () => {
  it('are those of the real machines', async () => {
    const { get } = await served();
    const { status, body } = await get('/api/charts');
    expect(status).toBe(200);
    const names = (machine: keyof Charts) => (body as Charts)[machine].states.map(({ name }) => name);
    expect(names('phase')).toEqual(Object.keys(phaseMachine.states));
    expect(names('lifecycle')).toEqual(Object.keys(LIFECYCLE_STEPS));
    expect(names('pipeline')).toEqual(Object.keys(pipelineMachine.states));
  });
});

describe('files of the app', () => {
  it('are those of its folder, and nothing outside of it', async () => {
    const { ask, cookie } = await withApp();
    const get = async (path: string) => {
      const { status, headers, text } = await ask(path, { headers: { cookie } });
      return [status, headers['content-type'], headers['cache-control'], status === 200 ? text : undefined];
    };
    expect(await get('/')).toEqual([200, 'text/html; charset=utf-8', 'no-cache', '<p>app</p>']);
    expect(await get('/icon.svg')).toEqual([200, 'image/svg+xml; charset=utf-8', 'no-cache', '<svg/>']);
    const immutable = 'private, max-age=31536000, immutable';
    expect(await get('/assets/app-1.js')).toEqual([200, 'text/javascript; charset=utf-8', immutable, 'app()']);
    for (const path of [
      '/secret.pem',
      '/assets/',
      '/assets/none.js',
      '/.env.json',
      '/assets/.hidden.js',
      '/deep/er/file.js',
      '/deep%2Ffile.js',
      '/..%2Foutside.json',
      '/%2e%2e/outside.json',
      '/assets/..%2F..%2Foutside.json',
      '/assets/%2e%2e%2f%2e%2e%2foutside.json',
      '/assets/..%5C..%5Coutside.json',
      '/assets/%252e%252e%252foutside.json',
      '/assets/app-1.js%00',
      '//etc/hosts.json',
    ]) {
      const [status] = await get(path);
      expect([path, status]).toEqual([path, 404]);
    }
  });

  it('are not served for raw paths outside of it', async () => {
    const { dashboard, cookie } = await withApp();
    const head = `host: 127.0.0.1:${dashboard.port}\r\ncookie: ${cookie}\r\nconnection: close\r\n\r\n`;
    for (const path of [
      '/../outside.json',
      '/assets/../../outside.json',
      '/assets/..\\..\\outside.json',
      '../outside.json',
    ]) {
      const text = await raw(dashboard.port, `GET ${path} HTTP/1.1\r\n${head}`);
      expect(text).toMatch(/^HTTP\/1\.1 40[04] /u);
      expect(text).not.toContain('"outside"');
    }
  });
});

describe('a read-only dashboard', () => {
  it('changes nothing for any client', async () => {
    const { get, post } = await served({ readOnly: true });
    const paths = [
      '/api/inbox/x/answer',
      '/api/runs/x/cancel',
      '/api/runs/x/resume',
      '/api/runs/x/retry',
      '/api/runs/x/fork',
      '/api/x',
    ];
    for (const path of paths) {
      const { status, body } = await post(path, {});
      expect([path, status, messageOf(body)]).toEqual([
        path,
        403,
        'Cannot change anything as this dashboard is read-only',
      ]);
    }
    expect((await get('/api/session')).body).toMatchObject({ readOnly: true, actions: [] });
  });
});

// --- internal ---

function codeOf(body: unknown): unknown {
  return refusalIn(body)?.error.code;
}

function messageOf(body: unknown): unknown {
  return refusalIn(body)?.error.message;
}

function refusalIn(body: unknown): Refusal | undefined {
  return typeof body === 'object' && body !== null && 'error' in body ? (body as Refusal) : undefined;
}

function policyOf({ headers }: Answer): Readonly<Record<string, unknown>> {
  const { connection: _, 'keep-alive': __, 'content-type': ___, ...others } = headers;
  const { date: ____, 'content-length': _____, 'transfer-encoding': ______, ...policy } = others;
  return policy;
}

/** Sends raw bytes, and reads until the connection ends. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.setEncoding('utf8').on('data', (part: string) => (answer += part));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

async function withApp(): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), 'phasegate-app-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const app = join(folder, 'app');
  const files = {
    'app/index.html': '<p>app</p>',
    'app/icon.svg': '<svg/>',
    'app/secret.pem': 'key',
    'app/.env.json': 'hidden',
    'app/assets/app-1.js': 'app()',
    'app/assets/.hidden.js': 'hidden',
    'app/deep/file.js': 'deep',
    'app/deep/er/file.js': 'deeper',
    'outside.json': '"outside"',
  };
  for (const path of ['assets', 'deep/er']) await mkdir(join(app, path), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await symlink('/etc', join(app, 'assets', 'etc'));
  return served({ assets: app });
}
