/**
 * Measures one engine in a process of its own, so that none pays for the garbage of another. Prints JSON.
 *
 * `node one.mjs <engine> <shape> <phases> <place>`, of which the last is JSON: the `file` or the server that the engine stores in.
 *
 * @module
 */
import { setMaxListeners } from 'node:events';
import { processorTimeOf } from './processor-time.mjs';
import { attemptsOf, calls, SHAPES } from './shared.mjs';

/** Milliseconds of warming up, and of measuring; at least one run each. */
const WARM_UP_MS = 5000;
const MEASURE_MS = 10_000;

// Peers listen to one signal with every step, of which Node warns.
setMaxListeners(0);

const [engine = '', shapeName = '', size = '', place = '{}'] = process.argv.slice(2);
const shape = SHAPES[shapeName](Number(size));
const { create } = await import(`./${engine}.mjs`);
const { pid, ...stored } = JSON.parse(place);
const run = await create(shape, stored);
const attempts = attemptsOf(shape);

/** Reads the processor time of all threads, and of the server if there is one. It is `NaN` if a server's is not known. */
function processorTime() {
  const { user, system } = process.cpuUsage();
  return user + system + (pid === undefined ? 0 : (processorTimeOf(pid) ?? NaN));
}

/** Runs once. @returns Microseconds per attempt, of wall time and of processor time. */
async function measure() {
  calls.tasks = 0;
  calls.reviews = 0;
  const cpu = processorTime();
  const before = performance.now();
  await run();
  const wall = (performance.now() - before) * 1000;
  const taken = processorTime() - cpu;
  if (calls.tasks !== attempts || calls.reviews !== attempts)
    throw new Error(`${calls.tasks} tasks and ${calls.reviews} reviews instead of ${attempts}`);
  return { wall: wall / attempts, cpu: taken / attempts };
}

async function repeat(ms) {
  const until = performance.now() + ms;
  const taken = [];
  do taken.push(await measure());
  while (performance.now() < until);
  return taken;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

await repeat(WARM_UP_MS);
const taken = await repeat(MEASURE_MS);
console.log(JSON.stringify({ cpu: median(taken.map(({ cpu }) => cpu)), wall: median(taken.map(({ wall }) => wall)) }));
process.exit();
