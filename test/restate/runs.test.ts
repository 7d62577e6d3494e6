import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definePipeline, human, phase, resumeRun, task, type Pipeline } from '../../src/index.ts';
import * as z from 'zod';
import { answerItem, type Reply } from '../../src/inbox.ts';
import { restateRuns, type RestateRuns } from '../../src/restate.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import type { RunStore } from '../../src/store.ts';
import { plain, recordsOnSqlite, until, untilOver, type Replies } from './compare.ts';
import { serverMissing, startRestate, startWorker, type RestateServer, type Worker } from './server.ts';

const missing = serverMissing();
if (missing !== undefined) console.warn(`Skipped: ${missing}`);

const APPROVE: Reply = { type: 'decide', decision: 'APPROVE' };

/** A retry with feedback, a rewind of a predecessor, and a person who approves. */
const article = definePipeline({
  name: 'article',
  phases: [
    phase('research', {
      tasks: [task('notes', { run: ({ revision }) => `notes ${revision?.feedback ?? ''}` })],
      review: {
        by: task('editor', {
          run: ({ attempt, generation }) => (attempt + generation === 0 ? 'RETRY: Name a number.' : 'APPROVE'),
        }),
      },
    }),
    phase('outline', {
      after: ['research'],
      tasks: [task('points', { run: ({ revision }) => (revision ? ['one', 'two'] : ['one']) })],
    }),
    phase('writing', {
      after: ['outline'],
      tasks: [
        task('draft', { run: ({ inputs }) => `draft of ${JSON.stringify([inputs['outline'], inputs['research']])}` }),
      ],
      review: {
        by: [
          task('model', {
            run: ({ attempt }) => (attempt === 0 ? 'RETRY_PREDECESSOR outline: A point is missing.' : 'APPROVE'),
          }),
          task('owner', { run: human({ question: 'Good?' }) }),
        ],
      },
    }),
  ],
});

/** One question to a person. */
const gate = definePipeline({
  name: 'gate',
  phases: [
    phase('a', {
      tasks: [task('work', { run: () => 1 })],
      review: { by: task('owner', { run: human({ question: 'Good?' }) }) },
    }),
  ],
});

/** A person who has a moment only. */
const hasty = definePipeline({
  name: 'hasty',
  phases: [
    phase('a', {
      tasks: [task('work', { run: () => 1 })],
      review: { by: task('owner', { run: human({ question: 'Good?', expireAfterMs: 300, onExpiry: 'reject' }) }) },
    }),
  ],
});

let aborted = 0;
/** Work that ends when it is cancelled. */
const endless = definePipeline({
  name: 'endless',
  phases: [
    phase('a', {
      tasks: [
        task('work', {
          run: ({ signal }) =>
            new Promise((_resolve, reject) =>
              signal.addEventListener('abort', () => {
                aborted += 1;
                reject(new Error('stopped'));
              }),
            ),
        }),
      ],
    }),
  ],
});

const unlucky = definePipeline({
  name: 'unlucky',
  phases: [
    phase('a', {
      tasks: [
        task('work', {
          retry: { attempts: 3, backoff: { first: 10, factor: 1 } },
          run: ({ try: number }) => {
            if (number < 3) throw new Error('unlucky');
            return number;
          },
        }),
      ],
    }),
  ],
});

/** Refuses every input but a number. */
const checked = definePipeline({
  name: 'checked',
  input: z.number(),
  phases: [phase('a', { tasks: [task('work', { run: () => 1 })] })],
});

const broken = definePipeline({
  name: 'broken',
  input: z.unknown().transform(() => {
    throw new Error('the schema is broken');
  }),
  phases: [phase('a', { tasks: [task('work', { run: () => 1 })] })],
});

const pipelines = [checked, broken, article, gate, hasty, endless, unlucky];

describe.skipIf(missing !== undefined).each([
  ['in normal mode', {}],
  ['with every handler replayed', { RESTATE_WORKER__INVOKER__INACTIVITY_TIMEOUT: '0s' }],
])('runs on Restate %s', (_, env: Readonly<Record<string, string>>) => {
  let server: RestateServer;
  let worker: Worker;
  let runs: RestateRuns;
  let folder: string;
  let store: RunStore;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'restate-store-'));
    store = sqliteStore(join(folder, 'runs.sqlite'));
    server = await startRestate(env);
    worker = await startWorker({ pipelines, store, pollMs: 100 });
    await server.register(worker.uri);
    runs = restateRuns({ ingress: server.ingress });
  });

  afterAll(async () => {
    await worker?.stop();
    await server?.remove();
    await store?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function expectSame(pipeline: Pipeline<unknown>, reply?: Replies): Promise<void> {
    const runId = `same-${pipeline.name}`;
    expect(await runs.start(pipeline, { runId })).toBe('started');
    const { status } = await untilOver(runs, runId, reply);
    const records = await runs.records(runId);
    expect(plain(records)).toEqual(plain(await recordsOnSqlite(pipeline, runId, reply)));
    expect(records.at(-1)?.event).toMatchObject({ type: 'run.ended', status });
    await expect.poll(() => store.read(runId)).toEqual(records);
    await expect.poll(async () => (await store.run(runId))?.lease).toBeUndefined();
  }

  it('have the records of a run on SQLite: a retry with feedback, a rewind, a person', async () => {
    await expectSame(article, () => APPROVE);
  });

  it('try failed tasks again', async () => {
    await expectSame(unlucky);
  });

  it('reject when a person is late', async () => {
    await expectSame(hasty);
  });

  it('have no open invocation while they wait for a person', async () => {
    await runs.start(gate, { runId: 'waits' });
    const { inbox } = await until(runs, 'waits', (report) => report.inbox.length > 0);
    const open = `select count(*) n from sys_invocation where status in ('running', 'suspended', 'pending', 'ready', 'backing-off')
      and target_service_name in ('phasegate-run', 'phasegate-work')`;
    await expect.poll(async () => (await server.query(open))[0]?.['n']).toBe(0);
    await runs.answer('waits', inbox[0]?.id ?? '', APPROVE);
    expect(await untilOver(runs, 'waits')).toMatchObject({ status: 'completed' });
  });

  it('take one of several answers', async () => {
    await runs.start(gate, { runId: 'asked' });
    const { inbox } = await until(runs, 'asked', (report) => report.inbox.length > 0);
    const answers = await Promise.allSettled([1, 2, 3].map(() => runs.answer('asked', inbox[0]?.id ?? '', APPROVE)));
    const refused = answers.filter((one) => one.status === 'rejected').map(({ reason }): unknown => reason);
    expect(refused).toMatchObject([{ code: 'ANSWERED' }, { code: 'ANSWERED' }]);
    await expect(runs.answer('asked', 'asked:99', APPROVE)).rejects.toMatchObject({ code: 'ITEM_UNKNOWN' });
    const { seq } = await untilOver(runs, 'asked');
    await expect(runs.answer('asked', inbox[0]?.id ?? '', APPROVE)).rejects.toMatchObject({ code: 'ANSWERED' });
    expect((await runs.get('asked')).seq).toBe(seq);
  });

  it('start once', async () => {
    const started = await Promise.all([1, 2, 3].map(() => runs.start(unlucky, { runId: 'once' })));
    expect(started.toSorted()).toEqual(['exists', 'exists', 'started']);
    await untilOver(runs, 'once');
    const types = (await runs.records('once')).map(({ event }) => event.type);
    expect(types.filter((type) => type === 'run.started')).toHaveLength(1);
    await expect(runs.get('nobody')).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    await expect(runs.cancel('nobody')).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    await expect(runs.start(unlucky, { runId: 'with a space' })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('abort their work when they are cancelled', async () => {
    const before = aborted;
    await runs.start(endless, { runId: 'cancelled' });
    await until(runs, 'cancelled', async () =>
      (await runs.records('cancelled')).some(({ event }) => event.type === 'task.started'),
    );
    await runs.cancel('cancelled', 'no longer needed');
    const { status, result } = await untilOver(runs, 'cancelled');
    expect([status, result.reason]).toEqual(['cancelled', 'no longer needed']);
    await expect.poll(() => aborted).toBe(before + 1);
    await runs.cancel('cancelled');
  });

  it('take answers that were posted to their store, which no other process resumes', async () => {
    await runs.start(gate, { runId: 'posted' });
    await expect.poll(() => store.inbox({ runId: 'posted', open: true })).toHaveLength(1);
    const [item] = await store.inbox({ runId: 'posted', open: true });
    await expect(resumeRun(store, 'posted', gate)).rejects.toMatchObject({ code: 'RUN_LEASED' });
    expect(await store.ready(['gate'], 10)).toEqual([]);
    await answerItem(store, item?.id ?? '', APPROVE, { by: 'ada' });
    expect(await untilOver(runs, 'posted')).toMatchObject({ status: 'completed' });
    const answered = (await runs.records('posted')).find(({ event }) => event.type === 'task.answered');
    expect(answered?.event).toMatchObject({ who: 'ada' });
  });

  it('are cancelled by a message to their store', async () => {
    await runs.start(gate, { runId: 'stopped' });
    await expect.poll(() => store.inbox({ runId: 'stopped', open: true })).toHaveLength(1);
    await store.post({ runId: 'stopped', kind: 'cancel', body: 'enough', by: 'ada', time: Date.now() });
    expect(await untilOver(runs, 'stopped')).toMatchObject({ status: 'cancelled', result: { reason: 'enough' } });
  });

  it('refuse requests of another shape, and starts that cannot be', async () => {
    for (const handler of ['start', 'answer', 'cancel', 'records']) {
      const response = await fetch(`${server.ingress}/phasegate-run/odd/${handler}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '[7]',
      });
      expect(await response.json()).toMatchObject({ ok: false, refusal: { code: 'INPUT_INVALID' } });
    }
    await expect(runs.start(checked, { runId: 'odd', input: Number.NaN })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
    await expect(runs.start(broken, { runId: 'odd' })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining('its schema throws') as unknown,
    });
    const other = definePipeline({ name: 'other', phases: [phase('a', { tasks: [task('work', { run: () => 1 })] })] });
    await expect(runs.start(other, { runId: 'odd' })).rejects.toMatchObject({ code: 'DEFINITION_INVALID' });
    expect(await runs.start(unlucky, { runId: 'odd' })).toBe('started');
  });

  it('keep their work away from other callers', async () => {
    for (const path of ['phasegate-work/attempt', 'phasegate-run/waits/fact', 'phasegate-store/waits/copy']) {
      const response = await fetch(`${server.ingress}/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      expect(response.status).toBe(400);
    }
  });
});
