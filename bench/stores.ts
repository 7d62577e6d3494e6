/**
 * Benchmark of stores: SQLite in a file, and PostgreSQL on the same machine and disk.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { approve, createWorker, definePipeline, human, phase, startRun, submitRun, task } from 'phasegate';
import { answerItem } from 'phasegate/inbox';
import { postgresStore } from 'phasegate/postgres';
import { sqliteStore } from 'phasegate/sqlite';
import type { RunStore } from 'phasegate/store';
import { serverMissing, startServer } from '../test/postgres/server.ts';
import { pipelineOf } from './engines.ts';
import { attemptsOf, chain, fanOut } from './work.ts';

/** Prints the table as Markdown. @param runs The number of runs of the workers. */
export async function benchStores(runs = 400): Promise<void> {
  mkdirSync('out', { recursive: true });
  const folder = mkdtempSync(join('out', 'bench-'));
  const missing = serverMissing();
  if (missing !== undefined) console.log(`Without PostgreSQL: ${missing}`);
  const server = missing === undefined ? await startServer() : undefined;
  try {
    const file = join(folder, 'runs.sqlite');
    const columns = [await measured(sqliteStore(file), file, folder, runs)];
    if (server)
      columns.push(await measured(postgresStore({ connectionString: server.address }), server.address, folder, runs));
    console.log(
      `\n| | SQLite |${server ? ' PostgreSQL | ratio |' : ''}\n| --- | ---: |${server ? ' ---: | ---: |' : ''}`,
    );
    for (const name of Object.keys(columns[0] ?? {})) {
      const values = columns.map((column) => column[name] ?? NaN);
      const [first = NaN, second] = values;
      const ratio = second === undefined ? [] : [first > 0 ? (second / first).toFixed(2) : ''];
      console.log(`| ${[name, ...values.map((value) => value.toFixed(value < 10 ? 1 : 0)), ...ratio].join(' | ')} |`);
    }
  } finally {
    await server?.remove();
    rmSync(folder, { recursive: true });
  }
}

// --- internal ---

type Column = Readonly<Record<string, number>>;

async function measured(store: RunStore, name: string, folder: string, runs: number): Promise<Column> {
  const column: Record<string, number> = {};
  for (const shape of [chain(500), fanOut(500)]) {
    const begun = performance.now();
    const { result } = startRun(pipelineOf(shape), { store });
    await result;
    column[`${shape.name} of 500 phases, µs per attempt`] = ((performance.now() - begun) / attemptsOf(shape)) * 1000;
  }
  const begun = performance.now();
  await Promise.all(Array.from({ length: 200 }, () => startRun(pipelineOf(chain(3)), { store }).result));
  column['200 runs of 3 phases at once in one process, runs per second'] = 200_000 / (performance.now() - begun);
  for (const count of [1, 4])
    column[`${count === 1 ? 'one worker' : `${count} workers`}, runs of 3 phases per second`] = await withWorkers(
      { store, name, folder, runs },
      count,
    );
  Object.assign(column, await whileWaiting(store));
  await store.close();
  return column;
}

const WAITING = 10_000;

/** Measures a worker while many runs wait for people. */
async function whileWaiting(store: RunStore): Promise<Column> {
  const draft = phase('draft', { tasks: [task('work', { run: () => 1 })], review: human({ question: 'Good?' }) });
  const pipeline = definePipeline({ name: 'waiting', phases: [draft] });
  const starting = Array.from({ length: 20 }, async () => {
    for (let run = 0; run < WAITING / 20; run += 1) await startRun(pipeline, { store, whileWaiting: 'suspend' }).result;
  });
  await Promise.all(starting);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const seen = { looks: 0 };
  const counted: RunStore = {
    ...store,
    ready(...given) {
      seen.looks += 1;
      return store.ready(...given);
    },
  };
  const worker = createWorker(counted, [pipeline]);
  while (seen.looks < 20) await new Promise((resolve) => setTimeout(resolve, 50));
  globalThis.gc?.();
  const heap = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  const begun = performance.now();
  for (let look = 0; look < 100; look += 1) await store.ready([pipeline.name], 10);
  const look = (performance.now() - begun) / 100;
  const waits: number[] = [];
  for (const { id, runId } of (await store.inbox({ open: true })).slice(0, ANSWERS)) {
    const asked = performance.now();
    await answerItem(store, id, { type: 'decide', decision: approve() });
    while ((await store.run(runId))?.status !== 'completed') await new Promise((resolve) => setTimeout(resolve, 2));
    waits.push(performance.now() - asked);
  }
  await worker.stop();
  return {
    [`${WAITING} waiting runs: a look for ready ones, ms`]: look,
    [`${WAITING} waiting runs: from an answer to the end of its run, ms`]:
      waits.toSorted((a, b) => a - b)[ANSWERS / 2] ?? NaN,
    [`${WAITING} waiting runs: memory of a worker, MB`]: Math.max(0, heap),
  };
}

/** Answers of which the median is taken. */
const ANSWERS = 20;

interface Place {
  readonly store: RunStore;
  /** As `--store` takes it. */
  readonly name: string;
  readonly folder: string;
  readonly runs: number;
}

/** @returns Completed runs per second, from the first record of a worker to the last. */
async function withWorkers({ store, name, folder, runs }: Place, count: number): Promise<number> {
  const pipeline = join(folder, `p${count}.mjs`);
  writeFileSync(pipeline, sourceOf(`bench-${count}`));
  for (let run = 0; run < runs; run += 1) await submitRun(store, three(`bench-${count}`));
  const workers = Array.from({ length: count }, () =>
    spawn(process.execPath, ['dist/cli/main.js', 'work', pipeline, '--store', name, '--concurrency', '20'], {
      stdio: 'ignore',
    }),
  );
  const filter = { pipeline: `bench-${count}`, status: ['completed'] } as const;
  while ((await store.runs(filter)).length < runs) await new Promise((resolve) => setTimeout(resolve, 500));
  for (const worker of workers) worker.kill('SIGTERM');
  const ended = await store.runs(filter);
  const begun = await Promise.all(ended.map(async ({ runId }) => (await store.read(runId, 2, 1))[0]?.time ?? NaN));
  return (runs * 1000) / (Math.max(...ended.map(({ updatedAt }) => updatedAt)) - Math.min(...begun));
}

/** The pipeline that the workers load. */
function three(name: string) {
  const one = (id: string, after: readonly string[]) =>
    phase(id, {
      after,
      tasks: [task('work', { run: () => Promise.resolve(id) })],
      review: task('reviewer', { run: () => Promise.resolve(approve()) }),
    });
  return definePipeline({ name, phases: [one('a', []), one('b', ['a']), one('c', ['b'])] });
}

function sourceOf(name: string): string {
  return `
import { approve, definePipeline, phase, task } from 'phasegate';
const one = (id, after) => phase(id, {
  after,
  tasks: [task('work', { run: async () => id })],
  review: task('reviewer', { run: async () => approve() }),
});
const a = one('a', []);
const b = one('b', [a]);
export default definePipeline({ name: '${name}', phases: [a, b, one('c', [b])] });
`;
}
