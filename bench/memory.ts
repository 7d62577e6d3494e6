/**
 * Benchmark of the heap that a running run holds.
 *
 * @module
 */
import { definePipeline, phase, startRun, task } from 'phasegate';
import type { RunStore } from 'phasegate/store';
import { heldBytes } from './measure.ts';

/**
 * Measures the heap per run in bytes, for many runs at once. Each has five phases: two are approved, and the third is running.
 *
 * @param store The store of the runs. @default none
 */
export async function heapPerRun(runs: number, store?: RunStore): Promise<number> {
  const wall = createWall();
  const names = ['a', 'b', 'c', 'd', 'e'];
  const pipeline = definePipeline({
    name: 'five',
    phases: names.map((name, index) =>
      phase(name, {
        after: names.slice(Math.max(0, index - 1), index),
        tasks: [task('work', { run: () => (name === 'c' ? wall.wait() : Promise.resolve()) })],
        review: () => 'APPROVE',
      }),
    ),
  });
  // A first run loads lazy modules.
  const first = startRun(pipeline, { store });
  await wall.reached(1);
  const before = heldBytes();
  const others = Array.from({ length: runs }, () => startRun(pipeline, { store }));
  await wall.reached(runs + 1);
  const held = heldBytes() - before;
  wall.open();
  const results = await Promise.all([first, ...others].map((run) => run.result));
  if (results.some((result) => result.status !== 'completed')) throw new Error('A run did not complete');
  return held / runs;
}

// --- internal ---

/** Creates a barrier at which tasks wait until it is opened. */
function createWall() {
  let waiting = 0;
  let wanted = Infinity;
  const [opened, open] = signal();
  let [complete, tell] = signal();
  return {
    open,
    wait(): Promise<void> {
      waiting += 1;
      if (waiting === wanted) tell();
      return opened;
    },
    reached(count: number): Promise<void> {
      wanted = count;
      [complete, tell] = signal();
      if (waiting >= wanted) tell();
      return complete;
    },
  };
}

function signal(): [Promise<void>, () => void] {
  let tell: () => void = () => undefined;
  const told = new Promise<void>((resolve) => (tell = resolve));
  return [told, tell];
}
