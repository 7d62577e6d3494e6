/** Rehearsals of work that takes real time, or never ends. */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { approve, definePipeline, phase, retry, task, type TaskContext } from '../../src/index.ts';
import { asDefined, pipelineProperty, rehearse, repeats, silent, takes } from '../../src/testing.ts';

const work = (): never => {
  throw new Error('the work of the pipeline itself was called');
};

describe('real time in a rehearsal', () => {
  it('is waited for in schemas that answer later', async () => {
    const slow = z.string().refine(async () => {
      await sleep(20);
      return true;
    });
    const pipeline = definePipeline({
      name: 'slow',
      input: slow,
      phases: [
        phase('a', { tasks: [task('x', { output: slow, run: work, timeout: 5000 }), task('y', { run: work })] }),
      ],
    });
    const run = await rehearse(pipeline, { input: 'go', tasks: { x: 'x', y: takes(10_000, 'y') } });
    expect(run.result).toMatchObject({ status: 'completed', outputs: { a: { x: 'x', y: 'y' } } });
  });

  it('is not hidden by another worker that waits twice', async () => {
    const pipeline = definePipeline({
      name: 'waits',
      phases: [phase('a', { tasks: [task('x', { run: work }), task('y', { run: work, timeout: 5000 })] })],
    });
    const run = await rehearse(pipeline, {
      tasks: {
        x: async ({ wait }: TaskContext) => {
          await Promise.all([wait(10_000), wait(20_000)]);
          return 'x';
        },
        y: async () => {
          await sleep(30);
          return 'y';
        },
      },
    });
    expect(run.result.status).toBe('completed');
  });

  it('is limited, with the name of the worker that never ends', async () => {
    const pipeline = definePipeline({ name: 'endless', phases: [phase('a', { tasks: [task('x', { run: work })] })] });
    const endless = rehearse(pipeline, { tasks: { x: () => new Promise(() => undefined) }, realTimeMs: 20 });
    await expect(endless).rejects.toThrow('a.x works for more than 20 ms of real time');
  });
});

describe('a rehearsal that fails', () => {
  it('leaves nothing that keeps a process alive', async () => {
    const entry = (name: string) => JSON.stringify(new URL(`../../dist/${name}.js`, import.meta.url).href);
    const program = `
      import { definePipeline, phase, task } from ${entry('index')};
      import { rehearse, silent } from ${entry('testing')};
      const pipeline = definePipeline({ name: 'p', phases: [phase('a', { tasks: [task('x', { run: () => 1, timeout: 0 })] })] });
      const error = await rehearse(pipeline, { tasks: { x: silent() } }).catch((thrown) => thrown);
      console.log(error.code);
    `;
    const options = { timeout: 60_000, cwd: fileURLToPath(new URL('../..', import.meta.url)) };
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], options);
    expect(stdout.trim()).toBe('REHEARSAL_STUCK');
  });

  it('has an end, if the run has none', async () => {
    const pipeline = definePipeline({
      name: 'round',
      phases: [
        phase('a', {
          tasks: [task('x', { run: work })],
          review: { by: work, maxRetries: 'unlimited', loopAfter: 'unlimited' },
        }),
      ],
    });
    let made = 0;
    const round = rehearse(pipeline, {
      tasks: { x: () => `${(made += 1)}` },
      reviews: { a: () => retry(`Again ${made}.`) },
    });
    await expect(round).rejects.toThrow('it has not ended after 20000 records');
  });

  it('names keys that are no part of a script', async () => {
    const pipeline = definePipeline({ name: 'p', phases: [phase('a', { tasks: [task('x', { run: work })] })] });
    await expect(rehearse(pipeline, { tasks: { x: 1 }, crash: [] } as never)).rejects.toThrow(
      '"crash" is no part of a script; did you mean "crashes"?',
    );
  });
});

describe('steps', () => {
  it('are found for a reflect call that is a task', async () => {
    const pipeline = definePipeline({
      name: 'reflected',
      phases: [
        phase('a', {
          tasks: [task('x', { run: work })],
          review: { by: work, strategy: 'reflexion', reflect: task('mirror', { run: work }) },
        }),
      ],
    });
    const run = await rehearse(pipeline, {
      tasks: { x: repeats('x') },
      reviews: { a: [retry('More.'), approve()] },
      reflections: { a: 'I was too short.' },
    });
    expect(run.prompts('x')[1]).toContain('I was too short.');
  });

  it('of people go on with the next queue', async () => {
    const pipeline = definePipeline({
      name: 'queued',
      phases: [
        phase('a', {
          tasks: [task('x', { run: work })],
          review: { by: work, inbox: { expireAfterMs: 1000, onExpiry: { queue: 'chief' } } },
        }),
      ],
    });
    const run = await rehearse(pipeline, {
      tasks: { x: 'x' },
      reviews: { a: { type: 'escalate', reason: 'unsure' } },
      people: { a: [silent(), takes(100, approve())] },
    });
    expect(run.result.status).toBe('completed');
  });

  it('false of an invariant is a failure', async () => {
    const pipeline = definePipeline({ name: 'p', phases: [phase('a', { tasks: [task('x', { run: work })] })] });
    const broken = pipelineProperty(pipeline, { runs: 3, tasks: { x: 1 }, invariant: () => false });
    await expect(broken).rejects.toThrow('the invariant is false');
    await expect(pipelineProperty(pipeline, { runs: 3, tasks: { x: asDefined() } })).resolves.toBeUndefined();
  });
});
