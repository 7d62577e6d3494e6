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
  human,
  memoryStore,
  phase,
  PhasegateError,
  resumeAll,
  resumeRun,
  startRun,
  task,
  type Run,
} from '../../src/index.ts';
import { patientStore } from '../../src/runtime/records/patient-store.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import type { RunStore } from '../../src/store.ts';
import { connect, type Database } from '../../src/store/sqlite/driver.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';

let folder = '';
let file = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phasegate-busy-'));
  file = join(folder, 'runs.sqlite');
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

describe('a run whose store another process keeps locked', () => {
  it('completes once the process lets go, and blocks no turn for longer than one statement', async () => {
    const { store, refusals, refused } = await watched();
    const child = spawn(process.execPath, ['--import', 'jiti/register', CHILD, 'hold', file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const runs = Array.from({ length: 20 }, (_, index) => startRun(pair(), { store, runId: `r${index}` }));
    await refused(6);
    child.kill('SIGKILL');
    await once(child, 'exit');
    for (const { result } of runs) expect((await result).status).toBe('completed');
    // Twenty runs wait, and one statement was tried in each turn.
    expect(new Set(refusals).size).toBe(refusals.length);
  });

  it('loses no heartbeat and no record of work in progress', async () => {
    const { store, refused } = await watched();
    const run = startRun(pair({ first: () => hold() }), { store, runId: 'r' });
    await refused(3);
    letGo();
    expect((await run.result).status).toBe('completed');
    const records = await store.read('r');
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1));
  });

  it('stops when its lease may be over, and can be resumed', async () => {
    const { store, refused } = await watched();
    const run = startRun(pair({ first: () => hold() }), { store, runId: 'r' });
    await refused(3);
    const later = Date.now() + 31_000;
    vi.spyOn(Date, 'now').mockReturnValue(later);
    const { status, error } = await run.result;
    expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'STORE_FAILED' });
    expect(error?.message).toContain('End the program that keeps the store locked');
    expect(error?.cause).toContain('is locked by another process');
    letGo();
    expect(await store.run('r')).toMatchObject({ status: 'running' });
    const resumed = await resumeRun(store, 'r', pair());
    expect((await resumed.result).status).toBe('completed');
  });

  it('begins no work when its lease may be over and cannot be renewed', async () => {
    const { store, refused } = await watched();
    let began = false;
    const first = () => {
      const now = Date.now();
      const append = store.append;
      // The records of the end of this task are stored. Afterwards the lease is over, and the store is locked.
      vi.spyOn(store, 'append').mockImplementationOnce((batch, lease) => {
        void append(batch, lease);
        hold();
        vi.spyOn(Date, 'now').mockReturnValue(now + 31_000);
      });
    };
    const run = startRun(pair({ first, second: () => (began = true) }), { store, runId: 'r' });
    await refused(1);
    const { error } = await run.result;
    expect(error?.message).toContain('its store does not renew it');
    expect(began).toBe(false);
    letGo();
    expect((await (await resumeRun(store, 'r', pair())).result).status).toBe('completed');
  });
});

describe('others that use a store which another process keeps locked', () => {
  it('answer an item once the process lets go', async () => {
    const { store, refused } = await watched();
    const asking = definePipeline({
      name: 'ask',
      phases: [phase('a', { tasks: [task('t', { run: human({ question: 'Well?' }) })] })],
    });
    const run = startRun(asking, { store, runId: 'r', attended: true });
    await vi.waitFor(async () => expect(await store.inbox({ open: true })).toHaveLength(1));
    const [item] = await store.inbox({ open: true });
    hold();
    const answered = answerItem(store, item?.id ?? '', { type: 'value', value: 'Yes.' });
    await refused(2);
    letGo();
    await answered;
    expect((await run.result).status).toBe('completed');
  });

  it('resume all runs, and serve the dashboard, once the process lets go', async () => {
    const { store, refused } = await watched();
    const run: Run = startRun(pair({ first: () => run.suspend() }), { store, runId: 'r' });
    expect((await run.result).status).toBe('suspended');
    hold();
    const resuming = resumeAll(store, [pair()]);
    await refused(2);
    letGo();
    const { runs, failed } = await resuming;
    expect(failed).toEqual([]);
    expect((await runs[0]?.result)?.status).toBe('completed');
  });

  it('open it, read it and serve it once the process lets go of everything', async () => {
    // The only connection may take it all: nobody else can even read.
    holder = openDatabase({ path: file, readOnly: false });
    holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE');
    const { store, refused, refusals } = await watched();
    expect(() => store.runs()).toThrow(expect.objectContaining({ code: 'STORE_BUSY' }));
    const dashboard = await serveDashboard(store);
    onTestFinished(() => dashboard.close());
    const { origin, searchParams } = new URL(dashboard.url);
    const cookie = await fetch(dashboard.url, { redirect: 'manual' }).then((answer) =>
      answer.headers.get('set-cookie'),
    );
    expect(searchParams.get('token')).not.toBeNull();
    const before = refusals.length;
    const asked = fetch(`${origin}/api/runs`, { headers: { cookie: cookie?.split(';')[0] ?? '' } });
    const listed = patientStore(store).runs();
    await refused(before + 3);
    holder.exec('ROLLBACK; PRAGMA locking_mode = NORMAL; SELECT count(*) FROM runs');
    expect(await listed).toEqual([]);
    expect((await asked).status).toBe(200);
  });
});

// --- internal ---

const CHILD = fileURLToPath(new URL('../store/child.ts', import.meta.url));

let holder: Database | undefined;

/** Takes the lock for writers by another connection. */
function hold(): void {
  holder = connect(file, { readOnly: false });
  holder.exec('BEGIN IMMEDIATE');
}

function letGo(): void {
  holder?.close();
  holder = undefined;
}

function pair({ first, second }: { first?: () => unknown; second?: () => unknown } = {}) {
  return definePipeline({
    name: 'pair',
    phases: [
      phase('first', { tasks: [task('t', { run: async () => String(first?.()) })] }),
      phase('second', { after: ['first'], tasks: [task('t', { run: async () => String(second?.()) })] }),
    ],
  });
}

/** A store in the file, with the number of the turn in which each statement was refused. */
async function watched(): Promise<{
  readonly store: RunStore;
  readonly refusals: readonly number[];
  readonly refused: (count: number) => Promise<void>;
}> {
  const inner = sqliteStore(file, { now: () => Date.now() });
  let turn = 0;
  let isCounting = true;
  const count = () => {
    turn += 1;
    if (isCounting) setImmediate(count);
  };
  count();
  onTestFinished(async () => {
    isCounting = false;
    letGo();
    await inner.close();
  });
  const refusals: number[] = [];
  const noted =
    <A extends readonly unknown[], T>(call: (...given: A) => T) =>
    (...given: A): T => {
      try {
        return call(...given);
      } catch (error) {
        if (PhasegateError.is(error) && error.code === 'STORE_BUSY') refusals.push(turn);
        throw error;
      }
    };
  const { append } = inner;
  const all = append.all && noted(append.all);
  const store: RunStore = {
    ...inner,
    append: Object.assign(noted(append), { all }),
    runs: noted((...given) => inner.runs(...given)),
    acquire: noted((...given) => inner.acquire(...given)),
    renew: noted((...given) => inner.renew(...given)),
    post: noted((...given) => inner.post(...given)),
  };
  return {
    store,
    refusals,
    async refused(least) {
      while (refusals.length < least) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('a refusal whose timer never comes, as that of a test with other timers', () => {
  it.each(['behind', 'ahead'])(
    'holds back no store once the timers are those of the platform, and its clock is %s',
    async (where) => {
      const real = performance.now();
      vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate', 'performance'], now: real });
      if (where === 'ahead') vi.advanceTimersByTime(1e9);
      const busy: Pick<RunStore, 'run'> = {
        run() {
          throw new PhasegateError('STORE_BUSY', 'Cannot look');
        },
      };
      void patientStore({ ...memoryStore(), ...busy }).run('r');
      vi.useRealTimers();
      await vi.waitFor(async () => expect(await patientStore(memoryStore()).runs()).toEqual([]), { timeout: 20_000 });
    },
  );
});
