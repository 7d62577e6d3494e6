/**
 * The benchmark: `npm run bench`, or `npm run bench -- 1000 10000` for other sizes. Prints Markdown. `--keep` keeps figures of a release.
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
import { benchRewind } from './rewind.ts';
import { benchStores } from './stores.ts';
import { benchWaiting } from './waiting.ts';
import { cpuMicros, growth } from './measure.ts';
import { attemptsOf, chain, fanOut, layers } from './work.ts';

// Only stored runs: `npm run bench -- durable`.
if (process.argv[2] === 'durable') {
  await benchDurable();
  process.exit();
}

// Only stores: `npm run bench -- stores`.
if (process.argv[2] === 'stores') {
  await benchStores();
  process.exit();
}
// Only runs that wait for people: `npm run bench -- waiting`, or `waiting 1000` for another number than 10 000.
if (process.argv[2] === 'waiting') {
  await benchWaiting(process.argv[3] === undefined ? undefined : Number(process.argv[3]));
  process.exit();
}

// Only a store that another process keeps locked: `npm run bench -- busy`, or `busy 1000` for other milliseconds than 9000.
if (process.argv[2] === 'busy') {
  await benchBusy(process.argv[3] === undefined ? undefined : Number(process.argv[3]));
  process.exit();
}

// Only the comparison with peers: `npm run bench -- peers`. They are installed apart, as nothing else needs them.
if (process.argv[2] === 'peers') {
  const peers = { cwd: fileURLToPath(new URL('peers', import.meta.url)), stdio: 'inherit' } as const;
  if (!existsSync(join(peers.cwd, 'node_modules'))) await execa('npm', ['install', '--no-audit', '--no-fund'], peers);
  // It stops its servers at a signal, so it is given time to.
  const { exitCode } = await execa(process.execPath, ['main.mjs', ...process.argv.slice(3)], {
    ...peers,
    reject: false,
  });
  process.exit(exitCode ?? 1);
}

// Only many stored runs: `npm run bench -- many`.
if (process.argv[2] === 'many') {
  await benchMany();
  process.exit();
}

// Only fleets: `npm run bench -- fleet`.
if (process.argv[2] === 'fleet') {
  await benchFleet();
  process.exit();
}

// Only the dashboard: `npm run bench -- dashboard`.
if (process.argv[2] === 'dashboard') {
  await benchDashboard();
  process.exit();
}

// Only rewinds: `npm run bench -- rewind`.
if (process.argv[2] === 'rewind') {
  await benchRewind();
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
