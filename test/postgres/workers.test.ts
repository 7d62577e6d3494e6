/** Workers that claim runs of a database: in this process, and on a server. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  approve,
  createWorker,
  definePipeline,
  human,
  phase,
  startRun,
  submitRun,
  task,
  type Pipeline,
  type Worker,
  type WorkerOptions,
} from '../../src/index.ts';
import { answerItem } from '../../src/inbox.ts';
import { workKey } from '../../src/model/handlers/work-key.ts';
import { postgresStore } from '../../src/postgres.ts';
import type { RunStore } from '../../src/store.ts';
import { startPglite } from './pglite.ts';
import { serverMissing, startServer } from './server.ts';

const workers: Worker[] = [];
const stores: RunStore[] = [];
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  for (const store of stores.splice(0)) await store.close();
});

/** Starts a worker, which is stopped after the test. */
function employ(store: RunStore, pipelines: readonly Pipeline<unknown>[], options: WorkerOptions = {}) {
  const begun: string[] = [];
  const done: string[] = [];
  const failed: string[] = [];
  const worker = createWorker(store, pipelines, {
    onRun: ({ id }) => begun.push(id),
    onDone: ({ id }, { status }) => done.push(`${id} ${status}`),
    onFailed: ({ runId, error }) => failed.push(`${runId} ${String(Reflect.get(Object(error), 'code'))}`),
    ...options,
  });
  workers.push(worker);
  return { worker, begun, done, failed };
}

/** Resolves when a condition holds. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** A store, and the ids of runs that callers have asked it for by `acquire`. */
function noted(store: RunStore): { readonly store: RunStore; readonly acquired: string[] } {
  const acquired: string[] = [];
  return {
    acquired,
    store: {
      ...store,
      acquire(runId, ...given) {
        // Others are the presence of workers, and places of pools.
        if (!runId.startsWith(':')) acquired.push(runId);
        return store.acquire(runId, ...given);
      },
    },
  };
}

/** A pipeline with one task. `works` has the runs for which it was called. */
function working(version = '1', name = 'essay') {
  const works: string[] = [];
  const step = task('step', { run: ({ run }) => void works.push(run) });
  return { works, pipeline: definePipeline({ name, version, phases: [phase('draft', { tasks: [step] })] }) };
}

/** A pipeline with one task, and a person who reviews it. */
function reviewed(name: string) {
  const works: string[] = [];
  const write = task('write', { run: ({ run }) => void works.push(run) });
  const draft = phase('draft', { tasks: [write], review: human({ question: 'Good?' }) });
  return { works, pipeline: definePipeline({ name, phases: [draft] }) };
}

interface Place {
  readonly open: (schema: string) => RunStore;
  readonly close: () => Promise<void>;
}

const missing = serverMissing();
const places: readonly (readonly [name: string, missing: string | undefined, start: () => Promise<Place>])[] = [
  [
    'PGlite',
    undefined,
    async () => {
      const engine = await startPglite();
      return { open: (schema) => postgresStore({ pool: engine.pool, schema }), close: () => engine.close() };
    },
  ],
  [
    `a server${missing === undefined ? '' : ` (${missing})`}`,
    missing,
    async () => {
      const server = await startServer();
      return {
        open: (schema) => postgresStore({ connectionString: server.address, schema }),
        close: () => server.remove(),
      };
    },
  ],
];

for (const [name, why, start] of places)
  describe.skipIf(why)(`workers on ${name}`, () => {
    let place: Place;
    beforeAll(async () => {
      place = await start();
    }, 120_000);
    afterAll(() => place.close());

    let schemas = 0;
    /** Opens stores of a new place. */
    function open(count: number): readonly RunStore[] {
      const schema = `w${(schemas += 1)}`;
      const opened = Array.from({ length: count }, () => place.open(schema));
      stores.push(...opened);
      return opened;
    }

    it('share runs, and never ask for a run that another one has', async () => {
      const [store, ...others] = open(4);
      if (!store) throw new Error('There is no store.');
      const { works, pipeline } = reviewed('essay');
      const ids = Array.from({ length: 24 }, (_, at) => `run-${at}`);
      for (const runId of ids) await submitRun(store, pipeline, { runId });
      const teams = others.map((one) => {
        const { store: asked, acquired } = noted(one);
        return { ...employ(asked, [pipeline], { concurrency: 4 }), acquired };
      });
      await until(() => teams.flatMap(({ done }) => done).length === ids.length);
      for (const { id } of await store.inbox({ open: true }))
        await answerItem(store, id, { type: 'decide', decision: approve() });
      await until(async () => (await store.runs({ status: ['completed'] })).length === ids.length);
      expect(works.toSorted()).toEqual(ids.toSorted());
      expect(teams.flatMap(({ acquired }) => acquired)).toEqual([]);
      expect(teams.flatMap(({ failed }) => failed)).toEqual([]);
    });

    it('begin with the run that was started first', async () => {
      const [store] = open(1);
      if (!store) throw new Error('There is no store.');
      const [one, two] = [working('1', 'one'), working('1', 'two')];
      const ids = ['d', 'a', 'c', 'b', 'e'];
      for (const [at, runId] of ids.entries())
        await submitRun(store, at % 2 === 0 ? one.pipeline : two.pipeline, { runId });
      const { begun, done } = employ(store, [two.pipeline, one.pipeline], { concurrency: 1 });
      await until(() => done.length === ids.length);
      expect(begun).toEqual(ids);
    });

    it('take runs with limits of their own, leave those of other versions, and try one of these once', async () => {
      const [store] = open(1);
      if (!store) throw new Error('There is no store.');
      const [one, two, old] = [working('1'), working('2'), working('0')];
      for (const runId of ['old-1', 'old-2', 'old-3']) await submitRun(store, old.pipeline, { runId });
      await submitRun(store, one.pipeline, { runId: 'a' });
      await submitRun(store, two.pipeline, { runId: 'b' });
      await submitRun(store, two.pipeline, { runId: 'c', limits: { attemptsPerPhase: 9 } });
      const { done, failed } = employ(store, [one.pipeline, two.pipeline]);
      await until(() => done.length === 3 && failed.length > 0);
      expect([one.works, two.works.toSorted(), old.works]).toEqual([['a'], ['b', 'c'], []]);
      expect(failed).toEqual(['old-1 RUN_CHANGED']);
      await until(async () => (await store.runs({ leased: true })).length === 0);
      // One at a time, as runs that work at once begin their tasks in any order.
      const older = employ(store, [old.pipeline], { concurrency: 1 });
      await until(() => older.done.length === 3);
      expect(old.works).toEqual(['old-1', 'old-2', 'old-3']);
    });

    it('continue a run together with the one that its task has started, after an answer to that', async () => {
      const [store, asking] = open(2);
      if (!store || !asking) throw new Error('There is no store.');
      const child = reviewed('child');
      const parent = definePipeline({
        name: 'parent',
        phases: [phase('build', { tasks: [task('all', { pipeline: () => child.pipeline })] })],
      });
      await submitRun(asking, parent, { runId: 'p' });
      // A worker has both pipelines, and still takes the child with its parent only.
      const { begun, done, failed } = employ(store, [parent, child.pipeline]);
      await until(() => done.length === 1);
      expect(done).toEqual(['p suspended']);
      const [item] = await asking.inbox({ open: true });
      await answerItem(asking, item?.id ?? '', { type: 'decide', decision: approve() });
      await until(() => done.length === 2);
      expect(done[1]).toBe('p completed');
      expect(begun).toEqual(['p', 'p']);
      expect(child.works).toHaveLength(1);
      expect(failed).toEqual([]);
    });

    it('end a run that nobody waits for, as the one whose task has started it has ended', async () => {
      const [store] = open(1);
      if (!store) throw new Error('There is no store.');
      const { pipeline, works } = working();
      const orphan = workKey(['r', 'build', 0, 0, 'task', 'all']);
      const ended = startRun(pipeline, { store, runId: 'r' });
      await ended.result;
      const records = await store.read('r', 1, 1);
      const [first] = records;
      const run = await store.run('r');
      if (!first || !run) throw new Error('The run is gone.');
      const { lease: _lease, ...info } = run;
      await store.append({
        runId: orphan,
        records: [{ ...first, runId: orphan }],
        info: { ...info, runId: orphan, seq: 1, status: 'running' },
        items: [],
        artifacts: [],
      });
      employ(store, [pipeline]);
      await until(async () => (await store.run(orphan))?.status === 'cancelled');
      expect(works).toEqual(['r']);
    });

    it('give back a run that they claim while they are drained', async () => {
      const [store] = open(1);
      if (!store) throw new Error('There is no store.');
      const { pipeline, works } = working();
      await submitRun(store, pipeline, { runId: 'a' });
      let drained: Promise<void> | undefined;
      const slow: RunStore = {
        ...store,
        async claim(wish) {
          const claimed = await store.claim?.(wish);
          drained ??= worker.drain();
          return claimed;
        },
      };
      const { worker, begun } = employ(slow, [pipeline]);
      await until(() => drained !== undefined);
      await drained;
      expect(begun).toEqual([]);
      expect(works).toEqual([]);
      expect((await store.ready(['essay'], 9)).map(({ runId }) => runId)).toEqual(['a']);
    });
  });
