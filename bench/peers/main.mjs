/**
 * The same work on phasegate and on its peers, in turns, each in a process of its own. Prints Markdown.
 *
 * `npm run bench -- peers`, or here: `npm install`, then `npm start`, or `npm start -- 200` for another number of phases.
 * DBOS needs Postgres too, and LangGraph.js with SQLite a compiler: the commands are printed if they are missing.
 *
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { missingOf, PEERS } from './peers.mjs';

const ROUNDS = 3;
const SHAPES = ['chain', 'fan-out'];
const size = Number(process.argv[2] ?? 1000);

// A signal stops the engine at work, then its server, removes the folder, and prints what has been measured.
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopping.abort());

/** Runs a program to its end. @returns What it prints. */
async function run(program, args, cwd) {
  const { stdout } = await execa(program, args, { cwd, stderr: 'inherit', cancelSignal: stopping.signal });
  return stdout;
}

/** Measures an engine once, in a new folder. */
async function measure({ engine, start }, shape) {
  const folder = mkdtempSync(join(import.meta.dirname, '.bench-'));
  try {
    const { place, stop } = await start(folder);
    try {
      const args = ['one.mjs', engine, shape, String(size), JSON.stringify(place)];
      const printed = await run(process.execPath, args, import.meta.dirname);
      // Some engines print warnings before.
      return JSON.parse(printed.split('\n').at(-1));
    } finally {
      await stop();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Prints a row for each engine and shape: the least of its rounds, and the middle of its ratios to phasegate in the same round. */
function printTable(all) {
  console.log(`| ${size} phases | runs | shape | processor, µs per attempt | ratio | wall, µs per attempt | ratio |`);
  console.log('| --- | --- | --- | ---: | ---: | ---: | ---: |');
  for (const { peer, shape, rounds } of all) {
    const first = all.find((other) => other.peer.group === peer.group && other.shape === shape)?.rounds ?? [];
    const cells = ['cpu', 'wall'].flatMap((what) => {
      const values = rounds.map((one) => one[what]);
      // The processor time of a server is known on Linux only.
      if (values.includes(null)) return ['', ''];
      const ratios = values.map((value, round) => value / first[round]?.[what]).toSorted((a, b) => a - b);
      return [Math.min(...values).toFixed(0), ratios[Math.floor((ratios.length - 1) / 2)].toFixed(1)];
    });
    console.log(`| ${[peer.name(), peer.group, shape, ...cells].join(' | ')} |`);
  }
}

const load = () =>
  loadavg()
    .map((value) => value.toFixed(1))
    .join(' ');

console.error('Building dist, which is what phasegate is measured by');
await run('npm', ['run', '--silent', 'build'], join(import.meta.dirname, '../..'));
for (const peer of PEERS) {
  const command = missingOf(peer);
  if (command !== undefined) console.log(`Not measured: ${peer.title}. In bench/peers: ${command}`);
}
const peers = PEERS.filter((peer) => missingOf(peer) === undefined);
const all = SHAPES.flatMap((shape) => peers.map((peer) => ({ peer, shape, rounds: [] })));
console.log(`Node ${process.version}, ${new Date().toISOString().slice(0, 10)}, load before ${load()}\n`);
for (let round = 0; round < ROUNDS; round++) {
  if (stopping.signal.aborted) break;
  for (const one of all) {
    if (one.error !== undefined || stopping.signal.aborted) continue;
    try {
      one.rounds.push(await measure(one.peer, one.shape));
    } catch (error) {
      one.error = error;
    }
  }
  console.error(`Round ${round + 1} of ${ROUNDS}, load ${load()}`);
}
if (stopping.signal.aborted) process.exitCode = 130;
else
  for (const { peer, shape, error } of all)
    if (error !== undefined) {
      console.log(`Failed: ${peer.title}, ${shape}: ${error.message}\n`);
      process.exitCode = 1;
    }
// After a signal or a failure, those that have been measured.
printTable(all.filter(({ rounds }) => rounds.length > 0));
console.log(`\nLoad after ${load()}`);
