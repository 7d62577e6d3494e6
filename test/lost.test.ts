/** Runs that a process cannot continue: their store refuses records, it suspends them, or another process holds them. */
import { describe, expect, it } from 'vitest';
import { definePipeline, phase, resumeRun, startRun, task, type Run, memoryStore, readRun } from '../src/index.ts';
import type { RunRecord } from '../src/records.ts';
import type { RunStore } from '../src/store.ts';

const pipeline = definePipeline({
  name: 'line',
  phases: ['a', 'b', 'c'].map((name, index, names) =>
    phase(name, { after: names.slice(Math.max(0, index - 1), index), tasks: [task('t', { run: () => name })] }),
  ),
});

describe('a run whose store refuses records', () => {
  it('shows only stored records, in every view', async () => {
    let batches = 0;
    for (let nth = 1; nth <= batches + 1; nth++) {
      const good = memoryStore();
      let count = 0;
      const store: RunStore = {
        ...good,
        append(batch, lease) {
          count += 1;
          if (count >= nth) throw new Error('full');
          return good.append(batch, lease);
        },
      };
      const run = startRun(pipeline, { store, runId: 'r' });
      const { pushed, pulled, late, result } = await followed(run);
      if (result.status === 'completed') break;
      batches = nth;
      expect(result).toMatchObject({ status: 'failed', pipeline: 'line', error: { code: 'STORE_FAILED' } });
      // The run has stopped, and its result says so.
      expect(Object.values(result.phases).filter(({ status }) => !/approved|skipped|cancelled/u.test(status))).toEqual(
        [],
      );
      expect(run.snapshot()).toMatchObject({ status: 'failed', phases: result.phases, error: result.error });
      const kept = await readRun(good, 'r');
      expect(pushed).toEqual(kept);
      expect(pulled).toEqual(kept);
      expect(late).toEqual(kept.slice(1));
      if (kept.length === 0) continue;

      // A follower gets each number once, and one end.
      const resumed = await resumeRun(good, 'r', pipeline);
      const more = await followed(resumed, kept.length + 1);
      expect(more.result.status).toBe('completed');
      expect([...pushed, ...more.pushed]).toEqual(await readRun(good, 'r'));
    }
    expect(batches).toBeGreaterThan(3);
  });

  it('shows nothing of a run whose id belongs to another', async () => {
    const store = memoryStore();
    await startRun(pipeline, { store, runId: 'r' }).result;
    const { pushed, result } = await followed(startRun(pipeline, { store, runId: 'r' }));
    expect(result).toMatchObject({ status: 'failed', error: { code: 'RUN_EXISTS' } });
    expect(pushed).toEqual([]);
  });
});

describe('a run that its process suspends', () => {
  it('begins no queued phase, even if a report has just made room for one', async () => {
    const store = memoryStore();
    const calls: string[] = [];
    const work = (name: string, act: (report: (progress: string) => void) => void) =>
      phase(name, {
        tasks: [
          task('t', {
            async run({ report }) {
              calls.push(name);
              await Promise.resolve();
              act((progress) => report({ progress }));
              return name;
            },
          }),
        ],
      });
    let isFirst = true;
    const queued = definePipeline({
      name: 'queued',
      concurrency: 1,
      phases: [
        work('a', (report) => {
          if (!isFirst) return;
          isFirst = false;
          report('half');
          run.suspend();
        }),
        work('b', () => undefined),
      ],
    });
    const run: Run = startRun(queued, { store, runId: 'r' });
    expect((await run.result).status).toBe('suspended');
    // Whatever was about to start would have started by now.
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toEqual(['a']);
    expect((await (await resumeRun(store, 'r', queued)).result).status).toBe('completed');
    expect(calls).toEqual(['a', 'a', 'b']);
  });
});

describe('a run that another process has taken over', () => {
  const lost = 'Cannot continue run r as one has lost its lease: ';
  it.each([
    [
      'works on it',
      async (store: RunStore) => void (await store.acquire('r', 'two', 1000)),
      'another process has resumed it, two',
    ],
    ['has let go of it', takeAndLeave, 'another process has resumed it, and has released it again'],
    ['has completed it', complete, 'another process has resumed it, to its end: completed'],
    ['has removed it', async (store: RunStore) => void (await store.remove('r')), 'the run was removed'],
  ])('is reported if the other %s', async (_, take, found) => {
    const clock = { now: 0 };
    const good = memoryStore({ now: () => clock.now });
    let count = 0;
    const store: RunStore = {
      ...good,
      async append(batch, lease) {
        count += 1;
        if (count === 3) {
          clock.now += 60_000;
          await take(good);
        }
        await good.append(batch, lease);
      },
    };
    const { pushed, result } = await followed(startRun(pipeline, { store, runId: 'r', holder: 'one' }));
    expect(result.status).toBe('failed');
    expect(result.error).toMatchObject({ code: 'LEASE_LOST' });
    expect(result.error?.message.split('\n')[0]).toBe(`${lost}${found}; this process has stopped`);
    expect(result.error?.message).toContain('\nNothing needs repair');
    expect(pushed.map(({ event }) => event.type)).not.toContain('run.ended');
  });
});

// --- internal ---

async function takeAndLeave(store: RunStore): Promise<void> {
  await store.release(await store.acquire('r', 'two', 1000));
}

async function complete(store: RunStore): Promise<void> {
  await (
    await resumeRun(store, 'r', pipeline, { holder: 'two' })
  ).result;
}

/** Collects every view of a run: pushed, pulled, and after its end. */
async function followed(run: Run<unknown>, from = 1) {
  const [pushed, pulled, late]: [RunRecord[], RunRecord[], RunRecord[]] = [[], [], []];
  const completed = new Promise<void>((resolve) => {
    run.eventsFrom(from).subscribe({ next: (record) => pushed.push(record), complete: resolve });
  });
  const pulling = (async () => {
    for await (const record of run) if (record.seq >= from) pulled.push(record);
  })();
  const result = await run.result;
  await Promise.all([completed, pulling]);
  await new Promise<void>((resolve) => {
    run.eventsFrom(from + 1).subscribe({ next: (record) => late.push(record), complete: resolve });
  });
  return { pushed, pulled, late, result };
}
