/** The two limits of time: `durationMs` for work, and `deadlineMs` for all time. */
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  forkRun,
  human,
  phase,
  resumeRun,
  retryRun,
  startRun,
  task,
  type Limits,
  type Pipeline,
  type Policy,
  type Run,
  type RunResult,
  type TaskContext,
  memoryStore,
  readRun,
} from '../src/index.ts';
import type { RunInfo, RunStore } from '../src/store.ts';
import { foldRun } from '../src/projections/run/run-view.ts';
import { fails, rehearse, reports, silent, takes, type Script } from '../src/testing.ts';
import { fake, idle, play, simulatedTime, type SimulatedTime } from './rig.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;

/** Returns work that takes simulated time. */
function taking(time: SimulatedTime, ms: number, value = 'done'): () => Promise<string> {
  return () => new Promise((resolve) => time.clock.setTimeout(() => resolve(value), ms));
}

function decide(about: string): (run: Run) => Promise<void> {
  return (run) => run.decide(about, 'APPROVE');
}

/** Asserts that the rest of a limit and its usage add up to the limit. */
function expectSums(
  { limitsLeft, metrics }: Pick<RunResult, 'limitsLeft' | 'metrics'>,
  { durationMs = 0, deadlineMs = 0 }: Limits,
): void {
  expect((limitsLeft.durationMs ?? 0) + Math.min(metrics.durationMs, durationMs)).toBe(durationMs);
  expect((limitsLeft.deadlineMs ?? 0) + Math.min(metrics.elapsedMs, deadlineMs)).toBe(deadlineMs);
}

const work = (name: string, more: object = {}) => task(name, { ...more, run: () => name });
const asks = (name: string) => task(name, { run: human({ question: 'Good?' }) });

describe('limits.durationMs', () => {
  const limits = { durationMs: 10 * SECOND, deadlineMs: 24 * HOUR };
  const gated = phase('a', { tasks: [work('write')], review: () => 'APPROVE' });

  /** Rehearses phases. A reviewer without a step asks a person. */
  async function timesOf(
    phases: readonly ReturnType<typeof phase>[],
    script: Script,
    more: { readonly limits?: Limits; readonly policy?: Policy } = {},
  ) {
    const pipeline = definePipeline({ name: 'p', limits, phases, ...more });
    return (await rehearse(pipeline, { reviews: { '*': 'ESCALATE: see it' }, ...script })).result;
  }

  it('excludes the hours in which a phase waits for a person', async () => {
    const result = await timesOf([gated, phase('b', { after: ['a'], tasks: [work('print')] })], {
      tasks: { write: takes(4 * SECOND, 'x'), print: takes(5 * SECOND, 'x') },
      people: { a: takes(5 * HOUR, approve()) },
    });
    expect(result).toMatchObject({
      status: 'completed',
      metrics: { durationMs: 9 * SECOND, elapsedMs: 5 * HOUR + 9 * SECOND },
    });
    expectSums(result, limits);
  });

  it('is spent by the rest of the work after the answer of a person', async () => {
    const result = await timesOf([gated, phase('b', { after: ['a'], tasks: [work('print')] })], {
      tasks: { write: takes(4 * SECOND, 'x'), print: takes(7 * SECOND, 'x') },
      people: { a: takes(5 * HOUR, approve()) },
    });
    expect(result).toMatchObject({ status: 'exhausted', limit: 'durationMs', limitsLeft: { durationMs: 0 } });
    expect(result.metrics).toMatchObject({ durationMs: 10 * SECOND, elapsedMs: 5 * HOUR + 10 * SECOND });
  });

  it('includes the work of another phase while a person is asked', async () => {
    const phases = [gated, phase('b', { tasks: [work('print')] })];
    const { metrics } = await timesOf(phases, {
      tasks: { write: 'x', print: takes(6 * SECOND, 'x') },
      people: { a: takes(HOUR, approve()) },
    });
    expect(metrics).toMatchObject({ durationMs: 6 * SECOND, elapsedMs: HOUR });
    const spent = await timesOf(phases, {
      tasks: { write: 'x', print: takes(60 * SECOND, 'x') },
      people: { a: silent() },
    });
    expect(spent).toMatchObject({ status: 'exhausted', limit: 'durationMs' });
  });

  it('excludes the hours in which a person is a task or a reviewer', async () => {
    const a = phase('a', { tasks: [work('think'), asks('ask')], mode: 'sequential' });
    const b = phase('b', { after: ['a'], tasks: [work('write')], review: asks('judge') });
    const result = await timesOf([a, b], {
      tasks: { think: takes(2 * SECOND, 'x'), write: takes(3 * SECOND, 'x') },
      people: { 'a.ask': takes(2 * HOUR, 'yes'), 'b.judge': takes(3 * HOUR, approve()) },
    });
    expect(result).toMatchObject({
      status: 'completed',
      metrics: { durationMs: 5 * SECOND, elapsedMs: 5 * HOUR + 5 * SECOND },
    });
  });

  it("includes the work of a task next to a person's, and then stops", async () => {
    // The second try waits for one second.
    const again = work('again', { retry: { attempts: 2, backoff: { first: SECOND } } });
    const result = await timesOf([phase('a', { tasks: [asks('ask'), work('think'), again] })], {
      tasks: { think: takes(2 * SECOND, 'x'), again: [takes(2 * SECOND, fails('once')), takes(2 * SECOND, 'x')] },
      people: { ask: takes(HOUR, 'yes') },
    });
    expect(result).toMatchObject({ status: 'completed', metrics: { durationMs: 5 * SECOND, elapsedMs: HOUR } });
  });

  it.each([
    ['a person and a model', 1, 1, 4],
    ['two people', 2, 0, 0],
    ['two people and a model', 2, 1, 4],
  ])('includes only the model in a review by %s', async (_, people, models, seconds) => {
    const by = [...['one', 'two'].slice(0, people).map(asks), ...['model'].slice(0, models).map((one) => work(one))];
    const answers = { 'a.one': takes(HOUR, approve()), ...(people > 1 && { 'a.two': takes(2 * HOUR, approve()) }) };
    const { metrics } = await timesOf([phase('a', { tasks: [work('write')], review: { by: by as never } })], {
      tasks: { write: 'x' },
      reviews: { '*': takes(4 * SECOND, approve()) },
      people: answers,
    });
    expect(metrics).toMatchObject({ durationMs: seconds * SECOND, elapsedMs: people * HOUR });
  });

  it('excludes the hours in which another limit holds the run', async () => {
    const a = phase('a', { tasks: [work('pay'), work('more')], mode: 'sequential', review: () => 'APPROVE' });
    const result = await timesOf(
      [a, phase('b', { after: ['a'], tasks: [work('print')] })],
      {
        tasks: { pay: reports({ costUsd: 2 }, 'x'), more: takes(3 * SECOND, 'x'), print: 'x' },
        reviews: { a: approve() },
        people: { costUsd: takes(HOUR, approve()) },
      },
      { limits: { ...limits, costUsd: 1 }, policy: { onLimit: 'escalate' } },
    );
    expect(result).toMatchObject({
      status: 'completed',
      metrics: { durationMs: 3 * SECOND, elapsedMs: HOUR + 3 * SECOND },
    });
  });

  it('includes checks, and the backoff before a repeated review', async () => {
    const checks = [{ name: 'lint', run: () => true }];
    const review = { by: () => 'APPROVE', checks, reviewBackoff: { first: 2 * SECOND } };
    const result = await timesOf([phase('a', { tasks: [work('write')], review })], {
      tasks: { write: 'x' },
      checks: { lint: takes(SECOND, true) },
      reviews: { a: ['no verdict at all', approve()] },
    });
    expect(result).toMatchObject({ status: 'completed', metrics: { durationMs: 3 * SECOND, elapsedMs: 3 * SECOND } });
  });

  it.each([
    [7, { status: 'exhausted', limit: 'durationMs', metrics: { durationMs: 4 * SECOND } }],
    [5, { status: 'completed' }],
  ])('lets a try of at most %d s begin only if it would end in time, after hours with people', async (s, expected) => {
    const late = work('late', { estimate: { durationMs: s * SECOND } });
    const result = await timesOf([gated, phase('b', { after: ['a'], tasks: [late] })], {
      tasks: { write: takes(4 * SECOND, 'x'), late: 'x' },
      people: { a: takes(HOUR, approve()) },
    });
    expect(result).toMatchObject(expected);
  });
});

describe('limits.deadlineMs', () => {
  it('ends a run at its time, even while an item is pending', async () => {
    const time = simulatedTime();
    const a = fake('a', { outputs: [taking(time, SECOND)], verdicts: ['ESCALATE: see it'] });
    const { lines, result, timers } = await play([a, fake('b', { after: ['a'] })], {
      limits: { deadlineMs: HOUR },
      time,
      timed: true,
    });
    const reason = `The limit of ${HOUR} for deadlineMs is spent`;
    expect(lines).toEqual([
      '0 a started 0',
      '1000 a escalated (requested): see it',
      `${HOUR} limit deadlineMs reached ${HOUR}/${HOUR}`,
      `${HOUR} a cancelled by ${reason}`,
      `${HOUR} b skipped by ${reason}`,
      `${HOUR} run exhausted (deadlineMs): ${reason}`,
    ]);
    expect(result).toMatchObject({
      status: 'exhausted',
      limit: 'deadlineMs',
      limitsLeft: { deadlineMs: 0 },
      metrics: { durationMs: SECOND, elapsedMs: HOUR },
    });
    expect(timers()).toBe(0);
  });

  it('holds the run for a person; once lifted, durationMs applies', async () => {
    const time = simulatedTime();
    const { lines } = await play([fake('a', { outputs: [taking(time, 9 * SECOND)] }), fake('b', { after: ['a'] })], {
      limits: { deadlineMs: 2 * SECOND, durationMs: 5 * SECOND },
      policy: { onLimit: 'escalate' },
      time,
      timed: true,
      when: {
        'limit deadlineMs reached 2000/2000': decide('deadlineMs'),
        'a approved v1 (unreviewed)': decide('durationMs'),
      },
    });
    expect(lines).toEqual([
      '0 a started 0',
      '2000 limit deadlineMs reached 2000/2000',
      '2000 limit deadlineMs lifted',
      '5000 limit durationMs reached 5000/5000',
      '9000 a approved v1 (unreviewed)',
      '9000 limit durationMs lifted',
      '9000 b started 0',
      '9000 b approved v1 (unreviewed) from a@1',
      '9000 run completed',
    ]);
  });

  it('keeps a try from beginning that would not end before it', async () => {
    const tasks = [work('one'), work('two', { estimate: { durationMs: 9 * SECOND } })];
    const phases = [phase('a', { tasks, mode: 'sequential' })];
    const pipeline = definePipeline({ name: 'p', limits: { deadlineMs: 10 * SECOND }, phases });
    const { result, prompts } = await rehearse(pipeline, { tasks: { one: takes(2 * SECOND, 'x'), two: 'x' } });
    expect(result).toMatchObject({ status: 'exhausted', limit: 'deadlineMs', metrics: { elapsedMs: 2 * SECOND } });
    expect(() => prompts('two')).toThrow('no call of it had one');
  });

  it('leaves no timer behind in a finished run', async () => {
    const { timers, result } = await play([fake('a')], { limits: { deadlineMs: 5000 } });
    expect(result.status).toBe('completed');
    expect(timers()).toBe(0);
  });
});

/** A pipeline that works for 4 seconds, asks a person, and works for 4 seconds. */
function working(clock: () => SimulatedTime, limits: Limits): Pipeline {
  return definePipeline({
    name: 'p',
    limits,
    phases: [
      phase('draft', {
        tasks: [task('write', { run: () => taking(clock(), 4 * SECOND)() })],
        review: () => 'ESCALATE: see it',
      }),
      phase('print', { after: ['draft'], tasks: [task('press', { run: () => taking(clock(), 4 * SECOND)() })] }),
    ],
  });
}

/** Advances time, and waits for the store before and after. */
async function pass(time: SimulatedTime, ms: number): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await idle();
  await time.pass(ms);
  for (let turn = 0; turn < TURNS; turn++) await idle();
}

const TURNS = 5;

async function left(run: Pick<Run<unknown>, 'suspend' | 'result'>): Promise<void> {
  run.suspend();
  await run.result;
}

/** Returns the snapshot from the stored records alone. */
async function viewOf(store: RunStore, runId: string) {
  const view = foldRun();
  for (const record of await readRun(store, runId)) view.apply(record);
  return view.snapshot();
}

describe('a run that was left', () => {
  const limits = { durationMs: 12 * SECOND, deadlineMs: 48 * HOUR };

  it('can be resumed after it was left while its end waited for stopped work', async () => {
    const store = memoryStore();
    const forever = () => new Promise<never>(() => undefined);
    const spend = ({ report }: TaskContext) => {
      report({ tokens: 2 });
      return forever();
    };
    const pipeline = definePipeline({
      name: 'p',
      limits: { durationMs: HOUR, tokens: 1 },
      phases: [
        phase('spends', { tasks: [task('t', { run: spend })] }),
        phase('stays', { tasks: [task('t', { run: forever })] }),
      ],
    });
    const first = startRun(pipeline, { store, runId: 'r1' });
    first.events$.subscribe(({ event }) => event.type === 'limit.reached' && first.suspend());
    expect((await first.result).status).toBe('suspended');

    const { status, limit } = await (await resumeRun(store, 'r1', pipeline)).result;
    expect({ status, limit }).toEqual({ status: 'exhausted', limit: 'tokens' });
  });

  it('continues with its usage, without the time in which it had no process', async () => {
    const store = memoryStore();
    let time = simulatedTime();
    const pipeline = working(() => time, limits);
    const run = startRun(pipeline, { store, runId: 'r', clock: time.clock });
    await pass(time, 5 * SECOND);
    await left(run);
    time = simulatedTime(20 * HOUR);
    const second = await resumeRun(store, 'r', pipeline, { clock: time.clock });
    await pass(time, HOUR);
    await second.decide('draft', 'APPROVE');
    await pass(time, 3 * SECOND);
    await left(second);
    time = simulatedTime(40 * HOUR);
    const third = await resumeRun(store, 'r', pipeline, { clock: time.clock });
    await pass(time, 4 * SECOND);
    const result = await third.result;
    expect(result.status).toBe('completed');
    // The sum is 4 of the first, 3 of the second, whose work was lost, and 4 of the third.
    expect(result.metrics).toMatchObject({ durationMs: 11 * SECOND, elapsedMs: 40 * HOUR + 4 * SECOND });
    expect(await viewOf(store, 'r')).toMatchObject({ metrics: result.metrics, limitsLeft: result.limitsLeft });
    expectSums(result, limits);
  });

  it('is ended by its remaining work, and by nothing else', async () => {
    const store = memoryStore();
    let time = simulatedTime();
    const pipeline = working(() => time, { durationMs: 6 * SECOND });
    const run = startRun(pipeline, { store, runId: 'r', clock: time.clock });
    await pass(time, 5 * SECOND);
    await left(run);
    time = simulatedTime(20 * HOUR);
    const second = await resumeRun(store, 'r', pipeline, { clock: time.clock });
    await pass(time, HOUR);
    expect(second.snapshot().status).toBe('running');
    await second.decide('draft', 'APPROVE');
    await pass(time, 1999);
    expect(second.snapshot().status).toBe('running');
    await pass(time, 1);
    expect(await second.result).toMatchObject({ status: 'exhausted', limit: 'durationMs' });
    // Spent time stays spent.
    time = simulatedTime(30 * HOUR);
    const again = await retryRun(store, 'r', pipeline, { clock: time.clock });
    await pass(time, 1);
    const result = await again.result;
    expect(result).toMatchObject({ status: 'exhausted', metrics: { durationMs: 6 * SECOND } });
    const events = (await readRun(store, 'r')).map(({ event }) => event.type);
    expect(events.slice(events.indexOf('run.reopened'))).not.toContain('task.started');
    // With more time the run continues from there.
    time = simulatedTime(40 * HOUR);
    const longer = working(() => time, { durationMs: 12 * SECOND });
    const more = await retryRun(store, 'r', longer, { clock: time.clock, allowChanged: true });
    await pass(time, 4 * SECOND);
    expect(await more.result).toMatchObject({ status: 'completed', limitsLeft: { durationMs: 2 * SECOND } });
  });

  it('has worked at least until the last renewal of the lease of its dead process', async () => {
    const store = memoryStore();
    const time = simulatedTime(Date.now() - 600 * SECOND);
    const pipeline = working(() => time, { durationMs: HOUR });
    const holder = `process 9999999 on ${hostname()}`;
    const lost = startRun(pipeline, { store, runId: 'r', clock: time.clock, holder });
    await pass(time, SECOND);
    const run = await resumeRun(store, 'r', pipeline);
    await pass(time, 0);
    const { durationMs } = run.snapshot().metrics;
    // A lease lasts for a minute at most, so its last renewal was less than a minute ago.
    expect(durationMs).toBeGreaterThan(539 * SECOND);
    await left(run);
    expect((await viewOf(store, 'r')).metrics.durationMs).toBeGreaterThanOrEqual(durationMs);
    await left(lost);
  });

  it('is ended at once if its deadline has passed', async () => {
    const store = memoryStore();
    let time = simulatedTime();
    const pipeline = working(() => time, { deadlineMs: HOUR });
    const run = startRun(pipeline, { store, runId: 'r', clock: time.clock });
    await pass(time, 5 * SECOND);
    await left(run);
    time = simulatedTime(2 * HOUR);
    const second = await resumeRun(store, 'r', pipeline, { clock: time.clock });
    await pass(time, 1);
    expect(await second.result).toMatchObject({ status: 'exhausted', limit: 'deadlineMs' });
  });

  it('of an earlier version counts all time, as it did at its start', async () => {
    const store = memoryStore();
    let time = simulatedTime();
    const pipeline = working(() => time, { durationMs: HOUR });
    const run = startRun(pipeline, { store, runId: 'r', clock: time.clock });
    await pass(time, 5 * SECOND);
    await left(run);
    const old = memoryStore();
    const records = (await readRun(store, 'r')).map((record) =>
      record.event.type === 'run.started' ? { ...record, event: { ...record.event, edition: 2 } } : record,
    );
    const { lease: _lease, ...info } = (await store.run('r')) ?? {};
    await old.append({ runId: 'r', records, info: info as RunInfo, items: [], artifacts: [] });
    time = simulatedTime(HOUR - SECOND);
    const second = await resumeRun(old, 'r', pipeline, { clock: time.clock });
    await pass(time, 999);
    expect(second.snapshot()).toMatchObject({ status: 'running', metrics: { durationMs: HOUR - SECOND } });
    await pass(time, 1);
    expect(await second.result).toMatchObject({ status: 'exhausted', limit: 'durationMs' });
  });
});

describe('a fork', () => {
  it('has neither the used time of the other run, nor its deadline', async () => {
    const limits = { durationMs: 5 * SECOND, deadlineMs: 2 * HOUR };
    const store = memoryStore();
    const start = Date.now();
    let time = simulatedTime(start - 3 * HOUR);
    const pipeline = working(() => time, { ...limits, deadlineMs: 9 * HOUR });
    const run = startRun(pipeline, { store, runId: 'r', clock: time.clock });
    await pass(time, 5 * SECOND);
    await left(run);
    await forkRun(store, 'r', { at: { phase: 'draft' }, runId: 'f' });
    expect((await viewOf(store, 'f')).metrics).toMatchObject({ durationMs: 0, elapsedMs: 0 });
    const made = (await store.run('f'))?.startedAt ?? 0;
    time = simulatedTime(made + HOUR);
    const fork = await resumeRun(store, 'f', pipeline, { clock: time.clock, limits });
    await pass(time, 4 * SECOND);
    expect(fork.snapshot().metrics).toMatchObject({ durationMs: 4 * SECOND, elapsedMs: HOUR + 4 * SECOND });
    await pass(time, HOUR - 5 * SECOND);
    expect(fork.snapshot().status).toBe('running');
    await pass(time, SECOND);
    const result = await fork.result;
    expect(result).toMatchObject({ status: 'exhausted', limit: 'deadlineMs' });
    expect(await viewOf(store, 'f')).toMatchObject({ metrics: result.metrics, limitsLeft: result.limitsLeft });
  });

  it('excludes the time between its creation and its start, at any cut', async () => {
    const store = memoryStore();
    let time = simulatedTime(Date.now());
    const pipeline = working(() => time, { durationMs: 10 * SECOND });
    const run = startRun(pipeline, { store, runId: 'r', clock: time.clock });
    await pass(time, 5 * SECOND);
    await run.decide('draft', 'APPROVE');
    await pass(time, 4 * SECOND);
    expect((await run.result).status).toBe('completed');
    const records = await readRun(store, 'r');
    const places = records.flatMap(({ seq, event }) => (event.type === 'run.ended' ? [] : [seq]));
    for (const at of places) {
      const runId = await forkRun(store, 'r', { at });
      time = simulatedTime(Date.now() + 5 * HOUR);
      const fork = await resumeRun(store, runId, pipeline, { clock: time.clock });
      await pass(time, 4 * SECOND);
      if (fork.snapshot().waiting.length > 0) await fork.decide('draft', 'APPROVE');
      await pass(time, 4 * SECOND);
      const { status, metrics } = await fork.result;
      expect([at, status, metrics.durationMs % (4 * SECOND)]).toEqual([at, 'completed', 0]);
    }
  });
});
