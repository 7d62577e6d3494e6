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
import { lineStore } from './line-store.ts';
import { heapPerRun } from './memory.ts';
import { median } from './measure.ts';
import { chain } from './work.ts';

/** Prints the table as Markdown. */
export async function benchMany(): Promise<void> {
  mkdirSync('out', { recursive: true });
  const folder = mkdtempSync(join('out', 'bench-'));
  let files = 0;
  async function withStore<T>(measure: (store: RunStore) => Promise<T>): Promise<T> {
    const store = sqliteStore(join(folder, `${files++}.db`));
    const figure = await measure(store);
    await store.close();
    return figure;
  }
  try {
    await withStore((store) => atOnce(store, 100));
    const together = await withStore((store) => atOnce(store, 1000));
    const alone = await withStore((store) => oneByOne(store, 300, corrected));
    const lines = lineStore(join(folder, 'lines'), 1000);
    const pairs = await withStore((store) => inTurns(store, lines));
    await lines.close();
    const held = await withStore((store) => heapPerRun(1000, store));
    console.log('\n| stored runs | |\n| --- | ---: |');
    console.log(`| 1000 of 3 phases at once, runs per second | ${together.toFixed(0)} |`);
    console.log(`| 300 of 3 phases one by one, runs per second | ${alone.toFixed(0)} |`);
    for (const [what, turns] of pairs) {
      const ones = turns.map(([one]) => one);
      const floors = turns.map(([, floor]) => floor);
      console.log(`| one by one, warm, ${what}, runs per second: median, most | ${span(ones)} |`);
      console.log(`| the same with lines of a synced file | ${span(floors)} |`);
      console.log(
        `| time of the first over the second, median | ${median(turns.map(([one, floor]) => floor / one)).toFixed(2)} |`,
      );
    }
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

/** Runs per second in a store and in lines of a synced file, in 30 turns of 50 runs each: with a correction and without. */
async function inTurns(store: RunStore, lines: RunStore): Promise<[string, [number, number][]][]> {
  const pairs: [string, [number, number][]][] = [];
  for (const [what, pipeline] of [
    ['with a correction', corrected],
    ['without', approved],
  ] as const) {
    const taken: [number, number][] = [];
    for (let nth = 0; nth < 48; nth++)
      taken.push([await oneByOne(store, 50, pipeline), await oneByOne(lines, 50, pipeline)]);
    // The first 18 warm up.
    pairs.push([what, taken.slice(18)]);
  }
  return pairs;
}

/** The median and the most of some figures. Most is what the machine can do if it is at rest for a moment. */
function span(figures: readonly number[]): string {
  return `${median(figures).toFixed(0)}, ${Math.max(...figures).toFixed(0)}`;
}

async function oneByOne(store: RunStore, runs: number, pipeline: Pipeline): Promise<number> {
  const before = performance.now();
  for (let nth = 0; nth < runs; nth++) await complete(store, pipeline);
  return (runs * 1000) / (performance.now() - before);
}
