/**
 * How much heap a run holds while it works.
 *
 * @module
 */
import { definePipeline, phase, startRun, task } from 'phasegate';
import { heldBytes } from './measure.ts';

/** Bytes of heap per run of many at once, each of five phases, when the first two are approved and the third works. */
export async function heapPerRun(runs: number): Promise<number> {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  let working = 0;
  const names = ['a', 'b', 'c', 'd', 'e'];
  const pipeline = definePipeline({
    name: 'five',
    phases: names.map((name, index) =>
      phase(name, {
        after: names.slice(Math.max(0, index - 1), index),
        tasks: [
          task('work', {
            run: async () => {
              if (name !== 'c') return name;
              working += 1;
              await gate;
              return name;
            },
          }),
        ],
        review: () => 'APPROVE',
      }),
    ),
  });
  await startRunAndFinish();
  const before = heldBytes();
  const started = Array.from({ length: runs }, () => startRun(pipeline));
  while (working < runs + 1) {
    // The runs get on by turns of the event loop.
    // oxlint-disable-next-line no-await-in-loop
    await new Promise((resolve) => setImmediate(resolve));
  }
  const held = heldBytes() - before;
  open();
  const results = await Promise.all(started.map((run) => run.result));
  if (results.some((result) => result.status !== 'completed')) throw new Error('A run did not complete');
  return held / runs;

  /** Loads what is loaded once. */
  async function startRunAndFinish(): Promise<void> {
    const warm = startRun(pipeline);
    while (working < 1) {
      // oxlint-disable-next-line no-await-in-loop
      await new Promise((resolve) => setImmediate(resolve));
    }
    warm.cancel();
    await warm.result;
  }
}
