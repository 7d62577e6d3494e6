/** Runs of tasks that a killed process has left behind, although the run that started them has ended. A worker cancels them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createWorker,
  definePipeline,
  phase,
  resumeRun,
  retryPredecessor,
  startRun,
  submitRun,
  task,
  verifyRun,
  type Pipeline,
} from '../../src/index.ts';
import { answerItem } from '../../src/inbox.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import type { RunStore } from '../../src/store.ts';
import { files } from '../cli/cli.ts';
import { book, CHILD, GRANDCHILD, outer, RUN } from './left/pipelines.ts';

const DYING = fileURLToPath(new URL('left/dying.ts', import.meta.url));
const ELSEWHERE = 'process 7 on elsewhere (start 1)';
const CANCEL = { runId: RUN, kind: 'cancel', body: 'enough', by: 'ann', time: Date.now() + 1000 } as const;
const REASON = 'the run that started it has ended';

/** A store in a file with a run, and two below it, that are suspended together, as the innermost waits for a person. */
async function suspended(pipeline: Pipeline = outer) {
  const path = join(await files({}), 'runs.db');
  const later = { ms: 0 };
  const store = sqliteStore(path, { now: () => Date.now() + later.ms });
  onTestFinished(async () => store.close());
  const run = startRun(pipeline, { store, runId: RUN, attended: true, whileWaiting: 'suspend' });
  expect((await run.result).status).toBe('suspended');
  return { path, store, pass: (ms: number) => void (later.ms += ms) };
}

/** Resumes the runs in a process that is killed, see there. */
async function killed(
  when: 'end' | 'invalidated' | 'acquire',
  runId: string,
  path: string,
  holder = '',
): Promise<void> {
  const child = spawn(process.execPath, ['--import', 'jiti/register', DYING, path, when, runId, holder], {
    stdio: 'inherit',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
}

/** A worker that knows the outermost pipeline only, and has no room for another run. */
async function busy(store: RunStore): Promise<{ readonly looks: () => number }> {
  let looks = 0;
  const watched: RunStore = {
    ...store,
    runs(filter) {
      if (filter?.leased === true) looks += 1;
      return store.runs(filter);
    },
  };
  let release = (): void => undefined;
  const work = task('work', { run: () => new Promise((resolve) => (release = () => resolve(1))) });
  const own = definePipeline({ name: 'own', phases: [phase('one', { tasks: [work] })] });
  await submitRun(store, own, { runId: 'own' });
  let isTaken = false;
  const worker = createWorker(watched, [outer, own], { concurrency: 1, onRun: () => (isTaken = true) });
  onTestFinished(async () => {
    release();
    await worker.stop();
  });
  await expect.poll(() => isTaken).toBe(true);
  return { looks: () => looks };
}

async function statuses(store: RunStore): Promise<readonly (string | undefined)[]> {
  return Promise.all([RUN, CHILD, GRANDCHILD].map(async (id) => (await store.run(id))?.status));
}

/** Ended runs whose lease nobody has released. */
async function leftLeases(store: RunStore): Promise<readonly string[]> {
  const runs = await store.runs();
  return runs.flatMap(({ runId, status, lease, lapsed }) => (status !== 'running' && (lease ?? lapsed) ? runId : []));
}

const ENDED = ['cancelled', 'cancelled', 'cancelled'];

/** Expects that all three runs end in order, and say why. */
async function expectEnds(store: RunStore): Promise<void> {
  await expect.poll(() => statuses(store)).toEqual(ENDED);
  expect(await store.inbox({ open: true })).toEqual([]);
  for (const id of [RUN, CHILD, GRANDCHILD]) {
    expect((await verifyRun(store, id)).problems).toEqual([]);
    const ends = (await store.read(id)).flatMap(({ event }) => (event.type === 'run.ended' ? [event] : []));
    expect(ends.map(({ reason }) => reason)).toEqual([id === RUN ? 'enough' : REASON]);
  }
}

describe.runIf(process.platform === 'linux')('runs of tasks are cancelled if their process was killed', () => {
  const cases = [
    ['as soon as the run had ended', 'end', RUN, ['cancelled', 'running', 'running']],
    ['before it acquired the child', 'acquire', CHILD, ['cancelled', 'running', 'running']],
    ['as soon as the child had ended', 'end', CHILD, ['cancelled', 'cancelled', 'running']],
    ['before it acquired the grandchild', 'acquire', GRANDCHILD, ['cancelled', 'cancelled', 'running']],
  ] as const;

  it.each(cases)('%s, and a worker starts when its leases have expired', async (_, when, id, left) => {
    const { path, store, pass } = await suspended();
    await store.post(CANCEL);
    await killed(when, id, path);
    expect(await statuses(store)).toEqual(left);
    pass(120_000);
    const worker = createWorker(store, [outer]);
    onTestFinished(() => worker.stop());
    await expectEnds(store);
  });

  it.each(cases)('%s, while a worker was there', async (_, when, id) => {
    const { path, store } = await suspended();
    await busy(store);
    await store.post(CANCEL);
    await killed(when, id, path);
    await expectEnds(store);
    await expect.poll(async () => leftLeases(store)).toEqual([]);
  });

  it('on another machine, once its leases have expired', async () => {
    const { path, store, pass } = await suspended();
    const { looks } = await busy(store);
    await store.post(CANCEL);
    await killed('end', RUN, path, ELSEWHERE);
    const before = looks();
    await expect.poll(() => looks() - before).toBeGreaterThan(1);
    expect(await statuses(store)).toEqual(cases[0][3]);
    pass(120_000);
    await expectEnds(store);
  });

  it('but not by a worker that has none of their pipelines', async () => {
    const { path, store, pass } = await suspended();
    await store.post(CANCEL);
    await killed('end', RUN, path);
    pass(120_000);
    const other = definePipeline({ name: 'other', phases: [phase('one', { tasks: [task('t', { run: () => 1 })] })] });
    const worker = createWorker(store, [other]);
    onTestFinished(() => worker.stop());
    await submitRun(store, other, { runId: 'other' });
    await expect.poll(async () => (await store.run('other'))?.status).toBe('completed');
    expect(await statuses(store)).toEqual(cases[0][3]);
  });
});

describe.runIf(process.platform === 'linux')(
  'a run whose phase starts again, and whose process was killed then',
  () => {
    const SECOND = 'run/build/1/0/task/all';
    const partOf = (child: string) => `${encodeURIComponent(child)}/build/0/0/task/all`;

    it('cancels the runs of the earlier start when it is resumed', async () => {
      const { path, store } = await suspended(book);
      const [note] = await store.inbox({ runId: RUN });
      await answerItem(store, note?.id ?? '', { type: 'decide', decision: retryPredecessor('plan', 'More.') });
      await killed('invalidated', RUN, path);
      const status = async (id: string) => (await store.run(id))?.status;
      expect(await Promise.all([CHILD, GRANDCHILD].map(status))).toEqual(['running', 'running']);

      const run = await resumeRun(store, RUN, book, { whileWaiting: 'suspend' });
      expect((await run.result).status).toBe('suspended');
      expect(await Promise.all([CHILD, GRANDCHILD].map(status))).toEqual(['cancelled', 'cancelled']);
      expect(await Promise.all([SECOND, partOf(SECOND)].map(status))).toEqual(['running', 'running']);
      const open = await store.inbox({ open: true });
      expect(open.map(({ runId }) => runId).toSorted()).toEqual([RUN, partOf(SECOND)]);
      const ends = (await store.read(CHILD)).flatMap(({ event }) => (event.type === 'run.ended' ? [event] : []));
      expect(ends.map(({ reason }) => reason)).toEqual(['the attempt that started it is over']);
    });
  },
);
