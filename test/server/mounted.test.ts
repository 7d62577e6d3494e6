/** The dashboard as a part of applications of Hono and Express, under a path of theirs and with users of theirs. */
import { describe, expect, it, vi } from 'vitest';
import { definePipeline, human, phase, startRun, task } from '../../src/index.ts';
import { createDashboard, type DashboardUser } from '../../src/dashboard.ts';
import type { RunStore } from '../../src/store.ts';
import { application, BASE, FRAMEWORKS, USERS } from './applications.ts';
import { askAt, ownStore, served, until } from './rig.ts';

describe.each(Object.entries(FRAMEWORKS))('in %s', (_name, start) => {
  it('serves its page and every file of it under the path of the application, and nothing elsewhere', async () => {
    const { ask, origin } = await application(start);
    expect((await ask('ada', '/')).text).toBe('the application');
    const moved = await ask('ada', BASE);
    expect([moved.status, moved.headers.location]).toEqual([308, `${BASE}/`]);
    const page = await ask('ada', `${BASE}/`);
    expect(page.status).toBe(200);
    expect(page.headers['set-cookie']).toBeUndefined();
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    const named = [...page.text.matchAll(/(?:src|href)="([^"]+)"/gu)].map(
      ([, path = '']) => new URL(path, `${origin}${BASE}/`).pathname,
    );
    expect(named.some((path) => path.endsWith('.js'))).toBe(true);
    for (const path of named) {
      expect(path.startsWith(`${BASE}/`)).toBe(true);
      expect([path, (await ask('ada', path)).status]).toEqual([path, 200]);
      expect([path, (await ask('', path)).status]).toEqual([path, 401]);
    }
    for (const path of ['/api/runs', `${BASE}x/api/runs`, `${BASE}/../../api/runs`])
      expect([path, (await ask('ada', path)).status]).toEqual([path, 404]);
  });

  it('refuses everybody whom the application does not know', async () => {
    const { store, ask, get, post } = await application(start);
    await asked(store);
    for (const user of ['', 'nobody'])
      for (const path of ['/api/session', '/api/runs', '/api/changes', '/api/pipelines', '/api/nothing'])
        expect(await get(user, path)).toMatchObject({ status: 401, body: { error: { code: 'REQUEST_REFUSED' } } });
    expect((await ask('', `${BASE}/`)).text).toContain('Log in to the application');
    expect(await post('', '/api/runs/r/cancel')).toMatchObject({ status: 401 });
    // The cookie of a server on a port of its own is no key to an application.
    const own = await served({ store });
    expect((await ask('', `${BASE}/api/runs`, { cookie: own.cookie })).status).toBe(401);
    expect((await store.run('r'))?.status).toBe('running');
  });

  it('lets one user only read, and another answer in his own name', async () => {
    const { store, get, post } = await application(start, { pipelines: [asks] });
    const run = await asked(store);
    const [item] = run.inbox();
    const path = `/api/inbox/${item?.id}`;
    const reply = { nonce: item?.nonce, reply: { type: 'value', value: 'this' } };
    expect((await get('ben', '/api/session')).body).toMatchObject({ user: 'Ben', readOnly: true, actions: [] });
    expect((await get('ben', '/api/runs')).body).toMatchObject({ runs: [{ runId: 'r', actions: [] }] });
    expect((await get('ben', path)).body).toMatchObject({ mayAnswer: false });
    expect((await get('ben', '/api/pipelines')).body).toEqual({ pipelines: [] });
    for (const [change, body] of [
      [`${path}/answer`, reply],
      ['/api/runs/r/cancel', {}],
      ['/api/runs/r/resume', {}],
      ['/api/runs/r/retry', {}],
      ['/api/runs/r/fork', { at: 1 }],
      ['/api/runs', { pipeline: 'asks', runId: 'new' }],
    ] as const)
      expect([change, (await post('ben', change, body)).status]).toEqual([change, 403]);
    expect((await store.runs()).map(({ runId }) => runId)).toEqual(['r']);
    expect(run.inbox()).toHaveLength(1);

    expect((await get('ada', '/api/session')).body).toMatchObject({ user: 'Ada', readOnly: false });
    expect((await get('ada', path)).body).toMatchObject({ mayAnswer: true });
    expect(await post('ada', `${path}/answer`, reply)).toMatchObject({ status: 200, body: { state: 'taken' } });
    await run.result;
    const answer = (await store.read('r')).find(({ event }) => event.type === 'task.answered');
    expect(JSON.stringify(answer)).toContain('"who":"Ada"');
    expect(await post('ada', '/api/runs', { pipeline: 'asks', runId: 'new' })).toMatchObject({ status: 200 });
  });

  it('lets a user answer some items and take some actions', async () => {
    const { store, get, post } = await application(start);
    const run = await asked(store);
    const [item] = run.inbox();
    expect((await get('eve', '/api/session')).body).toMatchObject({ readOnly: false, actions: ['cancel'] });
    const answer = { nonce: item?.nonce, reply: { type: 'value', value: 'this' } };
    expect(await post('eve', `/api/inbox/${item?.id}/answer`, answer)).toMatchObject({ status: 403 });
    expect((await post('eve', '/api/runs/r/fork', { at: 1 })).status).toBe(403);
    const edited = await asked(store, 'editors');
    const [other] = edited.inbox();
    expect((await get('eve', `/api/inbox/${other?.id}`)).body).toMatchObject({ mayAnswer: true });
    const reply = { nonce: other?.nonce, reply: { type: 'value', value: 'that' } };
    expect(await post('eve', `/api/inbox/${other?.id}/answer`, reply)).toMatchObject({ status: 200 });
    expect(await post('eve', '/api/runs/r/cancel')).toMatchObject({
      status: 200,
      body: { run: { standing: 'cancelled' } },
    });
    expect(await run.result).toMatchObject({ status: 'cancelled', reason: 'Cancelled by Eve in the dashboard' });
  });

  it('is of no use to the pages of other sites and ports', async () => {
    const { store, ask, post, origin } = await application(start);
    await asked(store);
    const port = Number(new URL(origin).port);
    for (const headers of [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: `http://127.0.0.1:${port + 1}` },
      { origin: `http://127.0.0.1:${port + 1}`, 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
    ] as const) {
      expect([headers, (await ask('ada', `${BASE}/api/runs`, headers)).status]).toEqual([headers, 403]);
      expect([headers, (await post('ada', '/api/runs/r/cancel', {}, headers)).status]).toEqual([headers, 403]);
    }
    // A request without both is of no browser, and a change of it may be of an old one.
    expect((await post('ada', '/api/runs/r/cancel', {}, {})).status).toBe(403);
    expect((await post('ada', '/api/runs/r/cancel', {}, { origin, 'content-type': 'text/plain' })).status).toBe(415);
    expect((await store.run('r'))?.status).toBe('running');
    // Other sites may link to the page. Behind a proxy, the browser vouches for an origin that the server does not know.
    expect((await ask('ada', `${BASE}/`, { 'sec-fetch-site': 'cross-site' })).status).toBe(200);
    const proxied = { origin: 'https://ops.example', 'sec-fetch-site': 'same-origin' };
    expect((await post('ada', '/api/runs/r/cancel', {}, proxied)).status).toBe(200);
  });

  it('streams events until the rights of the user end', async () => {
    let user: DashboardUser | undefined = { name: 'Ada' };
    const { store, origin } = await application(start, { authorize: () => Promise.resolve(user) });
    const run = await asked(store);
    const { length } = await store.read('r');
    const response = await fetch(`${origin}${BASE}/api/changes?run=r`);
    const texts = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!(text.includes('event: changed') && text.includes('caught-up'))) text += (await texts?.read())?.value ?? '';
    expect(text).toContain(`id: ${length}\n`);
    user = undefined;
    // Something happens again and again, and the stream still ends.
    let isOver = false;
    const rest = (async () => {
      while (!(await texts?.read())?.done);
      isOver = true;
    })();
    await until(async () => isOver || (await startRun(quick, { store }).result, isOver));
    await rest;
    run.cancel('the test is over');
    await run.result;
  });

  it('reports what the application throws to it alone, and sends its own responses', async () => {
    const onError = vi.fn();
    const { ask, get } = await application(start, {
      onError,
      authorize(request) {
        const { searchParams } = new URL(request.url);
        if (searchParams.has('login')) return Response.redirect('https://ops.example/login', 302);
        if (searchParams.has('nameless')) return { name: '' };
        throw new Error('the password of the database is 1234');
      },
    });
    const failed = await get('', '/api/runs');
    expect(failed).toMatchObject({ status: 500, body: { error: { code: 'INTERNAL' } } });
    expect(JSON.stringify(failed)).not.toContain('1234');
    expect((await get('', '/api/runs?nameless')).status).toBe(500);
    expect(onError).toHaveBeenCalledTimes(2);
    const { status, headers } = await ask('', `${BASE}/?login`);
    expect([status, headers.location]).toEqual([302, 'https://ops.example/login']);
    expect(headers['x-frame-options']).toBe('DENY');
  });

  it('ends its streams, and answers no more, once it is closed', async () => {
    const { dashboard, origin, ask } = await application(start);
    const response = await fetch(`${origin}${BASE}/api/changes`, { headers: { cookie: 'user=ben' } });
    const text = response.text();
    dashboard.close();
    await text;
    expect((await ask('ada', `${BASE}/api/runs`)).status).toBe(503);
  });
});

describe('createDashboard()', () => {
  it('refuses to be open to everybody', async () => {
    const { store } = await ownStore();
    // @ts-expect-error -- JavaScript may leave it out
    expect(() => createDashboard({ store })).toThrow(
      'Cannot create a dashboard as `authorize` must be a function: everybody could read all runs and answer',
    );
  });

  it.each([
    'ops',
    '/ops//runs',
    '/ops?x',
    '/../ops',
    '/ops/..',
    'https://ops.example',
    '/ops runs',
    `/${'x'.repeat(200)}`,
  ])('refuses %s as its path', async (basePath) => {
    const { store } = await ownStore();
    expect(() => createDashboard({ store, basePath, authorize: () => undefined })).toThrow(
      'Cannot create a dashboard as its basePath must be a path',
    );
  });

  it.each(['/', '/ops', '/ops/'])('answers at %s without a server', async (basePath) => {
    const { store } = await ownStore();
    const seen: unknown[] = [];
    const dashboard = createDashboard<string>({
      store,
      basePath,
      authorize: (request, platform) => (seen.push([new URL(request.url).pathname, platform]), USERS['ben']),
    });
    const path = `${basePath.replace(/\/$/u, '')}/api/session`;
    const response = await dashboard.fetch(new Request(`https://ops.example${path}`), 'the context');
    expect(await response.json()).toMatchObject({ user: 'Ben', readOnly: true });
    expect(seen).toEqual([[path, 'the context']]);
    expect((await dashboard.fetch(new Request('https://ops.example/opsx/api/session'))).status).toBe(404);
  });

  it('refuses a request whose body the application has read', async () => {
    const { store } = await ownStore();
    const dashboard = createDashboard({ store, authorize: () => USERS['ada'] });
    const request = new Request('https://ops.example/api/runs/r/cancel', { method: 'POST', body: '{}' });
    await request.text();
    const response = await dashboard.fetch(request);
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('before parsers of bodies'),
    ]);
  });

  it('begins a run only for a user who may resume one', async () => {
    const { store } = await ownStore();
    const resume = vi.fn(() => Promise.resolve());
    const dashboard = createDashboard({
      store,
      pipelines: [quick],
      actions: { resume, retry: resume },
      authorize: () => ({ name: 'Ada', mayAct: ['start'] }),
    });
    const start = async (begin: boolean) => {
      const headers = { origin: 'https://ops.example', 'content-type': 'application/json' };
      const body = JSON.stringify({ pipeline: 'quick', runId: 'r', begin });
      return (await dashboard.fetch(new Request('https://ops.example/api/runs', { method: 'POST', headers, body })))
        .status;
    };
    expect(await start(true)).toBe(403);
    expect(await store.runs()).toEqual([]);
    expect(await start(false)).toBe(200);
    expect(resume).not.toHaveBeenCalled();
  });

  it('takes nothing but true as a permission', async () => {
    const { store } = await ownStore();
    const run = await asked(store);
    // @ts-expect-error -- the promise of JavaScript is no answer
    const user: DashboardUser = { name: 'Ada', mayAnswer: () => Promise.resolve(false) };
    const dashboard = createDashboard({ store, authorize: () => user });
    const [item] = run.inbox();
    const response = await dashboard.fetch(new Request(`https://ops.example/api/inbox/${item?.id}`));
    expect(await response.json()).toMatchObject({ mayAnswer: false });
    run.cancel('the test is over');
    await run.result;
  });
});

it('a page of the loopback server needs no application', async () => {
  const { dashboard } = await served();
  expect((await askAt(dashboard.url)).status).toBe(303);
});

// --- internal ---

const asks = asking('default');
const quick = definePipeline({ name: 'quick', phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });

function asking(queue: string) {
  const run = human({ question: 'Which?', queue });
  return definePipeline({ name: 'asks', phases: [phase('a', { tasks: [task('t', { run })] })] });
}

/** Starts a run that waits for a person. Its id is `r`, or the queue of the item. */
async function asked(store: RunStore, queue = 'default') {
  const runId = queue === 'default' ? 'r' : queue;
  const run = startRun(asking(queue), { store, runId, attended: true });
  await until(async () => (await store.inbox({ runId, open: true })).length === 1);
  return run;
}
