/**
 * Benchmark of many stored runs in one process, with SQLite in a file in the working folder.
 *
 * @module
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { definePipeline, phase, startRun, task, type Pipeline } from 'phasegate';
import { sqliteStore } from 'phasegate/sqlite';
import type { RunStore } from 'phasegate/store';
import { pipelineOf } from './engines.ts';
import { heapPerRun } from './memory.ts';
import { chain } from './work.ts';

/** Prints the table as Markdown. */
export async function benchMany(): Promise<void> {
  mkdirSync('out', { recursive: true });
  const folder = mkdtempSync(join('out', 'bench-'));
  let files = 0;
  async function withStore(measure: (store: RunStore) => Promise<number>): Promise<number> {
    const store = sqliteStore(join(folder, `${files++}.db`));
    const figure = await measure(store);
    await store.close();
    return figure;
  }
  try {
    await withStore((store) => atOnce(store, 100));
    const together = await withStore((store) => atOnce(store, 1000));
    const alone = await withStore((store) => oneByOne(store, 300, corrected));
    const warm = await withStore(async (store) => {
      for (let nth = 0; nth < 4; nth++) await oneByOne(store, 500, approved);
      return oneByOne(store, 1000, approved);
    });
    const held = await withStore((store) => heapPerRun(1000, store));
    console.log('\n| stored runs | |\n| --- | ---: |');
    console.log(`| 1000 of 3 phases at once, runs per second | ${together.toFixed(0)} |`);
    console.log(`| 300 of 3 phases one by one, runs per second | ${alone.toFixed(0)} |`);
    console.log(`| 1000 without a correction one by one, after 2000 others, runs per second | ${warm.toFixed(0)} |`);
    console.log(`| heap of a run of 5 phases at work in its third, KB | ${(held / 1024).toFixed(1)} |`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// --- internal ---

/** Its first phase is sent back once. */
const corrected = pipelineOf(chain(3));

/** Every phase is approved at its first attempt. */
const approved = definePipeline({
  name: 'approved',
  phases: chain(3).after.map((sources, index) =>
    phase(`p${index}`, {
      after: sources.map((source) => `p${source}`),
      tasks: [task('work', { run: async () => index })],
      review: async () => 'APPROVE',
    }),
  ),
});

async function complete(store: RunStore, pipeline: Pipeline): Promise<void> {
  const { status } = await startRun(pipeline, { store }).result;
  if (status !== 'completed') throw new Error(`The run ended ${status}`);
}

async function atOnce(store: RunStore, runs: number): Promise<number> {
  const before = performance.now();
  await Promise.all(Array.from({ length: runs }, () => complete(store, corrected)));
  return (runs * 1000) / (performance.now() - before);
}

async function oneByOne(store: RunStore, runs: number, pipeline: Pipeline): Promise<number> {
  const before = performance.now();
  for (let nth = 0; nth < runs; nth++) await complete(store, pipeline);
  return (runs * 1000) / (performance.now() - before);
}
