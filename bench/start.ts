/**
 * Benchmark of cold starts: how long a new process takes until it has phasegate, its version, or its first task.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Prints the table as Markdown. */
export function benchStart(): void {
  mkdirSync('out', { recursive: true });
  const folder = resolve(mkdtempSync(join('out', 'bench-')));
  try {
    const least = new Map<string, number>();
    // In turns, as a machine is slower at times.
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, measure] of cases(folder)) least.set(name, Math.min(least.get(name) ?? Infinity, measure()));
    const floor = least.get(FLOOR) ?? 0;
    console.log('\n| a new process until | ms | over `node -e 0` |\n| --- | ---: | ---: |');
    for (const [name, ms] of least) console.log(`| ${name} | ${ms.toFixed(0)} | ${(ms - floor).toFixed(0)} |`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// --- internal ---

const ROUNDS = 15;
const FLOOR = 'it ends, `node -e 0`';
const PROGRAM = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** The measurements, each of which returns milliseconds. */
function cases(folder: string): readonly (readonly [string, () => number])[] {
  const file = join(folder, 'pipeline.mjs');
  const began = join(folder, 'began');
  writeFileSync(file, pipelineThatNotes(began));
  return [
    [FLOOR, () => untilEnd(['-e', '0'])],
    ['it has imported `phasegate`', () => untilEnd(['--input-type=module', '-e', "import 'phasegate'"])],
    ['`phasegate --version` ends', () => untilEnd([PROGRAM, '--version'])],
    [
      'the first task of `phasegate run` begins',
      () => {
        const before = now();
        untilEnd([PROGRAM, 'run', file, '--store', join(folder, 'runs.db')]);
        return Number(readFileSync(began, 'utf8')) - before;
      },
    ],
  ];
}

/** Source of a pipeline whose task writes the time at which it begins to a file. */
function pipelineThatNotes(path: string): string {
  return `import { writeFileSync } from 'node:fs';
import { definePipeline, phase, task } from 'phasegate';
const begin = () => writeFileSync(${JSON.stringify(path)}, String(performance.timeOrigin + performance.now()));
export default definePipeline({ name: 'start', phases: [phase('one', { tasks: [task('begin', { run: begin })] })] });
`;
}

function untilEnd(args: readonly string[]): number {
  const before = now();
  execFileSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  return now() - before;
}

/** Milliseconds since 1970, with fractions. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
