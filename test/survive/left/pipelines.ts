/**
 * A pipeline whose task runs another one, whose task runs a third one, which asks a person.
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

export const RUN = 'run';
export const CHILD = 'run/build/0/0/task/all';
export const GRANDCHILD = `${encodeURIComponent(CHILD)}/build/0/0/task/all`;
