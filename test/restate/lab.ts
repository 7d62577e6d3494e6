/**
 * A pipeline whose handlers write down each start, for workers that are killed.
 *
 * @module
 */
import { appendFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { definePipeline, human, phase, task } from '../../src/index.ts';

/** Milliseconds that a task takes. The second one is long, so that it is at work while the first one is recorded. */
const WORK_MS = { one: 40, two: 400 };

/**
 * Makes the pipeline.
 *
 * @param file Gets a line `<run> <phase>/<task> <generation>.<attempt>` for each start of a task. If the phase has a predecessor,
 *   ` on <its last output>` follows: once a predecessor is repeated, its successors begin again with the same numbers.
 */
export function labPipeline(file: string) {
  const work = (name: keyof typeof WORK_MS) =>
    task(name, {
      async run({ run, phase: home, generation, attempt, inputs }) {
        const on = Object.values(inputs).map((outputs) => ` on ${String(Object.values(outputs).at(-1))}`);
        appendFileSync(file, `${run} ${home}/${name} ${generation}.${attempt}${on.join('')}\n`);
        await setTimeout(WORK_MS[name]);
        return `${home} ${name} ${generation}.${attempt}`;
      },
    });
  return definePipeline({
    name: 'lab',
    phases: [
      phase('a', {
        mode: 'sequential',
        tasks: [work('one'), work('two')],
        review: { by: task('model', { run: ({ attempt }) => (attempt === 0 ? 'RETRY: Again.' : 'APPROVE') }) },
      }),
      phase('b', {
        after: ['a'],
        mode: 'sequential',
        tasks: [work('one'), work('two')],
        review: {
          by: task('model', { run: ({ attempt }) => (attempt === 0 ? 'RETRY_PREDECESSOR a: Look again.' : 'APPROVE') }),
        },
      }),
      phase('c', {
        after: ['b'],
        tasks: [work('one')],
        review: { by: task('owner', { run: human({ question: 'Good?' }) }) },
      }),
    ],
  });
}
