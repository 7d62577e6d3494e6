import { connect, createServer } from 'node:net';
import { request } from 'node:http';
import { createWebSocketReceiver, type StatelyInspectionEvent } from '@statelyai/inspect';
import {
  approve,
  definePipeline,
  escalate,
  phase,
  resumeRun,
  retry,
  retryPredecessor,
  startRun,
  task,
  type Pipeline,
  memoryStore,
} from 'phasegate';
import { serveInspector, type InspectorServer, type InspectorServerOptions } from 'phasegate/inspect';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chartsOf, isOver, refusal, statesOf, watch, type Message } from './watch.ts';

describe('serveInspector()', () => {
  it('shows a viewer every phase, with its transitions, and a late viewer how they ended', async () => {
    //  plan ──▶ build ──▶ ship      plan is retried, build sends it back, ship asks a person
    const server = await serve();
    const early = await watch(server.socketUrl);
    const run = startRun(workflow(), { runId: 'shown', inspect: server.inspect, attended: true });
    run.events$.subscribe(({ event }) => {
      if (event.type === 'phase.escalated') void run.decide('ship', approve());
    });
    expect(await run.result).toMatchObject({ status: 'completed' });

    await early.until(isOver);
    expect(statesOf(early.messages)).toEqual([
      'shown: running completed',
      'plan: running reviewing retrying running reviewing approved',
      'build: running reviewing rewinding running reviewing approved',
      'plan: running reviewing approved',
      'ship: running reviewing escalated approved',
    ]);

    const late = await watch(server.socketUrl);
    await late.until((messages) => messages.length === 10);
    expect(statesOf(late.messages)).toEqual([
      'shown: completed',
      'plan: approved',
      'build: approved',
      'plan: approved',
      'ship: approved',
    ]);
    const [root, ...phases] = chartsOf(late.messages);
    expect(phases.map(({ parentId }) => parentId)).toEqual(phases.map(() => root?.sessionId));
    expect(JSON.parse(phases[0]?.definition ?? '')).toMatchObject({ id: 'phase', states: { rewinding: {} } });
  });

  it('shows running work to a viewer that connects in the middle, and then the rest', async () => {
    const server = await serve();
    let proceed: (value: string) => void = () => undefined;
    const released = new Promise<string>((resolve) => (proceed = resolve));
    const begun = new Promise<void>((resolve) => {
      const work = task('work', {
        run: () => {
          resolve();
          return released;
        },
      });
      const one = phase('one', { tasks: [work], review: () => 'APPROVE' });
      startRun(definePipeline({ name: 'slow', phases: [one] }), { runId: 'slow', inspect: server.inspect });
    });
    await begun;

    const viewer = await watch(server.socketUrl);
    await viewer.until((messages) => messages.some(({ name }) => name === 'one'));
    proceed('done');
    await viewer.until(isOver);
    expect(statesOf(viewer.messages)).toEqual(['slow: running completed', 'one: running reviewing approved']);
    const events = viewer.messages.filter(({ type }) => type === '@xstate.event').map(({ event }) => event?.type);
    expect(events.filter((type) => type?.startsWith('phase.') || type?.startsWith('review.'))).toEqual([
      'review.started',
      'review.done',
      'review.decided',
      'phase.approved',
    ]);
  });

  it('serves at most sixteen viewers, and more only after others have left', async () => {
    const server = await serve();
    const viewers = await Promise.all(Array.from({ length: 16 }, () => watch(server.socketUrl)));
    expect(await refusal(server.socketUrl, {})).toBe(503);
    viewers[0]?.socket.close();
    await viewers[0]?.closed;
    await expect.poll(() => refusal(server.socketUrl, {})).toBeUndefined();
  });

  it('limits connections, and drops idle ones', async () => {
    const server = await serve();
    const port = Number(new URL(server.socketUrl).port);
    const strangers = Array.from({ length: 80 }, () => connect(port, '127.0.0.1').resume());
    let closed = 0;
    for (const socket of strangers) socket.on('error', () => undefined).on('close', () => (closed += 1));
    onTestFinished(() => strangers.forEach((socket) => socket.destroy()));
    await expect.poll(() => closed).toBe(16);
    await expect.poll(() => closed, { timeout: 10_000 }).toBe(80);
    await watch(server.socketUrl);
  });

  it('is understood by the receiver of Stately', async () => {
    const server = await serve();
    const got: StatelyInspectionEvent[] = [];
    const told = new Promise<void>((resolve) => {
      createWebSocketReceiver({ server: server.socketUrl }).subscribe((event) => {
        got.push(event);
        // The receiver may have connected late. It then gets the run first, as the run was created first.
        if (event.type === '@xstate.actor' && event.name === 'build') resolve();
      });
    });
    await startRun(approvedLine(), { runId: 'received', inspect: server.inspect }).result;
    await told;
    expect(new Set(got.map(({ _version }) => _version))).toEqual(new Set(['0.7.2']));
    expect(got.flatMap((event) => (event.type === '@xstate.actor' ? event.name : []))).toContain('plan');
  });

  it('shows a resumed run', async () => {
    const store = memoryStore();
    const pipeline = workflow();
    const first = startRun(pipeline, { runId: 'kept', store, attended: true });
    await new Promise<void>((resolve) => {
      first.events$.subscribe(({ event }) => {
        if (event.type === 'phase.escalated') resolve();
      });
    });
    first.suspend();
    await first.result;

    const server = await serve();
    const viewer = await watch(server.socketUrl);
    const run = await resumeRun(store, 'kept', pipeline, { inspect: server.inspect });
    void run.decide('ship', retry('Once more.'));
    expect(await run.result).toMatchObject({ status: 'completed' });
    await viewer.until(isOver);
    // Phases that were approved before have no actors now. The pending one has.
    expect(statesOf(viewer.messages)).toEqual([
      'kept: running completed',
      'ship: running reviewing escalated retrying running reviewing approved',
    ]);
  });

  it('shows several runs at once', async () => {
    const server = await serve();
    const viewer = await watch(server.socketUrl);
    const one = definePipeline({ name: 'p', phases: [phase('one', { tasks: [task('t', { run: () => 1 })] })] });
    await Promise.all(['a', 'b'].map((runId) => startRun(one, { runId, inspect: server.inspect }).result));
    await viewer.until((messages) => ['a', 'b'].every((name) => isOver(ofRun(messages, name))));
    expect(statesOf(viewer.messages).toSorted()).toEqual([
      'a: running completed',
      'b: running completed',
      'one: running approved',
      'one: running approved',
    ]);
  });

  it('masks secrets, cuts what is large, and names the phases of a plan', async () => {
    const server = await serve();
    const viewer = await watch(server.socketUrl);
    const tell = task('tell', { run: () => ({ key: 'sk-abcdefghijklmnopqrstuvwx', long: 'x'.repeat(1_000_000) }) });
    const one = phase('one', { tasks: [tell], review: () => retryOnce() });
    let asked = 0;
    function retryOnce(): string {
      asked += 1;
      return asked === 1 ? 'RETRY: the password=hunter22 is wrong' : 'APPROVE';
    }
    await startRun(definePipeline({ name: 'secret', phases: [one] }), { inspect: server.inspect }).result;
    await viewer.until(isOver);
    const text = JSON.stringify(viewer.messages);
    const parts = ['abcdefghij', 'hunter22', 'password=[redacted]', '[… 990000 characters]'];
    expect(parts.map((part) => text.includes(part))).toEqual([false, false, true, true]);
    expect(Math.max(...(text.match(/x+/gu) ?? []).map(({ length }) => length))).toBe(10_000);
    const root = viewer.messages.find(({ sessionId, rootId, snapshot }) => sessionId === rootId && snapshot?.context);
    expect(root?.snapshot?.context?.['plan']).toEqual({ name: 'secret', phases: ['one'] });
  });

  it('does not count as a read: an inspected run has the same records', async () => {
    //  plan ──▶ build ──▶ ship      ship never asks for plan, so a new plan does not concern it
    const work = task('work', { run: ({ attempt }) => attempt });
    const plan = phase('plan', { tasks: [work] });
    const build = phase('build', {
      after: [plan],
      tasks: [work],
      review: { by: ({ rewindsLeft }) => (rewindsLeft['plan'] === 2 ? retryPredecessor('plan', 'No.') : approve()) },
    });
    const ship = phase('ship', { after: [build], tasks: [work], review: () => approve() });
    const pipeline = definePipeline({ name: 'read', phases: [plan, build, ship] });
    const server = await serve();
    const viewer = await watch(server.socketUrl);
    const told = await Promise.all(
      [undefined, server.inspect].map(async (inspect) => {
        const run = startRun(pipeline, { runId: 'read', inspect });
        const events: unknown[] = [];
        run.events$.subscribe(({ event }) => events.push(event));
        await run.result;
        return JSON.stringify(events).replaceAll(/"(?:durationMs|key|idempotencyKey)":[^,}]+/gu, '""');
      }),
    );
    await viewer.until(isOver);
    expect(JSON.stringify(viewer.messages)).toContain('"inputs":{"plan":{"work":1},"build"');
    expect(told[1]).toBe(told[0]);
    expect(told[0]).toContain('phase.rewinding');
  });

  it('is not delayed by a slow viewer, which gets the current states once it reads', async () => {
    const server = await serve();
    const stuck = await watch(server.socketUrl);
    stuck.socket.pause();
    const report = 'x'.repeat(9_000);
    // Each phase produces about 300 KB of messages, far more than the buffer of a viewer.
    const phases = Array.from({ length: 60 }, (_, at) =>
      phase(`p${at}`, {
        tasks: [task('t', { run: () => new Promise((resolve) => setImmediate(resolve, [report, report, report])) })],
        review: () => 'APPROVE',
      }),
    );
    const pipeline = definePipeline({ name: 'much', phases: phases as never, concurrency: 4 });
    const run = startRun(pipeline, { runId: 'much', inspect: server.inspect });
    expect((await run.result).status).toBe('completed');

    stuck.socket.resume();
    await stuck.until(isOver);
    await stuck.until((messages) => messages.filter(({ snapshot }) => snapshot?.value === 'approved').length === 60);
    const states = statesOf(stuck.messages);
    expect(states).toHaveLength(61);
    // The viewer has skipped the states in between.
    expect(states.filter((line) => !line.includes('running')).length).toBeGreaterThan(10);
    expect(JSON.stringify(stuck.messages).length).toBeLessThan(15_000_000);
  });

  it('closes after viewers have received the rest', async () => {
    const server = await serveInspector();
    const viewer = await watch(server.socketUrl);
    await startRun(approvedLine(), { runId: 'last', inspect: server.inspect }).result;
    await server.close();
    expect(await viewer.closed).toBe(1001);
    expect(isOver(viewer.messages)).toBe(true);
    await expect(watch(server.socketUrl)).rejects.toThrow('ECONNREFUSED');
  });

  it('closes although a viewer does not read', async () => {
    const server = await serveInspector();
    const viewer = await watch(server.socketUrl);
    viewer.socket.pause();
    await startRun(approvedLine(), { inspect: server.inspect }).result;
    await server.close();
    viewer.socket.resume();
    expect(await viewer.closed).toBeGreaterThanOrEqual(1001);
  });
});

describe('access to an inspected run', () => {
  it.each([
    ['a program', {}, undefined],
    ['the page that is served', { origin: 'own' }, undefined],
    ['another page of this machine', { origin: 'http://localhost:5173' }, undefined],
    ['a page of Stately', { origin: 'https://stately.ai' }, undefined],
    ['a page of the web', { origin: 'https://evil.example' }, 403],
    ['a page of the web that pretends', { origin: 'https://stately.ai.evil.example' }, 403],
    ['a page without an origin', { origin: 'null' }, 403],
    ['a name of the web that leads here', { host: 'evil.example', origin: 'http://evil.example' }, 403],
  ])('%s with the address: %j → %s', async (_who, headers: Record<string, string>, status) => {
    const server = await serve();
    const own = new URL(server.url).origin;
    const sent = headers['origin'] === 'own' ? { ...headers, origin: own } : headers;
    expect(await refusal(server.socketUrl, sent)).toBe(status);
  });

  it('is refused without the address', async () => {
    const server = await serve();
    const { host } = new URL(server.url);
    expect(await refusal(`ws://${host}/`, {})).toBe(404);
    expect(await refusal(`ws://${host}/${'A'.repeat(22)}/`, {})).toBe(404);
    expect((await get(`http://${host}/`)).status).toBe(404);
    expect((await get(server.url, { host: 'evil.example' })).status).toBe(403);
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/$/u);
  });

  it('does not let viewers end the process by disconnecting or sending', async () => {
    const server = await serve();
    const { hostname, port } = new URL(server.url);
    for (const text of [
      'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      'nonsense\r\n\r\n',
    ]) {
      const socket = connect(Number(port), hostname);
      await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
      socket.write(text);
      socket.resetAndDestroy();
    }
    const viewer = await watch(server.socketUrl);
    viewer.socket.send('{"type":"xstate.event"}');
    viewer.socket.send('x'.repeat(100_000));
    expect(await viewer.closed).toBe(1009);
    expect((await get(server.url)).status).toBe(200);
  });

  it('does not reveal the address on the page', async () => {
    const server = await serve();
    const { status, headers, text } = await get(server.url);
    expect(status).toBe(200);
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain('frame-src https://stately.ai https://*.stately.ai;');
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(text).toContain('src="https://stately.ai/inspect"');
    expect(text).not.toContain(new URL(server.url).pathname.slice(1, -1));
  });
});

describe('a port', () => {
  it('that is in use is refused', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const address = other.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    await expect(serveInspector({ port })).rejects.toMatchObject({
      code: 'PORT_UNUSABLE',
      message: [
        `Cannot serve the inspector on port ${port} as it is in use`,
        'Name another port, or none for any free port.',
        'Docs: docs/errors.md#PORT_UNUSABLE',
      ].join('\n'),
    });
  });

  it('that is invalid is refused', async () => {
    await expect(serveInspector({ port: 70_000 })).rejects.toThrow(
      'Cannot serve the inspector on port 70000 as it is not a port from 0 to 65535',
    );
  });
});

// --- internal ---

async function serve(options?: InspectorServerOptions): Promise<InspectorServer> {
  const server = await serveInspector(options);
  onTestFinished(() => server.close());
  return server;
}

/** A pipeline whose plan is retried, whose build sends it back, and whose end asks a person. */
function workflow(): Pipeline {
  const asked = new Map<string, number>();
  const nth = (name: string) => {
    asked.set(name, (asked.get(name) ?? 0) + 1);
    return asked.get(name);
  };
  const work = task('work', { run: () => 'done' });
  const plan = phase('plan', {
    tasks: [work],
    review: () => (nth('plan') === 1 ? retry('More.') : approve()),
  });
  const build = phase('build', {
    after: [plan],
    tasks: [work],
    review: () => (nth('build') === 1 ? retryPredecessor('plan', 'It does not fit.') : approve()),
  });
  const ship = phase('ship', {
    after: [build],
    tasks: [work],
    review: () => (nth('ship') === 1 ? escalate('Who decides?') : approve()),
  });
  return definePipeline({ name: 'workflow', phases: [plan, build, ship] });
}

/** A pipeline of two phases that are approved. */
function approvedLine(): Pipeline {
  const work = task('work', { run: () => 'done' });
  const plan = phase('plan', { tasks: [work], review: () => approve() });
  const build = phase('build', { after: [plan], tasks: [work], review: () => approve() });
  return definePipeline({ name: 'line', phases: [plan, build] });
}

function ofRun(messages: readonly Message[], name: string): readonly Message[] {
  const root = messages.find((message) => message.name === name);
  return messages.filter(({ rootId }) => rootId === root?.sessionId);
}

function get(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ readonly status: number | undefined; readonly headers: Record<string, unknown>; readonly text: string }> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    })
      .on('error', reject)
      .end();
  });
}
