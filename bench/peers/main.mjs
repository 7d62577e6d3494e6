/**
 * The same work on phasegate and on its peers, in turns, each in a process of its own. Prints Markdown.
 *
 * `npm run bench -- peers`, or here: `npm install`, then `npm start`, or `npm start -- 200` for another number of phases.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { SHAPES } from './shared.mjs';

const ROUNDS = 2;
const size = Number(process.argv[2] ?? 1000);
const versionOf = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')).version;
const installed = (name) => versionOf(`node_modules/${name}/package.json`);
const folder = mkdtempSync(join(import.meta.dirname, '.bench-'));

const ENGINES = [
  { name: `phasegate ${versionOf('../../package.json')}`, engine: 'phasegate' },
  { name: `LangGraph.js ${installed('@langchain/langgraph')}`, engine: 'langgraph' },
  { name: `Mastra ${installed('@mastra/core')}`, engine: 'mastra' },
  { name: 'phasegate, records in SQLite', engine: 'phasegate', isStored: true },
  {
    name: `LangGraph.js, checkpoints in SQLite (${installed('@langchain/langgraph-checkpoint-sqlite')})`,
    engine: 'langgraph',
    isStored: true,
  },
];

try {
  const load = loadavg()[0]?.toFixed(2);
  console.log(`Node ${process.version}, ${new Date().toISOString().slice(0, 10)}, load before ${load}\n`);
  console.log(`| ${size} phases | shape | processor, µs per attempt | wall, µs per attempt |`);
  console.log('| --- | --- | ---: | ---: |');
  let files = 0;
  for (const shape of Object.keys(SHAPES)) {
    const all = ENGINES.map((one) => ({ ...one, taken: [] }));
    for (let round = 0; round < ROUNDS; round++)
      for (const { engine, isStored, taken } of all) {
        const file = isStored ? [join(folder, `${files++}.db`)] : [];
        const told = execFileSync(process.execPath, ['one.mjs', engine, shape, String(size), ...file], {
          cwd: import.meta.dirname,
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        taken.push(JSON.parse(told));
      }
    for (const { name, taken } of all) {
      const [cpu, wall] = ['cpu', 'wall'].map((what) => Math.min(...taken.map((one) => one[what])).toFixed(0));
      console.log(`| ${name} | ${shape} | ${cpu} | ${wall} |`);
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
