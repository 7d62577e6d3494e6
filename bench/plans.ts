/**
 * Benchmark of large plans before they run: `definePipeline`, the fingerprint and `analyze`, in processes of their own.
 *
 * With an argument it is such a process: `plans.ts define <phases>` or `plans.ts analyze <phases>`. It prints milliseconds.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { analyze } from 'phasegate';
import { fingerprint } from 'phasegate/records';
import { pipelineOf } from './engines.ts';
import { growth } from './measure.ts';
import { chain, layers } from './work.ts';

/** Prints the tables as Markdown. */
export function benchPlans(): void {
  const rows = Array.from({ length: ROUNDS }, () => measured('define', 10_000));
  const least = (name: string) => Math.min(...rows.map((row) => row[name] ?? Infinity)).toFixed(0);
  console.log('\n| 10 000 phases, ms | first call, wall | processor | third call, wall | processor |');
  console.log('| --- | ---: | ---: | ---: | ---: |');
  for (const [name, title] of [
    ['define', '`definePipeline`'],
    ['fingerprint', 'fingerprint'],
    ['both', 'both'],
  ]) {
    const cells = [1, 3].flatMap((nth) => [least(`${name} ${nth} wall`), least(`${name} ${nth} processor`)]);
    console.log(`| ${[title, ...cells].join(' | ')} |`);
  }
  const sizes = [25_000, 100_000];
  const taken = sizes.map((size) => measured('analyze', size)['analyze processor'] ?? 0);
  console.log('\n| phases in layers | `analyze`, ms of processor time | growth exponent |\n| ---: | ---: | ---: |');
  for (const [nth, size] of sizes.entries()) {
    const exponent = nth === 0 ? '' : growth(sizes, taken).toFixed(2);
    console.log(`| ${size} | ${taken[nth]?.toFixed(0)} | ${exponent} |`);
  }
}

// --- internal ---

const ROUNDS = 8;
const FILE = fileURLToPath(import.meta.url);

type Figures = Readonly<Record<string, number>>;

function measured(what: string, phases: number): Figures {
  const out = execFileSync(process.execPath, ['--import', 'jiti/register', FILE, what, String(phases)], {
    encoding: 'utf8',
  });
  const lines = out.trimEnd().split('\n');
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')), Number(line.slice(line.indexOf(':') + 1))]),
  );
}

function defineFigures(phases: number): Figures {
  const shape = chain(phases);
  const figures: Record<string, number> = {};
  for (const nth of [1, 2, 3]) {
    let pipeline: ReturnType<typeof pipelineOf> | undefined;
    const define = () => (pipeline = pipelineOf(shape));
    const print = () => pipeline && fingerprint(pipeline.plan);
    const both = timed(`both ${nth}`, () => {
      Object.assign(figures, timed(`define ${nth}`, define), timed(`fingerprint ${nth}`, print));
    });
    Object.assign(figures, both);
  }
  return figures;
}

function analyzeFigures(phases: number): Figures {
  const pipeline = pipelineOf(layers(phases));
  return timed('analyze', () => analyze(pipeline));
}

/** Milliseconds of wall time, and of processor time of all threads. */
function timed(name: string, work: () => unknown): Figures {
  const [begun, before] = [performance.now(), process.cpuUsage()];
  work();
  const wall = performance.now() - begun;
  const { user, system } = process.cpuUsage(before);
  return { [`${name} wall`]: wall, [`${name} processor`]: (user + system) / 1000 };
}

if (process.argv[1] === FILE) {
  const [, , what, phases] = process.argv;
  const figures = (what === 'analyze' ? analyzeFigures : defineFigures)(Number(phases));
  for (const [name, ms] of Object.entries(figures)) console.log(`${name}: ${ms}`);
}
