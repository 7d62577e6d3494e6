import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { definePipeline, human, phase, task, type Pipeline } from '../../src/index.ts';
import type { Reply } from '../../src/inbox.ts';
import { restateRuns, restateServices, type RestateRuns } from '../../src/restate.ts';
import { plain, runsOnSqlite, until, untilOver } from './compare.ts';
import { serverMissing, startRestate, startWorker, type RestateServer, type Worker } from './server.ts';

const missing = serverMissing();
if (missing !== undefined) console.warn(`Skipped: ${missing}`);

const APPROVE: Reply = { type: 'decide', decision: 'APPROVE' };

/** Uses 10 tokens in each of two phases, of which the second one asks a person. */
const inner = definePipeline({
  name: 'inner',
  input: z.object({ topic: z.string() }),
  phases: [
    phase('a', {
      tasks: [
        task('spend', {
          estimate: { tokens: 10 },
          run({ report, input }) {
            report({ tokens: 10, costUsd: 0.5, model: 'm' });
            return `a of ${JSON.stringify(input)}`;
          },
        }),
      ],
      review: { by: task('model', { run: ({ attempt }) => (attempt === 0 ? 'RETRY: Again.' : 'APPROVE') }) },
    }),
    phase('b', {
      after: ['a'],
      tasks: [task('spend', { run: ({ report }) => (report({ tokens: 10 }), 'b') })],
      review: { by: task('owner', { run: human({ question: 'Good?' }) }) },
    }),
  ],
});

/** A pipeline whose task starts another run, with an input that depends on the phase before. */
function outer(name: string, topic: unknown, options: { readonly estimate?: number; readonly limit?: number } = {}) {
  const { estimate, limit } = options;
  return definePipeline({
    name,
    ...(limit !== undefined && { limits: { tokens: limit } }),
    phases: [
      phase('plan', { tasks: [task('topic', { run: () => topic })] }),
      phase('build', {
        after: ['plan'],
        tasks: [
          task('all', {
            pipeline: () => inner as Pipeline<unknown>,
            input: ({ inputs }) => ({ topic: inputs['plan']?.['topic'] }),
            outcome: ({ status, reason, outputs }) => ({ status, reason, outputs }),
            ...(estimate !== undefined && { estimate: { tokens: estimate } }),
          }),
        ],
      }),
      phase('print', {
        after: ['build'],
        tasks: [task('set', { run: ({ inputs }) => JSON.stringify(inputs['build']) })],
      }),
    ],
  });
}

/** Three levels. */
const middle = outer('middle', 'gates');
const top = definePipeline({
  name: 'top',
  phases: [phase('go', { tasks: [task('on', { pipeline: () => middle })] })],
});

const plainOne = outer('outer', 'gates');
const limited = outer('limited', 'gates', { estimate: 100, limit: 100 });
const scarce = outer('scarce', 'gates', { estimate: 15, limit: 100 });
/** Its worker does not serve the pipeline that it returns. */
const stranger = definePipeline({
  name: 'stranger',
  phases: [
    phase('build', {
      tasks: [
        task('all', {
          pipeline: () =>
            definePipeline({ name: 'inner', phases: [phase('a', { tasks: [task('b', { run: () => 1 })] })] }),
        }),
      ],
    }),
  ],
});

describe.skipIf(missing !== undefined).each([
  ['in normal mode', {}],
  ['with every handler replayed', { RESTATE_WORKER__INVOKER__INACTIVITY_TIMEOUT: '0s' }],
])('tasks on Restate that run pipelines, %s', (_mode, env) => {
  let server: RestateServer;
  let worker: Worker;
  let runs: RestateRuns;

  beforeAll(async () => {
    server = await startRestate(env);
    worker = await startWorker({ pipelines: [inner, plainOne, limited, scarce, middle, top, stranger] });
    await server.register(worker.uri);
    runs = restateRuns({ ingress: server.ingress });
  });

  afterAll(async () => {
    await worker?.stop();
    await server?.remove();
  });

  it.each([plainOne, limited, scarce, top].map((one: Pipeline<unknown>) => [one.name, one] as const))(
    'have the records of SQLite in each run, and one inbox: %s',
    async (name, pipeline) => {
      const expected = await runsOnSqlite(pipeline, name, () => APPROVE);
      await runs.start(pipeline, { runId: name });
      expect(await untilOver(runs, name, () => APPROVE)).toMatchObject({ status: 'completed' });
      expect(Object.keys(expected).length).toBe(name === 'top' ? 3 : 2);
      for (const [runId, records] of Object.entries(expected))
        expect([runId, plain(await runs.records(runId))]).toEqual([runId, plain(records)]);
    },
  );

  it('are cancelled with their parent', async () => {
    await runs.start(plainOne, { runId: 'gone' });
    const { inbox } = await until(runs, 'gone', ({ inbox: items }) => items.length > 0);
    const child = inbox[0]?.runId ?? '';
    expect(child).toBe('gone/build/0/0/task/all');
    await runs.cancel('gone', 'enough');
    expect(await untilOver(runs, 'gone')).toMatchObject({ status: 'cancelled', inbox: [] });
    expect(await untilOver(runs, child)).toMatchObject({ status: 'cancelled' });
    expect((await runs.records(child)).at(-1)?.event).toMatchObject({ reason: 'task "all" was stopped' });
  });

  it('fail if their worker does not serve the pipeline', async () => {
    await runs.start(stranger, { runId: 'stranger' });
    const { status, result } = await untilOver(runs, 'stranger');
    expect([status, result.phases['build']?.error?.message]).toMatchObject([
      'failed',
      expect.stringContaining(
        'Cannot run pipeline "inner" as task "all" of phase "build" as this worker does not serve it',
      ),
    ]);
  });

  it('fail if their input is refused', async () => {
    const name = 'outer';
    const odd = outer(name, 5);
    const other = await startWorker({ pipelines: [inner, odd], name: 'odd' });
    await server.register(other.uri);
    const own = restateRuns({ ingress: server.ingress, name: 'odd' });
    await own.start(odd, { runId: 'odd' });
    const { status, result } = await untilOver(own, 'odd');
    await other.stop();
    expect([status, result.phases['build']?.error]).toMatchObject([
      'failed',
      { code: 'RUN_UNSUCCESSFUL', message: expect.stringContaining('its schema refuses the input') as unknown },
    ]);
  });
});

describe('restateServices()', () => {
  it('refuses a task that runs a pipeline without an estimate, if a limit bounds its usage', async () => {
    await expect(restateServices({ pipelines: [outer('free', 'gates', { limit: 100 })] })).rejects.toMatchObject({
      code: 'PIPELINE_UNSUPPORTED',
      message: expect.stringContaining(
        'task "all" of phase "build" runs a pipeline without `estimate.tokens`',
      ) as unknown,
    });
  });
});
