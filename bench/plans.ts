/**
 * Benchmark of large plans before they run: `definePipeline`, the fingerprint and `analyze`, in processes of their own.
 *
 * With an argument it is such a process: `plans.ts define <phases>` or `plans.ts analyze <phases>`. It prints milliseconds of processor time.
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
  console.log('\n| 10 000 phases, ms of processor time | first call | third call |\n| --- | ---: | ---: |');
  console.log(`| \`definePipeline\` | ${least('define 1')} | ${least('define 3')} |`);
  console.log(`| fingerprint | ${least('fingerprint 1')} | ${least('fingerprint 3')} |`);
  const sizes = [25_000, 100_000];
  const taken = sizes.map((size) => measured('analyze', size)['analyze'] ?? 0);
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
    figures[`define ${nth}`] = cpuMs(() => (pipeline = pipelineOf(shape)));
    figures[`fingerprint ${nth}`] = cpuMs(() => pipeline && fingerprint(pipeline.plan));
  }
  return figures;
}

function analyzeFigures(phases: number): Figures {
  const pipeline = pipelineOf(layers(phases));
  return { analyze: cpuMs(() => analyze(pipeline)) };
}

/** Milliseconds of processor time, of all threads. */
function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

if (process.argv[1] === FILE) {
  const [, , what, phases] = process.argv;
  const figures = (what === 'analyze' ? analyzeFigures : defineFigures)(Number(phases));
  for (const [name, ms] of Object.entries(figures)) console.log(`${name}: ${ms}`);
}
