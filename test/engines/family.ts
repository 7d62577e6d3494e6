/**
 * A pipeline whose task runs another one, whose task runs a third one with a person in it. The phase with the first task runs three times:
 * a person sends its predecessor back while it waits, and a later phase sends it back. Each task that is a function appends its name
 * and its key to the file in the variable RAN.
 */
import { appendFileSync } from 'node:fs';
import { approve, definePipeline, human, needsRework, phase, task, type TaskContext } from 'phasegate';

type Named = Pick<TaskContext, 'task' | 'generation' | 'idempotencyKey' | 'report'>;

async function appendName({ task: name, generation, idempotencyKey, report }: Named): Promise<string> {
  const ran = process.env['RAN'];
  if (ran !== undefined) appendFileSync(ran, `${name} ${idempotencyKey}\n`);
  report({ tokens: 3 });
  await new Promise((resolve) => setTimeout(resolve, 20));
  return `${name} ${generation}`;
}

const work = (name: string) => task(name, { run: appendName });

const section = definePipeline({
  name: 'section',
  phases: [phase('draft', { tasks: [work('draft')], review: human({ question: 'Good?' }) })],
});

const chapter = definePipeline({
  name: 'chapter',
  phases: [
    phase('write', { tasks: [work('write')] }),
    phase('sections', { after: ['write'], tasks: [task('part', { pipeline: () => section })] }),
    phase('set', { after: ['sections'], tasks: [work('set')] }),
  ],
});

const plan = phase('plan', { tasks: [work('outline')] });

const notes = phase('notes', {
  after: [plan],
  tasks: [work('collect')],
  review: human({ question: 'Enough?' }),
});

const chapters = phase('chapters', {
  after: [plan],
  tasks: (task) => [
    task('one', {
      pipeline: () => chapter,
      input: ({ inputs }) => inputs.plan.outline,
      outcome({ status }, { generation }) {
        if (status !== 'completed') throw new Error(`The chapter is ${status}.`);
        return generation;
      },
    }),
  ],
});

const edit = phase('edit', {
  after: [notes, chapters],
  tasks: (task) => [
    task('edit', {
      async run(context) {
        const name = await appendName(context);
        if (context.inputs.chapters.one < 2) throw needsRework('chapters', 'Shorter.');
        return name;
      },
    }),
  ],
  review: () => approve(),
});

export const pipeline = definePipeline({
  name: 'book',
  // A chapter is written again if the plan differs.
  policy: { invalidate: 'changed' },
  phases: [plan, notes, chapters, edit],
});
