import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createActor, createMachine } from 'xstate';
import { definePipeline, phase, retry, retryPredecessor, startRun, task } from 'phasegate';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createWebSocketReceiver, type ParsedReceiverEvent } from '../../visualizations/inspect-v4/receiver.ts';
import { serveOldInspector } from '../../visualizations/inspect-v4/serve.ts';
import { refusal } from './watch.ts';

describe('serveOldInspector()', () => {
  it('sends the receiver of @xstate/inspect every phase, its transitions, and the rewind', async () => {
    //  plan ──▶ build      plan is retried, and build sends it back
    const server = await serve();
    const early = await receive(server.server);
    const work = task('work', { run: () => 'done' });
    const plan = phase('plan', {
      tasks: [work],
      review: ({ attempt }) => (attempt === 0 ? retry('More.') : 'APPROVE'),
    });
    const build = phase('build', {
      after: [plan],
      tasks: [work],
      review: ({ rewindsLeft }) =>
        rewindsLeft['plan'] === 2 ? retryPredecessor('plan', 'It does not fit.') : 'APPROVE',
    });
    const pipeline = definePipeline({ name: 'old', phases: [plan, build] });
    await startRun(pipeline, { runId: 'old', inspect: server.inspect }).result;

    await early.until((events) => events.some((event) => event.type === 'service.stop' && early.idOf(event) === 'old'));
    expect(early.stories()).toEqual([
      'old: running completed stop',
      'plan: running reviewing retrying running reviewing approved stop',
      'build: running reviewing rewinding running reviewing approved stop',
      'plan: running reviewing approved stop',
    ]);
    const registered = early.events.flatMap((event) => (event.type === 'service.register' ? event : []));
    const [root] = registered;
    const one = registered.find(({ id }) => id === 'plan');
    expect(one?.parent).toBe(root?.sessionId);
    expect(Object.keys(one?.machine.states ?? {})).toEqual(PHASE);
    const [first, second] = one?.machine.states['deciding']?.definition.transitions ?? [];
    expect(first).toMatchObject({ cond: { name: 'isBroken' }, actions: [] });
    expect(second).toMatchObject({ cond: { name: 'mayAskAgain' }, actions: [{ type: 'countReviewError' }] });
    const states = early.events.flatMap((event) => (event.type === 'service.state' ? event.state : []));
    expect(states.find(({ value }) => value === 'rewinding')?.context).toMatchObject({ origin: { run: 'old' } });
    const told = early.events.flatMap((event) => (event.type === 'service.event' ? event.event.name : []));
    expect(told).toContain('phase.rewinding');

    const late = await receive(server.server);
    await late.until((events) => events.filter(({ type }) => type === 'service.stop').length === 4);
    expect(late.stories()).toEqual([
      'old: completed stop',
      'plan: approved stop',
      'build: approved stop',
      'plan: approved stop',
    ]);
  });

  it('includes nested states, and delayed transitions', async () => {
    const server = await serve();
    const viewer = await receive(server.server);
    const machine = createMachine({
      id: 'nested',
      type: 'parallel',
      states: {
        light: { initial: 'red', states: { red: { on: { go: 'green' }, after: { 1000: 'green' } }, green: {} } },
        walk: { initial: 'no', states: { no: {}, last: { type: 'history', history: 'deep' } } },
      },
    });
    const actor = createActor(machine, { inspect: server.inspect });
    actor.start();
    actor.send({ type: 'go' });
    actor.stop();
    await viewer.until((events) => events.some(({ type }) => type === 'service.stop'));
    const values = viewer.events.flatMap((event) => (event.type === 'service.state' ? [event.state.value] : []));
    expect(values).toEqual([
      { light: 'red', walk: 'no' },
      { light: 'green', walk: 'no' },
      { light: 'green', walk: 'no' },
    ]);
  });

  it('accepts pages of Stately as readers, and no others', async () => {
    const server = await serve();
    expect(server.url).toBe(`https://stately.ai/viz?inspect&server=${server.server}`);
    expect(await refusal(`ws://${server.server}`, { origin: 'https://stately.ai' })).toBeUndefined();
    expect(await refusal(`ws://${server.server}`, { origin: 'https://evil.example' })).toBe(403);
    expect((await fetch(`http://${server.server}`)).status).toBe(404);
  });
});

describe('npm run inspect-v4', () => {
  it('runs a pipeline, prints the address, and serves until it is ended', async () => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const child = spawn(
      process.execPath,
      ['--import', 'jiti/register', 'visualizations/inspect-v4/main.ts', 'examples/release-notes/pipeline.ts'],
      { cwd: root, env: { ...process.env, INIT_CWD: undefined } },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    let text = '';
    await new Promise<void>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (more: string) => {
        text += more;
        if (text.includes('Ctrl-C')) resolve();
      });
    });
    expect(text).toMatch(
      /^Inspect the run at https:\/\/stately\.ai\/viz\?inspect&server=127\.0\.0\.1:\d+\/[\w-]{22}\/\n/u,
    );
    expect(text).toMatch(/The run is \w+\. Press Ctrl-C to stop the inspector\.\n$/u);
    const viewer = await receive(/server=(\S+)/u.exec(text)?.[1] ?? '');
    await viewer.until((events) => events.filter(({ type }) => type === 'service.stop').length === 3);
    expect(viewer.stories().map((story) => story.replace(/^\w{26}/u, 'run'))).toContain('run: completed stop');
  }, 120_000);
});

// --- internal ---

const PHASE = 'running reviewing deciding retrying rewinding escalated approved rejected failed cancelled'.split(' ');

async function serve() {
  const server = await serveOldInspector();
  onTestFinished(() => server.close());
  return server;
}

/** Connects the receiver of the library, which is made for browsers. */
async function receive(server: string) {
  const sockets: WebSocket[] = [];
  vi.stubGlobal(
    'WebSocket',
    class extends WebSocket {
      constructor(address: string) {
        super(address);
        sockets.push(this);
      }
    },
  );
  onTestFinished(() => {
    vi.unstubAllGlobals();
    for (const socket of sockets) socket.terminate();
  });
  const events: ParsedReceiverEvent[] = [];
  const waiting = new Set<() => void>();
  const ids = new Map<string, string>();
  createWebSocketReceiver({ server, serialize: undefined }).subscribe((event) => {
    if (event.type === 'service.register') ids.set(event.sessionId, event.id);
    events.push(event);
    for (const look of waiting) look();
  });
  const [socket] = sockets;
  await new Promise((resolve) => socket?.addEventListener('open', resolve));
  return {
    events,
    idOf: ({ sessionId }: ParsedReceiverEvent) => ids.get(sessionId),
    /** Returns one line for each statechart, with its states. */
    stories: () =>
      [...ids].flatMap(([sessionId, id]) => {
        const steps = events
          .filter((event) => event.sessionId === sessionId)
          .flatMap((event) => {
            if (event.type === 'service.state') return typeof event.state.value === 'string' ? [event.state.value] : [];
            return event.type === 'service.stop' ? ['stop'] : [];
          });
        return [`${id}: ${steps.filter((step, at) => step !== steps[at - 1]).join(' ')}`];
      }),
    until: (isSo: (events: readonly ParsedReceiverEvent[]) => boolean) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!isSo(events)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}
