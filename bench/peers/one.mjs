/**
 * Measures one engine in a process of its own, so that none pays for the garbage of another. Prints JSON.
 *
 * `node one.mjs <engine> <shape> <phases> [file]`
 *
 * @module
 */
import { setMaxListeners } from 'node:events';
import { attemptsOf, calls, SHAPES } from './shared.mjs';

/** Milliseconds of warming up, and of measuring; at least one run each. */
const WARM_UP_MS = 5000;
const MEASURE_MS = 10_000;

// Peers listen to one signal with every step, of which Node warns.
setMaxListeners(0);

const [engine = '', shapeName = '', size = '', file] = process.argv.slice(2);
const shape = SHAPES[shapeName](Number(size));
const { create } = await import(`./${engine}.mjs`);
const run = create(shape, file);
const attempts = attemptsOf(shape);

/** Runs once. @returns Microseconds per attempt, of wall time and of processor time of all threads. */
async function measure() {
  calls.tasks = 0;
  calls.reviews = 0;
  const cpu = process.cpuUsage();
  const before = performance.now();
  await run();
  const wall = (performance.now() - before) * 1000;
  const { user, system } = process.cpuUsage(cpu);
  if (calls.tasks !== attempts || calls.reviews !== attempts)
    throw new Error(`${calls.tasks} tasks and ${calls.reviews} reviews instead of ${attempts}`);
  return { wall: wall / attempts, cpu: (user + system) / attempts };
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
