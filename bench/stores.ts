/**
 * Benchmark of stores: SQLite in a file, and PostgreSQL and Restate on the same machine and disk.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { approve, createWorker, definePipeline, phase, startRun, submitRun, task } from 'phasegate';
import { answerItem } from 'phasegate/inbox';
import { postgresStore } from 'phasegate/postgres';
import { restateRuns } from 'phasegate/restate';
import { sqliteStore } from 'phasegate/sqlite';
import type { RunStore } from 'phasegate/store';
import { serverMissing, startServer } from '../test/postgres/server.ts';
import {
  serverMissing as restateMissing,
  startRestate,
  startWorker as startRestateWorker,
} from '../test/restate/server.ts';
import { pipelineOf } from './engines.ts';
import { collection, waits } from './waiting.ts';
import { attemptsOf, chain, fanOut, type Shape } from './work.ts';

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
    const withoutRestate = restateMissing();
    if (withoutRestate !== undefined) console.log(`Without Restate: ${withoutRestate}`);
    const heads = ['SQLite', ...(server ? ['PostgreSQL', 'ratio'] : [])];
    if (withoutRestate === undefined) {
      columns.push(await onRestate());
      heads.push('Restate', 'ratio');
    }
    console.log(`\n| | ${heads.join(' | ')} |\n| --- |${heads.map(() => ' ---: |').join('')}`);
    for (const name of Object.keys(columns[0] ?? {})) {
      const [first = NaN, ...others] = columns.map((column) => column[name]);
      const cells = others.flatMap((value) => [shown(value), value === undefined ? '' : (value / first).toFixed(2)]);
      console.log(`| ${[name, shown(first), ...cells].join(' | ')} |`);
    }
  } finally {
    await server?.remove();
    rmSync(folder, { recursive: true });
  }
}

// --- internal ---

type Column = Readonly<Record<string, number>>;

const CHAIN = 'chain of 50 phases, µs per attempt';
const AT_ONCE = '200 runs of 3 phases at once in one process, runs per second';

function shown(value: number | undefined): string {
  return value === undefined ? '' : value.toFixed(value < 10 ? 1 : 0);
}

/** Measures a server of Restate with one worker in this process, without a copy in a store. */
async function onRestate(): Promise<Column> {
  const server = await startRestate({ RESTATE_LOG_FILTER: 'error' });
  const [long, short] = [chain(50), { ...chain(3), name: 'short' }];
  const worker = await startRestateWorker({ pipelines: [pipelineOf(long), pipelineOf(short)] });
  await server.register(worker.uri);
  const runs = restateRuns({ ingress: server.ingress });
  const complete = async (shape: Shape, runId: string): Promise<void> => {
    await runs.start(pipelineOf(shape), { runId });
    while ((await runs.get(runId)).status !== 'completed') await new Promise((resolve) => setTimeout(resolve, 100));
  };
  const begun = performance.now();
  await complete(long, 'long');
  const between = performance.now();
  await Promise.all(Array.from({ length: 200 }, (_, at) => complete(short, `r${at}`)));
  const ended = performance.now();
  await worker.stop();
  await server.remove();
  return { [CHAIN]: ((between - begun) / attemptsOf(long)) * 1000, [AT_ONCE]: 200_000 / (ended - between) };
}

async function measured(store: RunStore, name: string, folder: string, runs: number): Promise<Column> {
  const column: Record<string, number> = {};
  for (const shape of [chain(50), chain(500), fanOut(500)]) {
    const begun = performance.now();
    const { result } = startRun(pipelineOf(shape), { store });
    await result;
    column[`${shape.name} of ${shape.after.length} phases, µs per attempt`] =
      ((performance.now() - begun) / attemptsOf(shape)) * 1000;
  }
  const begun = performance.now();
  await Promise.all(Array.from({ length: 200 }, () => startRun(pipelineOf(chain(3)), { store }).result));
  column[AT_ONCE] = 200_000 / (performance.now() - begun);
  for (const count of [1, 4])
    column[`${count === 1 ? 'one worker' : `${count} workers`}, runs of 3 phases per second`] = await withWorkers(
      { store, name, folder, runs },
      count,
    );
  Object.assign(column, await withWaitingChildren(store, runs));
  await store.close();
  return column;
}

/** Measures a worker in this process, whose runs have runs of tasks that wait for a person. */
async function withWaitingChildren(store: RunStore, runs: number): Promise<Column> {
  for (let run = 0; run < runs; run += 1) await submitRun(store, collection, { attended: true });
  const known = new Set<string>();
  const [suspended, completed] = [waits(runs), waits(runs)];
  const begun = performance.now();
  const worker = createWorker(store, [collection], {
    concurrency: 20,
    onDone({ id }, { status }) {
      if (status === 'completed') return completed.note();
      // A run may be suspended again before its answer.
      if (!known.has(id)) suspended.note();
      known.add(id);
    },
  });
  await suspended.done;
  const between = performance.now();
  for (const { id } of await store.inbox({ open: true }))
    await answerItem(store, id, { type: 'decide', decision: approve() });
  await completed.done;
  const ended = performance.now();
  await worker.stop();
  return {
    'one worker, runs with a run that begins to wait, per second': (runs * 1000) / (between - begun),
    'one worker, runs with a run that is answered, per second': (runs * 1000) / (ended - between),
  };
}

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
