/**
 * Pipelines whose task runs another one, whose task runs a third one, which asks a person.
 *
 * @module
 */
import { definePipeline, human, phase, task, type Pipeline } from '../../../src/index.ts';

const ask = task('ask', { run: human({ question: 'Good?' }) });
const inner = definePipeline({ name: 'inner', phases: [phase('draft', { tasks: [ask] })] });

function around(name: string, pipeline: Pipeline<unknown>): Pipeline {
  return definePipeline({
    name,
    phases: [phase('build', { tasks: [task('all', { pipeline: () => pipeline })] })],
  });
}

export const outer = around('outer', around('middle', inner));

const plan = phase('plan', { tasks: [task('outline', { run: ({ generation }) => generation })] });

/** A pipeline whose task starts another run if a person sends the plan back. */
export const book = definePipeline({
  name: 'book',
  policy: { invalidate: 'changed' },
  phases: [
    plan,
    phase('notes', { after: [plan], tasks: [task('ask', { run: () => 1 })], review: human({ question: 'Enough?' }) }),
    phase('build', {
      after: [plan],
      tasks: (task) => [
        task('all', { pipeline: () => around('middle', inner), input: ({ inputs }) => inputs.plan.outline }),
      ],
    }),
  ],
});

export const RUN = 'run';
export const CHILD = 'run/build/0/0/task/all';
export const GRANDCHILD = `${encodeURIComponent(CHILD)}/build/0/0/task/all`;
