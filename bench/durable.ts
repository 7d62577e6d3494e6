/**
 * Benchmark of storing and resuming runs, with SQLite in a file in the working folder.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { closeSync, fdatasyncSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startRun, type Pipeline } from 'phasegate';
import { sqliteStore } from 'phasegate/sqlite';
import { phasegate, pipelineOf } from './engines.ts';
import { lineStore } from './line-store.ts';
import { median } from './measure.ts';
import { attemptsOf, chain, fanOut } from './work.ts';

/** Prints the tables as Markdown. */
export async function benchDurable(): Promise<void> {
  mkdirSync('out', { recursive: true });
  const folder = mkdtempSync(join('out', 'bench-'));
  try {
    console.log(`\nfdatasync of the same disk: ${fdatasyncMicros(join(folder, 'raw')).toFixed(0)} µs\n`);
    console.log(
      '| shape | phases | in memory, wall µs per attempt | kept, wall µs per attempt | batches | bytes per attempt |',
    );
    console.log('| --- | ---: | ---: | ---: | ---: | ---: |');
    for (const shape of [chain(1000), fanOut(1000), chain(10_000), fanOut(10_000)]) {
      const attempts = attemptsOf(shape);
      const pipeline = pipelineOf(shape);
      const times = shape.after.length > 1000 ? 1 : 5;
      const memory = await wallMicros(phasegate(pipeline), times);
      const kept: Kept[] = [];
      const micros = await wallMicros(
        async (nth) => kept.push(await inFile(pipeline, join(folder, `${shape.name}-${shape.after.length}-${nth}`))),
        times,
      );
      const [{ batches, bytes } = { batches: 0, bytes: 0 }] = kept;
      const cells = [
        shape.name,
        shape.after.length,
        (memory / attempts).toFixed(0),
        (micros / attempts).toFixed(0),
        batches,
      ];
      console.log(`| ${[...cells, (bytes / attempts).toFixed(0)].join(' | ')} |`);
    }
    console.log(
      '\n| 1000 phases whose batches are lines of | chain, wall µs per attempt | fan-out |\n| --- | ---: | ---: |',
    );
    for (const [what, pages] of [
      ['a file that grows with them', 0],
      ['a file that has its pages already', 1000],
    ] as const) {
      const cells: string[] = [];
      for (const shape of [chain(1000), fanOut(1000)]) {
        const micros = await wallMicros(
          (nth) => inLines(pipelineOf(shape), join(folder, `lines-${shape.name}-${pages}-${nth}`), pages),
          5,
        );
        cells.push((micros / attemptsOf(shape)).toFixed(0));
      }
      console.log(`| ${what} | ${cells.join(' | ')} |`);
    }
    const taken = [1, 2, 3].map(() => resumeMs(join(folder, 'left'), 10_000));
    console.log(`\nResuming a run with 10000 phases committed, in a fresh process: ${median(taken).toFixed(0)} ms`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// --- internal ---

interface Kept {
  readonly batches: number;
  readonly bytes: number;
}

/** Measures a write of one page with fdatasync. @returns The median in microseconds. */
function fdatasyncMicros(file: string): number {
  const fd = openSync(file, 'w');
  const page = Buffer.alloc(4096, 1);
  const taken = Array.from({ length: 300 }, () => {
    writeSync(fd, page);
    const before = performance.now();
    fdatasyncSync(fd);
    return (performance.now() - before) * 1000;
  });
  closeSync(fd);
  return median(taken);
}

/** Measures the wall time of runs after as many warm-up runs. @returns The median in microseconds. */
async function wallMicros(run: (nth: number) => Promise<unknown>, times: number): Promise<number> {
  const taken: number[] = [];
  for (let nth = -times; nth < times; nth++) {
    const before = performance.now();
    // Runs one after the other, as parallel runs would disturb each other.
    await run(nth + times);
    if (nth >= 0) taken.push((performance.now() - before) * 1000);
  }
  return median(taken);
}

async function inFile(pipeline: Pipeline, file: string): Promise<Kept> {
  const good = sqliteStore(file);
  let batches = 0;
  const store: typeof good = {
    ...good,
    append(batch, lease) {
      batches += 1;
      return good.append(batch, lease);
    },
  };
  const { status } = await startRun(pipeline, { store, runId: 'r' }).result;
  if (status !== 'completed') throw new Error(`The run ended ${status}`);
  await store.close();
  return { batches, bytes: statSync(file).size };
}

async function inLines(pipeline: Pipeline, path: string, pages: number): Promise<void> {
  const store = lineStore(path, pages);
  const { status } = await startRun(pipeline, { store, runId: 'r' }).result;
  await store.close();
  if (status !== 'completed') throw new Error(`The run ended ${status}`);
}

/** Measures a resume in another process. @returns Milliseconds from opening the store to the start of the next task. */
function resumeMs(file: string, phases: number): number {
  const program = fileURLToPath(new URL('resume.ts', import.meta.url));
  const run = (what: string) =>
    execFileSync(process.execPath, ['--import', 'jiti/register', program, what, file, String(phases)], {
      encoding: 'utf8',
    });
  run('leave');
  const taken = Number(run('resume'));
  rmSync(file);
  return taken;
}
