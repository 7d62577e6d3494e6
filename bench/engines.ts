/**
 * The engines to compare: phasegate, and a plain loop of promises without any guarantees.
 *
 * @module
 */
import { definePipeline, phase, startRun, task, type Pipeline } from 'phasegate';
import type { RunStore } from 'phasegate/store';
import { review, work, type Shape } from './work.ts';

/** Runs a shape once. */
export type Engine = () => Promise<void>;

/** Creates the baseline: it starts a phase when its predecessors are done, runs it, reviews it, and retries it. */
export function plainLoop({ after }: Shape): Engine {
  const next: number[][] = after.map(() => []);
  after.forEach((sources, index) => sources.forEach((source) => next[source]?.push(index)));
  return () =>
    new Promise((resolve, reject) => {
      const waiting = after.map((sources) => sources.length);
      const outputs: unknown[] = [];
      let left = after.length;
      async function run(index: number): Promise<void> {
        const [source] = after[index] ?? [];
        for (let attempt = 0; ; attempt++) {
          outputs[index] = await work(index, attempt, source === undefined ? undefined : outputs[source]);
          if ((await review(index, attempt)) === 'APPROVE') break;
        }
        left -= 1;
        if (left === 0) resolve();
        for (const target of next[index] ?? []) {
          waiting[target] = (waiting[target] ?? 0) - 1;
          if (waiting[target] === 0) run(target).catch(reject);
        }
      }
      waiting.forEach((count, index) => count === 0 && void run(index).catch(reject));
    });
}

/** Creates the pipeline of a shape. Each task reads the output of its first predecessor. */
export function pipelineOf({ name, after }: Shape): Pipeline {
  return definePipeline({
    name,
    concurrency: 256,
    phases: after.map((sources, index) =>
      phase(`p${index}`, {
        after: sources.map((source) => `p${source}`),
        tasks: [
          task('work', {
            run: ({ attempt, inputs }) =>
              work(index, attempt, sources.length === 0 ? undefined : inputs[`p${sources[0]}`]?.['work']),
          }),
        ],
        review: ({ attempt }) => review(index, attempt),
      }),
    ),
  });
}

/** Creates an engine that runs a pipeline to its end. @param store The store of its runs. @default none */
export function phasegate(pipeline: Pipeline, store?: RunStore): Engine {
  return async () => {
    const { status } = await startRun(pipeline, { store }).result;
    if (status !== 'completed') throw new Error(`The run ended ${status}`);
  };
}
