import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definePipeline, phase, task, type Estimate, type Limits, type Pipeline } from '../../src/index.ts';
import type { Reply } from '../../src/inbox.ts';
import { restateRuns, type RestateRuns } from '../../src/restate.ts';
import { plain, recordsOnSqlite, untilOver } from './compare.ts';
import { serverMissing, startRestate, startWorker, type RestateServer, type Worker } from './server.ts';

const missing = serverMissing();
if (missing !== undefined) console.warn(`Skipped: ${missing}`);

const APPROVE: Reply = { type: 'decide', decision: 'APPROVE' };

/** Two phases in a chain, whose tasks use 10 tokens each. */
function spending(name: string, limits: Limits, estimate: Estimate = {}): Pipeline {
  const work = (one: string) =>
    task(one, {
      estimate,
      run({ report }) {
        report({ tokens: 10, costUsd: 0.1 });
        return one;
      },
    });
  const review = {
    by: task('model', {
      run: ({ attempt }: { readonly attempt: number }) => (attempt === 0 ? 'RETRY: Again.' : 'APPROVE'),
    }),
  };
  return definePipeline({
    name,
    limits,
    policy: { onLimit: name.startsWith('asks') ? 'escalate' : 'stop' },
    phases: [
      phase('a', { mode: 'sequential', tasks: [work('one'), work('two')], review }),
      phase('b', { after: ['a'], tasks: [work('three')] }),
    ],
  });
}

const PIPELINES: readonly Pipeline[] = [
  spending('few-tokens', { tokens: 45 }, { tokens: 10 }),
  spending('dollars', { costUsd: 0.25 }),
  spending('asks-tokens', { tokens: 35 }, { tokens: 10 }),
  spending('enough', { tokens: 1000, costUsd: 10, durationMs: 600_000 }, { tokens: 10 }),
  spending('late', { durationMs: 600_000 }, { durationMs: 1_200_000 }),
];

/** Tasks of one attempt that have room one after the other only; the first one is long, so that the other waits next to it. */
let atWork = 0;
let most = 0;
const spend = (name: string) =>
  task(name, {
    estimate: { tokens: 10 },
    async run({ report, wait }) {
      atWork += 1;
      most = Math.max(most, atWork);
      await wait(50);
      report({ tokens: 1 });
      atWork -= 1;
    },
  });
const narrow = definePipeline({
  name: 'narrow',
  limits: { tokens: 14 },
  phases: [phase('a', { tasks: [spend('one'), spend('two')] }), phase('b', { tasks: [spend('three')] })],
});

/** Work that is stopped, as its input changes, and then reports what it has used. */
const seen = { slow: false };
let hasCounted: () => Promise<boolean> = () => Promise.resolve(false);
const stopped = definePipeline({
  name: 'stopped',
  policy: { invalidate: 'changed' },
  limits: { tokens: 100 },
  phases: [
    phase('draft', { tasks: [task('write', { run: ({ generation }) => `draft ${generation}` })] }),
    phase('slow', {
      after: ['draft'],
      tasks: [
        task('work', {
          async run({ inputs, signal, report, wait }) {
            if (inputs['draft']?.['write'] !== 'draft 0') {
              // So that the run does not end before.
              while (!(await hasCounted())) await wait(20);
              return 'done';
            }
            seen.slow = true;
            return new Promise((_resolve, reject) =>
              signal.addEventListener('abort', () => {
                report({ tokens: 7 });
                reject(new Error('stopped'));
              }),
            );
          },
        }),
      ],
    }),
    phase('check', {
      after: ['draft'],
      tasks: [
        task('look', {
          async run({ wait }) {
            while (!seen.slow) await wait(5);
          },
        }),
      ],
      review: {
        by: task('model', {
          run: ({ inputs }) =>
            inputs['draft']?.['write'] === 'draft 0' ? 'RETRY_PREDECESSOR draft: Again.' : 'APPROVE',
        }),
      },
    }),
  ],
});

describe.skipIf(missing !== undefined).each([
  ['in normal mode', {}],
  ['with every handler replayed', { RESTATE_WORKER__INVOKER__INACTIVITY_TIMEOUT: '0s' }],
])('limits of runs on Restate %s', (_mode, env) => {
  let server: RestateServer;
  let worker: Worker;
  let runs: RestateRuns;

  beforeAll(async () => {
    server = await startRestate(env);
    worker = await startWorker({ pipelines: [...PIPELINES, narrow, stopped] });
    await server.register(worker.uri);
    runs = restateRuns({ ingress: server.ingress });
  });

  afterAll(async () => {
    await worker?.stop();
    await server?.remove();
  });

  it.each(PIPELINES.map((one) => [one.name, one] as const))(
    'make the decisions of SQLite: %s',
    async (name, pipeline) => {
      await runs.start(pipeline, { runId: name });
      const { status } = await untilOver(runs, name, () => APPROVE);
      expect(status).toBe(['asks-tokens', 'enough'].includes(name) ? 'completed' : 'exhausted');
      expect(plain(await runs.records(name))).toEqual(plain(await recordsOnSqlite(pipeline, name, () => APPROVE)));
    },
  );

  it('let tries wait for each other, in one phase and in two', async () => {
    most = 0;
    await runs.start(narrow, { runId: 'narrow' });
    expect(await untilOver(runs, 'narrow')).toMatchObject({ status: 'completed', result: { metrics: { tokens: 3 } } });
    expect(most).toBe(1);
  });

  it('count the usage of work that was stopped', async () => {
    seen.slow = false;
    hasCounted = async () => (await runs.records('stopped')).some(({ event }) => event.type === 'task.reported');
    await runs.start(stopped, { runId: 'stopped' });
    expect(await untilOver(runs, 'stopped')).toMatchObject({ status: 'completed', result: { metrics: { tokens: 7 } } });
    const late = (await runs.records('stopped')).filter(({ event }) => event.type === 'task.reported');
    expect(late.map(({ event }) => event)).toMatchObject([{ phase: 'slow', tokens: 7, late: true }]);
  });
});
