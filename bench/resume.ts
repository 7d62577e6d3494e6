/**
 * A process that suspends a run of many phases during the last one, or resumes it: `resume.ts leave|resume <file> <phases>`.
 * Prints the milliseconds from opening the store to the start of the last task.
 *
 * @module
 */
import { definePipeline, phase, resumeRun, startRun, task, type Pipeline } from 'phasegate';
import { sqliteStore } from 'phasegate/sqlite';
import { chain } from './work.ts';

const [what, file = '', count = '10000'] = process.argv.slice(2);
let began: () => void = () => undefined;
const begun = new Promise<void>((resolve) => (began = resolve));
const pipeline = endless();

const before = performance.now();
const store = sqliteStore(file);
const run = what === 'leave' ? startRun(pipeline, { store, runId: 'r' }) : await resumeRun(store, 'r', pipeline);
await begun;
if (what === 'resume') console.log((performance.now() - before).toFixed(0));
run.suspend();
await run.result;
await store.close();

/** Creates the pipeline of a chain, with one more phase that never ends. */
function endless(): Pipeline {
  const { after } = chain(Number(count));
  return definePipeline({
    name: 'endless',
    phases: [
      ...after.map((sources, index) =>
        phase(`p${index}`, {
          after: sources.map((source) => `p${source}`),
          tasks: [task('work', { run: () => index })],
          review: () => 'APPROVE',
        }),
      ),
      phase('last', {
        after: after.length > 0 ? [`p${after.length - 1}`] : [],
        tasks: [
          task('wait', {
            run: ({ signal }) => {
              began();
              return new Promise((resolve) => signal.addEventListener('abort', resolve));
            },
          }),
        ],
      }),
    ],
  });
}
