/** While another process keeps a store locked, each turn of the event loop tries one statement at most, whatever waits for the store. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { serveDashboard } from '../../src/dashboard.ts';
import { answerItem } from '../../src/inbox.ts';
import {
  definePipeline,
  forkRun,
  human,
  phase,
  PhasegateError,
  readRun,
  resumeAll,
  startRun,
  task,
} from '../../src/index.ts';
import { patientStore } from '../../src/runtime/records/patient-store.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import type { RunStore } from '../../src/store.ts';

let folder = '';
let file = '';
let refusals: number[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phasegate-turns-'));
  file = join(folder, 'runs.sqlite');
  refusals = [];
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

describe('one statement is tried in each turn by', () => {
  it('runs of several stores, which complete once the other process lets go', async () => {
    const stores = [openStore(), openStore(), openStore()];
    const letGo = await lockedBy('hold');
    const runs = Array.from({ length: RUNS }, (_, nth) =>
      startRun(quick, { store: stores[nth % 3], runId: `r${nth}` }),
    );
    await refused(9);
    await letGo();
    for (const { result } of runs) expect((await result).status).toBe('completed');
    expectOneInEachTurn();
  });

  it('runs whose leases have expired, which stop', async () => {
    const store = openStore();
    const gate = gated();
    const pipeline = definePipeline({
      name: 'gated',
      phases: [phase('a', { tasks: [task('t', { run: () => gate.opened })] })],
    });
    const runs = Array.from({ length: RUNS }, (_, nth) => startRun(pipeline, { store, runId: `r${nth}` }));
    for (const run of runs) for await (const { event } of run) if (event.type === 'task.started') break;
    const letGo = await lockedBy('hold');
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 31_000);
    gate.open();
    for (const { result } of runs) expect((await result).error?.code).toBe('STORE_FAILED');
    await letGo();
    expect(refusals.length).toBeGreaterThan(0);
    expectOneInEachTurn();
  });

  it('answers, forks and the dashboard, which succeed once it lets go', async () => {
    const store = openStore();
    await leave(store);
    const items = await store.inbox({ open: true });
    const ask = await served(store);
    const letGo = await lockedBy('hold');
    const answers = items.map(({ id }) => answerItem(store, id, { type: 'value', value: 'Yes.' }));
    const forks = items.map(({ runId }) => forkRun(store, runId, { at: 1, runId: `${runId}-fork` }));
    const cancelled = ask('/api/runs/r0/cancel', '{}');
    const asked = ['/api/runs', '/api/inbox', '/api/runs/r1'].map((path) => ask(path));
    await refused(9);
    await letGo();
    await Promise.all([...answers, ...forks]);
    expect(await Promise.all([cancelled, ...asked])).toEqual([200, 200, 200, 200]);
    expect(await store.runs()).toHaveLength(2 * RUNS);
    expectOneInEachTurn();
  });

  it('readers, writers and compacting, if even readers are kept out', async () => {
    const letGo = await lockedBy('close');
    // Opened by its first use.
    const store = openStore();
    const patient = patientStore(store);
    const ask = await served(store);
    const run = startRun(quick, { store, runId: 'r' });
    const listed = [patient.runs(), patient.inbox(), patient.read('q'), patient.messages('q'), readRun(store, 'q')];
    const compacted = patient.compact?.();
    const asked = ['/api/runs', '/api/inbox', '/api/troubles'].map((path) => ask(path));
    await refused(9);
    await letGo();
    expect((await run.result).status).toBe('completed');
    for (const one of listed) await one;
    expect(await compacted).toMatchObject({ unused: 0 });
    expect(await Promise.all(asked)).toEqual([200, 200, 200]);
    expectOneInEachTurn();
  });
});

describe('resumeAll()', () => {
  it('resumes each run in a turn of its own, after another process has let go', async () => {
    const store = openStore();
    await leave(store);
    const letGo = await lockedBy('hold');
    const resumedIn: number[] = [];
    const resuming = resumeAll(store, [asking], { onRun: () => resumedIn.push(turn) });
    await refused(4);
    await letGo();
    const { runs, failed } = await resuming;
    expect(failed).toEqual([]);
    expect(runs).toHaveLength(RUNS);
    expectOneInEachTurn();
    expect(new Set(resumedIn).size).toBe(RUNS);
    for (const run of runs) run.suspend();
    for (const { result } of runs) await result;
  });
});

// --- internal ---

const RUNS = 30;
const CHILD = fileURLToPath(new URL('../store/child.ts', import.meta.url));

const quick = definePipeline({
  name: 'quick',
  phases: [
    phase('a', { tasks: [task('t', { run: async () => 'a' })] }),
    phase('b', { after: ['a'], tasks: [task('t', { run: async () => 'b' })] }),
  ],
});

const asking = definePipeline({
  name: 'asking',
  phases: [phase('a', { tasks: [task('t', { run: human({ question: 'Well?' }) })] })],
});

/** The number of the turn. A turn begins with the timers that are due. */
let turn = 0;

/** Opens the store. It notes the turn of each call that is refused. */
function openStore(): RunStore {
  const inner = sqliteStore(file, { now: () => Date.now() });
  let timer = setTimeout(function next() {
    turn += 1;
    timer = setTimeout(next, 1);
  }, 1);
  onTestFinished(async () => {
    clearTimeout(timer);
    await inner.close();
  });
  const noted =
    <A extends readonly unknown[], T>(call: (...given: A) => T): ((...given: A) => T) =>
    (...given: A): T => {
      try {
        return call(...given);
      } catch (error) {
        note(error);
        throw error;
      }
    };
  const note = (error: unknown) => {
    if (PhasegateError.is(error) && error.code === 'STORE_BUSY') refusals.push(turn);
  };
  const { append } = inner;
  return {
    ...inner,
    append: Object.assign(noted(append), { all: append.all && noted(append.all) }),
    read: noted((...given) => inner.read(...given)),
    run: noted((...given) => inner.run(...given)),
    runs: noted((...given) => inner.runs(...given)),
    acquire: noted((...given) => inner.acquire(...given)),
    renew: noted((...given) => inner.renew(...given)),
    release: noted((...given) => inner.release(...given)),
    inbox: noted((...given) => inner.inbox(...given)),
    item: noted((...given) => inner.item(...given)),
    post: noted((...given) => inner.post(...given)),
    messages: noted((...given) => inner.messages(...given)),
    async compact() {
      // A compaction that is refused says so in its result.
      const begun = turn;
      const done = await inner.compact?.();
      if (done?.pending === 'busy') refusals.push(begun);
      return done ?? { freed: 0, unused: 0 };
    },
  };
}

async function refused(least: number): Promise<void> {
  while (refusals.length < least) await new Promise((resolve) => setImmediate(resolve));
}

function expectOneInEachTurn(): void {
  const twice = refusals.filter((one, at) => refusals.indexOf(one) !== at);
  expect(twice).toEqual([]);
}

/** Has another process take a lock. @returns A function that has it let go, and waits until it has ended. */
async function lockedBy(what: 'hold' | 'close'): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['--import', 'jiti/register', CHILD, what, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return async () => {
    if (what === 'hold') child.kill('SIGKILL');
    else child.stdin.end();
    await exited;
  };
}

/** Leaves runs that wait for an answer. */
async function leave(store: RunStore): Promise<void> {
  const runs = Array.from({ length: RUNS }, (_, nth) => startRun(asking, { store, runId: `r${nth}`, attended: true }));
  for (const run of runs) {
    for await (const { event } of run) if (event.type === 'task.asked') break;
    run.suspend();
    await run.result;
  }
}

/** Serves the dashboard of a store. @returns A function that sends a request, and resolves with the status of the response. */
async function served(store: RunStore): Promise<(path: string, body?: string) => Promise<number>> {
  const dashboard = await serveDashboard(store);
  onTestFinished(() => dashboard.close());
  const { origin } = new URL(dashboard.url);
  const welcome = await fetch(dashboard.url, { redirect: 'manual' });
  const cookie = welcome.headers.get('set-cookie')?.split(';')[0] ?? '';
  const headers = { cookie, origin, 'content-type': 'application/json' };
  return async (path, body) => {
    const { status } = await fetch(`${origin}${path}`, {
      headers,
      ...(body !== undefined && { method: 'POST', body }),
    });
    return status;
  };
}

function gated(): { readonly opened: Promise<string>; readonly open: () => void } {
  let finish: (value: string) => void = () => {};
  const opened = new Promise<string>((resolve) => (finish = resolve));
  return { opened, open: () => finish('done') };
}
