/**
 * Benchmark of a worker whose runs wait for people: the room that they take, what it asks its store, and how soon it acts on an answer.
 *
 * @module
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { approve, createWorker, definePipeline, human, phase, submitRun, task, type Pipeline } from 'phasegate';
import { answerItem } from 'phasegate/inbox';
import { postgresStore } from 'phasegate/postgres';
import { sqliteStore } from 'phasegate/sqlite';
import type { RunStore } from 'phasegate/store';
import { serverMissing, startServer } from '../test/postgres/server.ts';

const essay = definePipeline({
  name: 'essay',
  phases: [phase('draft', { tasks: [task('write', { run: () => 'text' })], review: human({ question: 'Good?' }) })],
});

/** Each of its runs has a run of another pipeline, which waits for a person. */
export const collection = definePipeline({
  name: 'collection',
  phases: [phase('all', { tasks: [task('one', { pipeline: () => essay })] })],
});

/** Counts down, and resolves `done` at the end. */
export function waits(count: number): { readonly note: () => void; readonly done: Promise<void> } {
  let left = count;
  let finish = (): void => undefined;
  const done = new Promise<void>((resolve) => (finish = resolve));
  return {
    done,
    note() {
      left -= 1;
      if (left === 0) finish();
    },
  };
}

/** Prints a table for each store as Markdown. @param runs The number of runs. */
export async function benchWaiting(runs = 10_000): Promise<void> {
  mkdirSync('out', { recursive: true });
  const folder = mkdtempSync(join('out', 'bench-'));
  try {
    for (const of of [essay, collection])
      await measure('SQLite', sqliteStore(join(folder, `${of.name}.sqlite`)), runs, of);
  } finally {
    rmSync(folder, { recursive: true });
  }
  const missing = serverMissing();
  if (missing !== undefined) return console.log(`Without PostgreSQL: ${missing}`);
  const server = await startServer();
  try {
    for (const of of [essay, collection])
      await measure('PostgreSQL', postgresStore({ connectionString: server.address, schema: of.name }), runs, of);
  } finally {
    await server.remove();
  }
}

// --- internal ---

async function measure(name: string, store: RunStore, runs: number, of: Pipeline<unknown>): Promise<void> {
  try {
    const submitMs = await took(async () => {
      for (let run = 0; run < runs; run++) await submitRun(store, of, { attended: true });
    });
    const suspended = waits(runs);
    const first = createWorker(store, [of], { concurrency: 20, onDone: suspended.note });
    const suspendMs = await took(() => suspended.done);
    await first.stop();
    const before = heapMiB();
    const counted = countCalls(store);
    let taken = (): void => undefined;
    const worker = createWorker(counted.store, [of], { onRun: () => taken() });
    await pause(10_000);
    const calls = counted.calls / 10;
    const heap = heapMiB() - before;
    const latencies: number[] = [];
    for (const { id } of (await store.inbox({ open: true })).slice(0, 40)) {
      const begun = new Promise<void>((resolve) => (taken = resolve));
      // The run before has ended, and the answer comes at any time between two looks of the worker.
      await pause(500 + 225 * Math.random());
      latencies.push(
        await took(async () => {
          await answerItem(store, id, { type: 'decide', decision: approve() });
          await begun;
        }),
      );
    }
    await worker.stop();
    latencies.sort((a, b) => a - b);
    const what = of === essay ? 'one task and one person' : 'a task whose run has them';
    console.log(`\n| ${runs} runs of ${what}, in ${name} |  |\n| --- | ---: |`);
    for (const [fact, value] of [
      ['submitted, runs per second', rate(runs, submitMs)],
      ['begun and suspended by one worker, runs per second', rate(runs, suspendMs)],
      ['heap of an idle worker, MiB', heap.toFixed(1)],
      ['calls of the store by an idle worker, per second', calls.toFixed(1)],
      ['from an answer to the run, median ms', (latencies[20] ?? NaN).toFixed(0)],
      ['from an answer to the run, longest of 40, ms', (latencies.at(-1) ?? NaN).toFixed(0)],
    ])
      console.log(`| ${fact} | ${value} |`);
  } finally {
    await store.close();
  }
}

function rate(count: number, ms: number): string {
  return ((count / ms) * 1000).toFixed(0);
}

async function took(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function heapMiB(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** Counts the calls of the methods of a store. */
function countCalls(store: RunStore): { readonly store: RunStore; readonly calls: number } {
  const counted = {
    calls: 0,
    store: new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]): unknown => {
          counted.calls += 1;
          return Reflect.apply(value, target, given);
        };
      },
    }),
  };
  return counted;
}
