import { describe, expect, it } from 'vitest';
import {
  analyze,
  approve,
  cancelRun,
  definePipeline,
  human,
  memoryStore,
  needsRework,
  phase,
  reject,
  resumeAll,
  resumeRun,
  startRun,
  task,
  type Decision,
  type HumanHandler,
  type Pipeline,
  type ReviewFunction,
} from '../src/index.ts';
import { answerItem } from '../src/inbox.ts';
import type { RunRecord } from '../src/records.ts';
import { unstartable } from '../src/model/handlers/child-pipeline.ts';
import { readRun } from '../src/store/read-run.ts';
import { keep } from './kept-run.ts';

/** A pipeline of two phases. The first uses 10 tokens and 1 dollar, in two reports. The second is judged by `verdict`. */
function inner(name: string, verdict: ReviewFunction | HumanHandler<Decision> = approve) {
  return definePipeline({
    name,
    phases: [
      phase('write', {
        tasks: [
          task('text', {
            run({ report, input }) {
              report({ inputTokens: 4, outputTokens: 2, costUsd: 0.25, model: 'm' });
              report({ tokens: 4, costUsd: 0.75 });
              return `${name}: ${JSON.stringify(input)}`;
            },
          }),
        ],
      }),
      phase('check', {
        after: ['write'],
        tasks: [task('look', { run: () => 'seen' })],
        review: verdict,
      }),
    ],
  });
}

/** A pipeline whose second phase runs another one, made of the output of the first. */
function outer(make: (goal: string) => Pipeline<unknown> = inner) {
  const plan = phase('plan', { tasks: [task('goal', { run: () => 'blog' })] });
  const build = phase('build', {
    after: [plan],
    tasks: (define) => [
      define('all', { pipeline: ({ inputs }) => make(inputs.plan.goal), input: ({ attempt }) => ({ attempt }) }),
    ],
  });
  return definePipeline({ name: 'outer', phases: [plan, build] });
}

const CHILD = 'r/build/0/0/task/all';

describe('a task that runs a pipeline', () => {
  it('has the outputs of its run as its own, with their types', async () => {
    const plan = phase('plan', { tasks: [task('goal', { run: () => 'blog' })] });
    const build = phase('build', {
      after: [plan],
      tasks: (define) => [define('all', { pipeline: ({ inputs }) => inner(inputs.plan.goal), input: () => [1] })],
    });
    const outputs = await startRun(definePipeline({ name: 'outer', phases: [plan, build] })).outputs;
    const { text }: { readonly text: string } = outputs.build.all.write;
    expect(text).toBe('blog: [1]');
  });

  it('starts a run of its own in the same store, and reports its usage once', async () => {
    const store = memoryStore();
    const run = startRun(outer(), { store, runId: 'r' });
    const result = await run.result;
    expect(result.metrics).toMatchObject({ tokens: 10, costUsd: 1 });
    const runs = (await store.runs()).map(({ runId, pipeline, status, tokens }) => [runId, pipeline, status, tokens]);
    expect(new Set(runs)).toEqual(
      new Set([
        ['r', 'outer', 'completed', 10],
        [CHILD, 'blog', 'completed', 10],
      ]),
    );
    const reports = (await store.read('r')).flatMap(({ event }) => (event.type === 'task.reported' ? event : []));
    expect(reports).toMatchObject([
      { tokens: 6, inputTokens: 4, outputTokens: 2, costUsd: 0.25, model: 'm' },
      { tokens: 4, costUsd: 0.75 },
      { progress: '1 of 2 phases of "blog" approved in run r/build/0/0/task/all' },
      { progress: '2 of 2 phases of "blog" approved in run r/build/0/0/task/all' },
    ]);
  });

  it('resumes its run after a kill at any record of either, and counts its usage once', async () => {
    const whole = memoryStore();
    await startRun(outer(), { store: whole, runId: 'r' }).result;
    const parent = await readRun(whole, 'r');
    const child = await readRun(whole, CHILD);
    const begun = parent.findIndex(({ event }) => event.type === 'phase.started' && event.phase === 'build') + 1;
    // A record of the child is stored before the parent hears of it.
    const isPossible = (own: number, its: number) => usageOf(parent.slice(0, own)) <= usageOf(child.slice(0, its));
    const cuts: (readonly [number, number])[] = [];
    for (let own = begun; own < parent.length; own++)
      for (let its = 0; its <= child.length; its++) if (isPossible(own, its)) cuts.push([own, its]);
    expect(cuts.length).toBeGreaterThan(50);
    for (const [own, its] of cuts) {
      const store = memoryStore();
      await keep(store, parent.slice(0, own));
      if (its > 0) await keep(store, child.slice(0, its));
      const run = await resumeRun(store, 'r', outer());
      const result = await run.result;
      expect([own, its, result.status, result.outputs]).toEqual([own, its, 'completed', expect.anything()]);
      // A try that was cut off is made again, and its usage is real: the child knows of it, and so does the parent.
      expect([own, its, result.metrics.tokens]).toEqual([own, its, usageOf(await readRun(store, CHILD))]);
    }
  });

  it('cancels its run when its own is cancelled, here or where no process works', async () => {
    const store = memoryStore();
    const waiting = () => inner('waits', human({ question: 'Good?' }));
    const run = startRun(outer(waiting), { store, runId: 'r' });
    await until(run, 'task.reported', 3);
    run.cancel('No longer needed.');
    await run.result;
    expect((await store.run(CHILD))?.status).toBe('cancelled');

    const other = startRun(outer(waiting), { store, runId: 's' });
    await until(other, 'task.reported', 3);
    other.suspend();
    await other.result;
    expect(await store.run(CHILD.replace('r', 's'))).toMatchObject({ status: 'running', lease: undefined });
    await cancelRun(store, 's', 'No longer needed.');
    expect((await store.run(CHILD.replace('r', 's')))?.status).toBe('cancelled');
  });

  it('has the items of its run in the inbox of its own', async () => {
    for (const store of [undefined, memoryStore()]) {
      const run = startRun(
        outer(() => inner('asks', human({ question: 'Good?' }))),
        { store, runId: 'r' },
      );
      await until(run, 'task.reported', 3);
      const item = await opened(() => run.inbox());
      expect(item).toMatchObject({ runId: CHILD });
      await run.answer(item.id, { type: 'decide', decision: approve() });
      expect((await run.result).status).toBe('completed');
    }
  });

  it('goes on when its item is answered where no process works', async () => {
    const store = memoryStore();
    const pipeline = () => outer(() => inner('asks', human({ question: 'Good?' })));
    const first = startRun(pipeline(), { store, runId: 'r' });
    const item = await opened(() => first.inbox());
    first.suspend();
    expect((await first.result).status).toBe('suspended');
    await answerItem(store, item.id, { type: 'decide', decision: approve() });
    // The child belongs to its parent: it is not resumed alone, even if its pipeline is known.
    const { runs } = await resumeAll(store, [pipeline(), inner('asks', human({ question: 'Good?' }))]);
    expect(runs.map(({ id }) => id)).toEqual(['r']);
    expect((await runs[0]?.result)?.status).toBe('completed');
  });

  it('fails if its run does not complete, and is not tried again for that', async () => {
    const pipeline = definePipeline({
      name: 'outer',
      phases: [
        phase('build', {
          tasks: [task('all', { retry: { attempts: 3 }, pipeline: () => inner('bad', () => reject('Useless.')) })],
        }),
      ],
    });
    const store = memoryStore();
    const result = await startRun(pipeline, { store, runId: 'r' }).result;
    expect(result.status).toBe('failed');
    expect(result.phases.build.error).toMatchObject({
      code: 'RUN_UNSUCCESSFUL',
      message: expect.stringContaining('Useless.') as string,
    });
    expect(await store.runs()).toHaveLength(2);
  });

  it('can send back an earlier phase if its run does not complete', async () => {
    const goals = ['bad', 'good'];
    const seen: unknown[] = [];
    const plan = phase('plan', {
      tasks: [
        task('goal', {
          run: ({ generation, revision }) => {
            seen.push(revision?.feedback);
            return goals[generation] ?? '';
          },
        }),
      ],
    });
    const build = phase('build', {
      after: [plan],
      tasks: (define) => [
        define('all', {
          pipeline: ({ inputs }) =>
            inner(inputs.plan.goal, () => (inputs.plan.goal === 'bad' ? reject('No.') : approve())),
          outcome: ({ status, reason, run, outputs }) => {
            if (status !== 'completed') throw needsRework('plan', `Plan anew: ${reason}`);
            return { run, text: outputs.write.text };
          },
        }),
      ],
      review: { by: () => approve() },
    });
    const store = memoryStore();
    const result = await startRun(definePipeline({ name: 'outer', phases: [plan, build] }), { store, runId: 'r' })
      .result;
    expect(result).toMatchObject({ status: 'completed' });
    expect(seen).toEqual([undefined, expect.stringContaining('Plan anew')]);
    expect(result.outputs.build?.all).toMatchObject({ text: expect.stringContaining('good') as string });
    expect(await store.runs()).toHaveLength(3);
  });

  it('may not use more than its estimate, which analyze() counts', async () => {
    const pipeline = definePipeline({
      name: 'outer',
      phases: [phase('build', { tasks: [task('all', { estimate: { tokens: 5 }, pipeline: () => inner('dear') })] })],
    });
    expect(analyze(pipeline).bounds[0]).toMatchObject({ tokens: 5 });
    const store = memoryStore();
    await startRun(pipeline, { store, runId: 'r' }).result;
    expect(await store.run(CHILD)).toMatchObject({ status: 'exhausted' });
  });

  it.each([
    ['no pipeline', 42],
    ['nothing', undefined],
  ])('fails if it returns %s', async (_, made) => {
    const pipeline = definePipeline({
      name: 'outer',
      phases: [phase('build', { tasks: [task('all', { pipeline: () => made as unknown as Pipeline })] })],
    });
    const { phases } = await startRun(pipeline).result;
    expect(phases.build.error).toMatchObject({ code: 'DEFINITION_INVALID' });
  });

  it('is refused with a handler next to the pipeline', () => {
    const options = { pipeline: () => inner('x'), run: () => 1 };
    const tasks = [task('all', options as unknown as { readonly run: () => number })];
    expect(() => definePipeline({ name: 'p', phases: [phase('a', { tasks })] })).toThrow(
      'expected either "run" or "pipeline"',
    );
  });

  it('says what it needs if nobody runs it', async () => {
    await expect(unstartable({ task: 'all', phase: 'build' })).rejects.toThrow('no run has started this task');
    expect(task('all', { pipeline: () => inner('x') }).options).toMatchObject({ run: unstartable });
  });
});

function usageOf(records: readonly RunRecord[]): number {
  return records.reduce((sum, { event }) => sum + (event.type === 'task.reported' ? (event.tokens ?? 0) : 0), 0);
}

/** Waits for the nth event of a type. */
async function until(run: AsyncIterable<RunRecord>, type: RunRecord['event']['type'], nth = 1): Promise<void> {
  let count = 0;
  for await (const { event } of run) {
    if (event.type === type) count += 1;
    if (count === nth) return;
  }
}

/** Waits for the first open item, turn by turn. */
async function opened<T>(inbox: () => readonly T[]): Promise<T> {
  for (let turn = 0; turn < 10_000; turn++) {
    const [item] = inbox();
    if (item) return item;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('No item was opened');
}
