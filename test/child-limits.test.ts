/** Limits of a run bound the runs of its tasks. */
import { describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  memoryStore,
  phase,
  reject,
  resumeRun,
  retryRun,
  startRun,
  task,
  type Decision,
  type Estimate,
} from '../src/index.ts';
import { readRun } from '../src/store/read-run.ts';
import { idle } from './rig.ts';

const CHILD = 'r/build/0/0/task/all';

/** A run whose only task starts another one: phases in a chain, each of which uses 1 dollar. */
function scene(onLimit: 'stop' | 'escalate', estimate: Estimate) {
  const done: number[] = [];
  const names = Array.from({ length: 4 }, (_, at) => `p${at}`);
  const inner = definePipeline({
    name: 'inner',
    phases: names.map((name, at) =>
      phase(name, {
        after: names.slice(Math.max(0, at - 1), at),
        tasks: [
          task('spend', {
            estimate,
            run({ report }) {
              done.push(at);
              report({ costUsd: 1 });
            },
          }),
        ],
      }),
    ),
  });
  const build = phase('build', { tasks: [task('all', { pipeline: () => inner })] });
  return { done, pipeline: definePipeline({ name: 'outer', policy: { onLimit }, phases: [build] }) };
}

describe.each([
  ['an estimate', { costUsd: 1 }],
  ['no estimate', {}],
] as const)('a limit of a run, whose task has started another one with %s', (_, estimate) => {
  it('stops both once it is spent, and none begins more', async () => {
    const store = memoryStore();
    const { done, pipeline } = scene('stop', estimate);
    const result = await startRun(pipeline, { store, runId: 'r', limits: { costUsd: 2 } }).result;
    expect(result).toMatchObject({ status: 'exhausted', limit: 'costUsd', metrics: { costUsd: 2 } });
    expect(done).toEqual([0, 1]);
    expect(await store.run(CHILD)).toMatchObject({ status: 'cancelled', approved: 2 });

    const again = await retryRun(store, 'r', pipeline, { limits: { costUsd: 4 } });
    expect((await again.result).status).toBe('completed');
    expect(done).toEqual([0, 1, 2, 3]);
  });

  it.each([
    ['lifted', approve(), 'completed', [0, 1, 2, 3]],
    ['refused', reject('No more.'), 'exhausted', [0, 1]],
  ] as const)('holds both until a person has decided: %s', async (_name, decision: Decision, status, expected) => {
    const store = memoryStore();
    const { done, pipeline } = scene('escalate', estimate);
    const run = startRun(pipeline, { store, runId: 'r', limits: { costUsd: 2 } });
    while (run.inbox().length === 0) await idle();
    for (let turn = 0; turn < 20; turn++) await idle();
    expect(done).toEqual([0, 1]);
    expect(run.inbox()).toMatchObject([{ kind: 'limit', runId: 'r', about: 'costUsd' }]);
    run.suspend();
    await run.result;

    const resumed = await resumeRun(store, 'r', pipeline);
    for (let turn = 0; turn < 20; turn++) await idle();
    expect(done).toEqual([0, 1]);
    await resumed.decide('costUsd', decision);
    expect((await resumed.result).status).toBe(status);
    expect(done).toEqual(expected);
  });
});

describe('tries of runs that tasks have started', () => {
  it('wait for each other if the limit of their parent has room for one only', async () => {
    let most = 0;
    let now = 0;
    const spend = task('spend', {
      estimate: { costUsd: 2 },
      async run({ report, wait }) {
        most = Math.max(most, ++now);
        await wait(1);
        report({ costUsd: 1 });
        now -= 1;
      },
    });
    const inner = (name: string) =>
      definePipeline({ name, phases: [phase('a', { tasks: [spend] }), phase('b', { tasks: [spend] })] });
    const middle = definePipeline({
      name: 'middle',
      phases: [phase('go', { tasks: [task('on', { pipeline: () => inner('deep') })] })],
    });
    const build = phase('build', {
      tasks: [task('one', { pipeline: () => inner('one') }), task('two', { pipeline: () => middle })],
    });
    const pipeline = definePipeline({ name: 'outer', limits: { costUsd: 5 }, phases: [build] });
    const store = memoryStore();
    const result = await startRun(pipeline, { store, runId: 'r' }).result;
    expect(result).toMatchObject({ status: 'completed', metrics: { costUsd: 4 } });
    expect(most).toBe(2);
  });

  it('use the room that their parent has reserved for its task', async () => {
    const child = definePipeline({
      name: 'inner',
      phases: [
        phase('a', {
          tasks: [task('spend', { estimate: { costUsd: 3 }, run: ({ report }) => report({ costUsd: 3 }) })],
        }),
      ],
    });
    const build = phase('build', { tasks: [task('all', { estimate: { costUsd: 3 }, pipeline: () => child })] });
    const pipeline = definePipeline({ name: 'outer', limits: { costUsd: 3 }, phases: [build] });
    expect((await startRun(pipeline).result).status).toBe('completed');
  });

  it('name the task that has started their run if they are refused', async () => {
    const store = memoryStore();
    const { pipeline } = scene('stop', { costUsd: 3 });
    expect((await startRun(pipeline, { store, runId: 'r', limits: { costUsd: 2 } }).result).status).toBe('exhausted');
    const reached = (await readRun(store, 'r')).find(({ event }) => event.type === 'limit.reached');
    expect(reached?.event).toMatchObject({ refused: { phase: 'build', task: 'all', estimate: 3 } });
  });
});
