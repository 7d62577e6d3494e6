/** Many tasks with one server: the number of simultaneous requests, and pauses after a 429. */
import { OpenAI } from 'openai';
import { describe, expect, it } from 'vitest';
import { SimulatedClock } from 'xstate';
import { definePipeline, phase, startRun } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import { createRateLimit, type Turn } from '../../src/llm/call/rate-limit.ts';
import { openaiTask, type Ask, type OpenAIModel } from '../../src/openai.ts';
import { hurriedClock, modelOf, serve } from './rig.ts';
import type { Entry, Server } from './server.ts';

/** Starts a server that counts simultaneous requests. */
async function counting(count: number) {
  let now = 0;
  let most = 0;
  const entry = async () => {
    now += 1;
    most = Math.max(most, now);
    // Later requests have every chance to come before this one is answered.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
    return 'x';
  };
  const server = await serve(...Array.from({ length: count }, () => entry));
  return { server, most: () => most };
}

async function run(pipelines: number, tasks: readonly ReturnType<typeof openaiTask>[]) {
  const runs = Array.from({ length: pipelines }, () =>
    startRun(definePipeline({ name: 'p', phases: [phase('note', { tasks, mode: 'parallel' })] }), {
      clock: hurriedClock(),
    }),
  );
  return Promise.all(runs.map((one) => one.result));
}

const NAMES = ['a', 'b', 'c', 'd'] as const;

describe('concurrency of a client', () => {
  it.each<[string, (server: Server) => Omit<OpenAIModel, 'models' | 'ask'>]>([
    ['the same server and key', (server) => modelOf(server, 'chat')],
    ['the same client', (server) => ({ model: 'm', api: 'chat', client: clientOf(server) })],
  ])('is shared by all tasks and runs in the process: %s', async (_, optionsOf) => {
    const { server, most } = await counting(12);
    const options = optionsOf(server);
    const results = await run(
      3,
      NAMES.map((name) => openaiTask(name, { ...options, concurrency: 2 })),
    );
    expect(results.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
    expect(server.asked.length).toBe(12);
    expect(most()).toBe(2);
  });

  it('of an `ask` is counted by function', async () => {
    let now = 0;
    let most = 0;
    const ask: Ask = async () => {
      now += 1;
      most = Math.max(most, now);
      await Promise.resolve();
      now -= 1;
      return { text: 'x' };
    };
    await run(
      2,
      NAMES.map((name) => openaiTask(name, { ask, concurrency: 1 })),
    );
    expect(most).toBe(1);
  });

  it('is unlimited by default', async () => {
    const { server, most } = await counting(4);
    await run(
      1,
      NAMES.map((name) => openaiTask(name, modelOf(server, 'chat'))),
    );
    expect(most()).toBe(4);
  });

  it.each([0, -1, 1.5, Number.NaN])('cannot be %s', (concurrency) => {
    expect(() => openaiTask('a', { model: 'm', concurrency })).toThrow(
      /^Cannot let a model do "a" as `concurrency` is /u,
    );
  });

  it('is not blocked by an aborted request', async () => {
    const limit = createRateLimit();
    const first = new AbortController();
    const second = new AbortController();
    const order: string[] = [];
    const hangs = limit.run(() => new Promise<never>(() => order.push('hangs')), turnOf(first), 1);
    const waits = limit.run(() => Promise.resolve(order.push('never')), turnOf(second), 1);
    const last = limit.run(() => Promise.resolve(order.push('last')), turnOf(new AbortController()), 1);
    second.abort(new Error('left'));
    await expect(waits).rejects.toThrow('left');
    first.abort();
    await last;
    expect(order).toEqual(['hangs', 'last']);
    void hangs;
  });
});

describe('a pause after a 429', () => {
  it('applies to all clients of a server: others wait without a request, and lose no try', async () => {
    const entries: Entry[] = [{ status: 429, headers: { 'retry-after': '70' } }, 'x', 'x'];
    const server = await serve(...entries);
    const clock = new SimulatedClock();
    const options = { ...modelOf(server, 'chat'), retry: { backoff: { jitter: false } } };
    const limited = startRun(definePipeline({ name: 'q', phases: pipelinePhases(options, 'a') }), { clock });
    const records: RunRecord[] = [];
    limited.events$.subscribe((record) => records.push(record));
    await until(records, 'task.retrying');
    expect(server.asked.length).toBe(1);
    const other = startRun(definePipeline({ name: 'r', phases: pipelinePhases(options, 'b') }), { clock });
    const others: RunRecord[] = [];
    other.events$.subscribe((record) => others.push(record));
    await until(others, 'task.started');
    await turns();
    expect(server.asked.length).toBe(1);
    clock.increment(60_000);
    await turns();
    expect(server.asked.length).toBe(1);
    clock.increment(10_000);
    expect((await other.result).status).toBe('completed');
    await turns();
    clock.increment(70_000);
    expect((await limited.result).status).toBe('completed');
    expect(others.filter(({ event }) => event.type === 'task.retrying')).toEqual([]);
  });
});

describe('jitter of a backoff', () => {
  it('spreads simultaneous retries over the whole interval, and is the same on replay', async () => {
    const delays = async (runId: string) => {
      const tasks = Array.from({ length: 40 }, (_, at) =>
        openaiTask(`t${at}`, { ask: () => Promise.reject(new Error('busy')), retry: { attempts: 2 } }),
      );
      const one = startRun(
        definePipeline({ name: 'p', phases: tasks.map((task) => phase(`p${task.name}`, { tasks: [task] })) }),
        {
          clock: hurriedClock(),
          runId,
        },
      );
      const records: RunRecord[] = [];
      one.events$.subscribe((record) => records.push(record));
      await one.result;
      return records.flatMap(({ event }) => (event.type === 'task.retrying' ? [event.delayMs] : []));
    };
    const first = await delays('r1');
    expect(first.length).toBe(40);
    expect(first.every((one) => Number.isInteger(one) && one >= 0 && one <= 1000)).toBe(true);
    // Most tenths of the interval contain a wait. Equal waits, or waits in one half, would not.
    expect(new Set(first.map((one) => Math.floor(one / 250))).size).toBeGreaterThanOrEqual(4);
    expect(await delays('r1')).toEqual(first);
    expect(await delays('r2')).not.toEqual(first);
  });
});

// --- internal ---

function clientOf(server: Server): OpenAI {
  return new OpenAI({ apiKey: 'k', baseURL: server.url });
}

function turnOf({ signal }: AbortController): Turn {
  return { signal, wait: () => Promise.resolve() };
}

function pipelinePhases(options: Omit<OpenAIModel, 'models' | 'ask'>, name: string) {
  return [phase('note', { tasks: [openaiTask(name, options)] })];
}

/** Waits until a record of this type exists. */
async function until(records: readonly RunRecord[], type: string): Promise<void> {
  while (!records.some(({ event }) => event.type === type)) await new Promise((resolve) => setImmediate(resolve));
}

/** Runs everything that needs no timer. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
