/**
 * The benchmark: `npm run bench`, `npm run bench -- fleet` for one part, or `npm run bench -- 1000 10000` for other sizes. Prints Markdown.
 * `--keep` keeps figures of a release.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { benchBusy } from './busy.ts';
import { benchDashboard } from './dashboard.ts';
import { benchDurable } from './durable.ts';
import { phasegate, pipelineOf, plainLoop } from './engines.ts';
import { benchFleet } from './fleet.ts';
import { keep, printChanges } from './history.ts';
import { benchMany } from './many.ts';
import { heapPerRun } from './memory.ts';
import { benchPlans } from './plans.ts';
import { benchRewind } from './rewind.ts';
import { benchStart } from './start.ts';
import { benchStores } from './stores.ts';
import { benchWaiting } from './waiting.ts';
import { cpuMicros, growth } from './measure.ts';
import { attemptsOf, chain, fanOut, layers } from './work.ts';

/** Parts that `npm run bench -- <name>` measures alone. Each prints Markdown. */
const PARTS: Readonly<Record<string, () => Promise<void> | void>> = {
  // Cold starts of programs.
  start: benchStart,
  // Definition and analysis of large plans.
  plans: benchPlans,
  rewind: () => benchRewind(),
  // Stored runs.
  durable: benchDurable,
  // Many stored runs.
  many: benchMany,
  // The stores next to each other.
  stores: benchStores,
  // Runs that wait for people; `waiting 1000` for another number than 10 000.
  waiting: () => benchWaiting(second),
  // A store that another process keeps locked; `busy 1000` for other milliseconds than 9000.
  busy: () => benchBusy(second),
  fleet: benchFleet,
  dashboard: benchDashboard,
  // Other libraries.
  peers: benchPeers,
};

const [name, amount] = process.argv.slice(2);
const second = amount === undefined ? undefined : Number(amount);
const part = name !== undefined && Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
if (part) {
  await part();
  process.exit();
}

const given = process.argv.slice(2).map(Number).filter(Number.isInteger);
const sizes = given.length > 0 ? given : [1000, 10_000, 100_000];
const figures: Record<string, number> = {};

console.log(`Node ${process.version}, ${cpus().length} cores, ${new Date().toISOString().slice(0, 10)}\n`);
console.log('| shape | phases | plain loop, µs per attempt | phasegate, µs per attempt | ratio | growth exponent |');
console.log('| --- | ---: | ---: | ---: | ---: | ---: |');
for (const shapeOf of [chain, fanOut, layers]) {
  const taken: number[] = [];
  for (const size of sizes) {
    const shape = shapeOf(size);
    const attempts = attemptsOf(shape);
    // The same amount of work for each size: one or two seconds when warm.
    const runs = Math.min(25, Math.max(3, Math.round(50_000 / size)));
    const warmUps = Math.max(1, Math.round(20_000 / size));
    // Runs one after the other, as parallel runs would disturb each other.
    const floor = await cpuMicros(plainLoop(shape), runs, warmUps);
    const ours = await cpuMicros(phasegate(pipelineOf(shape)), runs, warmUps);
    taken.push(ours);
    figures[`${shape.name} of ${size}, µs per attempt`] = ours / attempts;
    const exponent = taken.length > 1 ? growth(sizes.slice(0, taken.length), taken).toFixed(2) : '';
    const cells = [
      shape.name,
      size,
      (floor / attempts).toFixed(1),
      (ours / attempts).toFixed(1),
      (ours / floor).toFixed(0),
      exponent,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

benchPlans();
benchStart();
await benchRewind();

const runs = 10_000;
const heap = (await heapPerRun(runs)) / 1024;
figures['heap per run, KB'] = heap;
console.log(`\nHeap per run, ${runs} runs of 5 phases at once: ${heap.toFixed(1)} KB`);
printChanges(figures);
// For a release: keeps the figures in bench/history.json.
if (process.argv.includes('--keep')) keep(figures);
await benchDurable();
await benchMany();
await benchFleet();
await benchDashboard();
// Exits explicitly, as the browser may leave handles open.
process.exit();

// --- internal ---

/** Compares with other libraries. They are installed apart, as nothing else needs them. */
async function benchPeers(): Promise<void> {
  const peers = { cwd: fileURLToPath(new URL('peers', import.meta.url)), stdio: 'inherit' } as const;
  if (!existsSync(join(peers.cwd, 'node_modules'))) await execa('npm', ['install', '--no-audit', '--no-fund'], peers);
  // It stops its servers at a signal, so it is given time to.
  const { exitCode } = await execa(process.execPath, ['main.mjs', ...process.argv.slice(3)], {
    ...peers,
    reject: false,
  });
  process.exit(exitCode ?? 1);
}
