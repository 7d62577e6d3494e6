/**
 * The same work on phasegate and on its peers, in turns, in one process. Prints Markdown.
 *
 * `npm run bench -- peers`, or here: `npm install`, then `npm start`, or `npm start -- 200` for another number of phases.
 *
 * @module
 */
import { setMaxListeners } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { langgraph } from './langgraph.mjs';
import { mastra } from './mastra.mjs';
import { phasegate } from './phasegate.mjs';
import { calls, chain, fanOut } from './work.mjs';

// Peers listen to one signal with every step, of which Node warns.
setMaxListeners(0);

const ROUNDS = 3;
const size = Number(process.argv[2] ?? 1000);
const versionOf = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')).version;
const installed = (name) => versionOf(`node_modules/${name}/package.json`);
const folder = mkdtempSync(join(import.meta.dirname, '.bench-'));

const ENGINES = {
  phasegate: { name: `phasegate ${versionOf('../../package.json')}`, make: phasegate },
  langgraph: { name: `LangGraph.js ${installed('@langchain/langgraph')}`, make: langgraph },
  mastra: { name: `Mastra ${installed('@mastra/core')}`, make: mastra },
  'phasegate kept': { name: 'phasegate, in SQLite', make: (shape, file) => phasegate(shape, file), isKept: true },
  'langgraph kept': {
    name: `LangGraph.js, checkpoints in SQLite ${installed('@langchain/langgraph-checkpoint-sqlite')}`,
    make: (shape, file) => langgraph(shape, file),
    isKept: true,
  },
};

/** Runs an engine once. @returns Microseconds of wall time and of processor time of all threads. */
async function measure(run, shape) {
  calls.tasks = 0;
  calls.reviews = 0;
  const cpu = process.cpuUsage();
  const before = performance.now();
  await run();
  const wall = (performance.now() - before) * 1000;
  const { user, system } = process.cpuUsage(cpu);
  const wanted = shape.after.length + Math.ceil(shape.after.length / 5);
  if (calls.tasks !== wanted || calls.reviews !== wanted)
    throw new Error(`${calls.tasks} tasks and ${calls.reviews} reviews instead of ${wanted}`);
  return { wall: wall / wanted, cpu: (user + system) / wanted };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

try {
  console.log(
    `Node ${process.version}, ${new Date().toISOString().slice(0, 10)}, load before ${loadavg()[0].toFixed(2)}\n`,
  );
  console.log(`| ${size} phases | shape | processor, µs per attempt | wall, µs per attempt |`);
  console.log('| --- | --- | ---: | ---: |');
  let files = 0;
  for (const shape of [chain(size), fanOut(size)]) {
    const runs = Object.values(ENGINES).map((engine) => ({
      ...engine,
      run: engine.make(shape, engine.isKept ? join(folder, `${files++}.db`) : undefined),
      taken: [],
    }));
    // The first round warms up.
    for (let round = 0; round <= ROUNDS; round++)
      for (const one of runs) {
        const taken = await measure(one.run, shape);
        if (round > 0) one.taken.push(taken);
      }
    for (const { name, taken } of runs) {
      const [cpu, wall] = ['cpu', 'wall'].map((what) => median(taken.map((one) => one[what])).toFixed(0));
      console.log(`| ${name} | ${shape.name} | ${cpu} | ${wall} |`);
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.exit();
