/**
 * A worker of Restate in a process of its own: `restate-worker.ts <port> <file of starts>`.
 *
 * @module
 */
import { appendFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { definePipeline, human, phase, task, type Pipeline } from '../../src/index.ts';
import { startWorker } from '../restate/server.ts';

/** The pipeline. Each task appends its name and its run to a file. */
export function essayOn(file: string): Pipeline<unknown> {
  const work = (name: string) =>
    task(name, {
      async run({ run }) {
        appendFileSync(file, `${name} ${run}\n`);
        await setTimeout(30);
        return run;
      },
    });
  const draft = phase('draft', { tasks: [work('write')], review: human({ question: 'Good?' }) });
  return definePipeline({ name: 'essay', phases: [draft, phase('print', { after: [draft], tasks: [work('set')] })] });
}

const [port, file] = process.argv.slice(2);
if (port !== undefined && file !== undefined && process.argv[1]?.endsWith('restate-worker.ts')) {
  await startWorker({ pipelines: [essayOn(file)] }, Number(port));
  console.log('listening');
}
