/** A pipeline with a person in it. Each task appends its name and its run to the file in the variable RAN. */
import { appendFileSync } from 'node:fs';
import { definePipeline, human, phase, task, type Pipeline } from 'phasegate';

/** A version of it. */
export function essay(version: string): Pipeline {
  const work = (name: string) =>
    task(name, {
      async run({ run }) {
        appendFileSync(process.env['RAN'] ?? '', `${name} ${run}\n`);
        await new Promise((resolve) => setTimeout(resolve, 30));
        return run;
      },
    });
  const draft = phase('draft', { tasks: [work('write')], review: human({ question: 'Good?' }) });
  const print = phase('print', { after: [draft], tasks: [work('set')] });
  return definePipeline({ name: 'essay', version, phases: [draft, print] });
}
