/**
 * The work as a pipeline of phasegate, from the build of this checkout.
 *
 * @module
 */
import { definePipeline, phase, startRun, task } from '../../dist/index.js';
import { sqliteStore } from '../../dist/sqlite.js';
import { review, work } from './work.mjs';

/** Creates the engine for a shape. @param file A database for records; none for a run in memory. */
export function create({ name, after }, file) {
  const pipeline = definePipeline({
    name,
    phases: after.map((sources, index) =>
      phase(`p${index}`, {
        after: sources.map((source) => `p${source}`),
        tasks: [
          task('work', {
            run: ({ attempt, inputs }) =>
              work(index, attempt, sources.length === 0 ? 0 : inputs[`p${sources[0]}`]['work']),
          }),
        ],
        review: ({ attempt }) => review(index, attempt),
      }),
    ),
  });
  const store = file === undefined ? undefined : sqliteStore(file);
  return async () => {
    const { status } = await startRun(pipeline, { store }).result;
    if (status !== 'completed') throw new Error(`The run ended ${status}`);
  };
}
