/** The two limits of time: `durationMs` for work, and `deadlineMs` for all time. */
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import {
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
  type Run,
  type RunResult,
  type TaskContext,
  memoryStore,
  readRun,
} from '../src/index.ts';
import type { RunInfo, RunStore } from '../src/store.ts';
import { foldRun } from '../src/projections/run/run-view.ts';
import { fake, fakeCheck, idle, play, simulatedTime, type SimulatedTime } from './rig.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;

/** Returns work that takes simulated time. */
function taking(time: SimulatedTime, ms: number, value = 'done'): () => Promise<string> {
  return () => new Promise((resolve) => time.clock.setTimeout(() => resolve(value), ms));
}

/** Advances time, then answers the pending item. */
function answerAfter(time: SimulatedTime, ms: number, give: (run: Run) => unknown): (run: Run) => Promise<void> {
  return async (run) => {
    await time.pass(ms);
    await give(run);
  };
}

function decide(about: string): (run: Run) => Promise<void> {
  return (run) => run.decide(about, 'APPROVE');
}

/** Returns a function that answers the item of a task or a reviewer. */
function answer(name: string): (run: Run) => Promise<void> {
  return async (run) => {
    const item = run.inbox().find((one) => one.task === name);
    if (!item) throw new Error(`nobody asks for ${name}`);
    await run.answer(
      item.id,
      item.kind === 'task' ? { type: 'value', value: 'yes' } : { type: 'decide', decision: 'APPROVE' },
    );
  };
}

/** Asserts that the rest of a limit and its usage add up to the limit. */
function expectSums(
  { limitsLeft, metrics }: Pick<RunResult, 'limitsLeft' | 'metrics'>,
  { durationMs = 0, deadlineMs = 0 }: Limits,
): void {
  expect((limitsLeft.durationMs ?? 0) + Math.min(metrics.durationMs, durationMs)).toBe(durationMs);
  expect((limitsLeft.deadlineMs ?? 0) + Math.min(metrics.elapsedMs, deadlineMs)).toBe(deadlineMs);
}

const asksModel = (time: SimulatedTime, ms: number) => task('model', { run: taking(time, ms, 'APPROVE') });

describe('limits.durationMs', () => {
  const limits = { durationMs: 10 * SECOND, deadlineMs: 24 * HOUR };

  it('excludes the hours in which a phase waits for a person', async () => {
    const time = simulatedTime();
    const a = fake('a', { outputs: [taking(time, 4 * SECOND)], verdicts: ['ESCALATE: see it'] });
    const b = fake('b', { after: ['a'], outputs: [taking(time, 5 * SECOND)] });
    const { lines, result } = await play([a, b], {
      limits,
      time,
      timed: true,
      when: { 'a escalated (requested): see it': answerAfter(time, 5 * HOUR, decide('a')) },
    });
    expect(lines.at(-1)).toBe(`${5 * HOUR + 9 * SECOND} run completed`);
    expect(result.metrics).toMatchObject({ durationMs: 9 * SECOND, elapsedMs: 5 * HOUR + 9 * SECOND });
    expectSums(result, limits);
  });

  it('is spent by the rest of the work after the answer of a person', async () => {
    const time = simulatedTime();
    const a = fake('a', { outputs: [taking(time, 4 * SECOND)], verdicts: ['ESCALATE: see it'] });
    const b = fake('b', { after: ['a'], outputs: [taking(time, 7 * SECOND)] });
    const { lines, result } = await play([a, b], {
      limits,
      time,
      timed: true,
      when: { 'a escalated (requested): see it': answerAfter(time, 5 * HOUR, decide('a')) },
    });
    expect(lines).toContain(`${5 * HOUR + 10 * SECOND} limit durationMs reached 10000/10000`);
    expect(result).toMatchObject({ status: 'exhausted', limit: 'durationMs', limitsLeft: { durationMs: 0 } });
  });

  it('includes the work of another phase while a person is asked', async () => {
    const time = simulatedTime();
    const a = fake('a', { verdicts: ['ESCALATE: see it'] });
    const b = fake('b', { outputs: [taking(time, 6 * SECOND)] });
    const { result } = await play([a, b], {
      limits,
      time,
      timed: true,
      when: { 'b approved v1 (unreviewed)': answerAfter(time, HOUR, decide('a')) },
    });
    expect(result.metrics).toMatchObject({ durationMs: 6 * SECOND, elapsedMs: HOUR + 6 * SECOND });
    const long = fake('b', { outputs: [taking(time, 60 * SECOND)] });
    const spent = await play([fake('a', { verdicts: ['ESCALATE: see it'] }), long], { limits, time });
    expect(spent.result).toMatchObject({ status: 'exhausted', limit: 'durationMs' });
  });

  it('excludes the hours in which a person is a task or a reviewer', async () => {
    const time = simulatedTime();
    const ask = task('ask', { run: human({ question: 'How much?' }) });
    const a = fake('a', { tasks: [task('think', { run: taking(time, 2 * SECOND) }), ask], mode: 'sequential' });
    const b = {
      ...fake('b'),
      definition: phase('b', {
        after: ['a'],
        tasks: [task('work', { run: taking(time, 3 * SECOND) })],
        review: human({ question: 'Good?' }),
      }),
    };
    const { result } = await play([a, b], {
      limits,
      time,
      when: {
        'a/ask asks: How much?': answerAfter(time, 2 * HOUR, answer('ask')),
        'b/review asks as reviewer: Good?': answerAfter(time, 3 * HOUR, answer('review')),
      },
    });
    expect(result).toMatchObject({
      status: 'completed',
      metrics: { durationMs: 5 * SECOND, elapsedMs: 5 * HOUR + 5 * SECOND },
    });
  });

  it("includes the work of a task next to a person's, and then stops", async () => {
    const time = simulatedTime();
    const a = fake('a', {
      tasks: [
        task('ask', { run: human({ question: 'How much?' }) }),
        task('think', { run: taking(time, 2 * SECOND) }),
        // The second try waits for one second.
        task('again', {
          retry: { attempts: 2, backoff: { first: SECOND } },
          run: async () => {
            await taking(time, 2 * SECOND)();
            tries += 1;
            if (tries === 1) throw new Error('once');
          },
        }),
      ],
    });
    let tries = 0;
    const { result } = await play([a], {
      limits,
      time,
      detail: ['tasks'],
      when: { 'a/again done': answerAfter(time, HOUR, answer('ask')) },
    });
    expect(result).toMatchObject({
      status: 'completed',
      metrics: { durationMs: 5 * SECOND, elapsedMs: HOUR + 5 * SECOND },
    });
  });

  it.each([
    ['a person and a model', 1, 1, 4],
    ['two people', 2, 0, 0],
    ['two people and a model', 2, 1, 4],
  ])('includes only the model in a review by %s', async (_, people, models, seconds) => {
    const time = simulatedTime();
    const persons = Array.from({ length: people }, (_one, index) =>
      task(`person ${index + 1}`, { run: human({ question: 'Good?' }) }),
    );
    const by = [...persons, ...(models > 0 ? [asksModel(time, 4 * SECOND)] : [])];
    const review = { by: by as never };
    const gated = { ...fake('a'), definition: phase('a', { tasks: [task('work', { run: () => 'x' })], review }) };
    const { result } = await play([gated], {
      limits,
      time,
      when: {
        [`a/person ${people} asks as reviewer: Good?`]: async (run) => {
          for (const one of persons) {
            await pass(time, HOUR);
            await answer(one.name)(run);
          }
        },
      },
    });
    expect(result.metrics.durationMs).toBe(seconds * SECOND);
    expect(result.metrics.elapsedMs).toBeGreaterThanOrEqual(people * HOUR);
  });

  it('excludes the hours in which another limit holds the run', async () => {
    const time = simulatedTime();
    const spend = fake('a', {
      tasks: [
        task('pay', { run: ({ report }) => report({ costUsd: 2 }) }),
        task('more', { run: taking(time, 3 * SECOND) }),
      ],
      mode: 'sequential',
      verdicts: ['APPROVE'],
    });
    const { result } = await play([spend, fake('b', { after: ['a'] })], {
      limits: { ...limits, costUsd: 1 },
      policy: { onLimit: 'escalate' },
      time,
      when: { 'limit costUsd reached 2/1': answerAfter(time, HOUR, decide('costUsd')) },
    });
    expect(result).toMatchObject({
      status: 'completed',
      metrics: { durationMs: 3 * SECOND, elapsedMs: HOUR + 3 * SECOND },
    });
  });

  it('includes checks, and the backoff before a repeated review', async () => {
    const time = simulatedTime();
    const a = fake('a', {
      checks: [fakeCheck('lint', [async () => (await taking(time, SECOND)(), true)])],
      verdicts: ['no verdict at all', 'APPROVE'],
      reviewBackoff: { first: 2 * SECOND },
    });
    const { result } = await play([a], { limits, time });
    expect(result).toMatchObject({ status: 'completed', metrics: { durationMs: 3 * SECOND, elapsedMs: 3 * SECOND } });
  });

  it('keeps a try from beginning that would not end in time, even after hours with people', async () => {
    const time = simulatedTime();
    const a = fake('a', { outputs: [taking(time, 4 * SECOND)], verdicts: ['ESCALATE: see it'] });
    const late = { estimate: { durationMs: 7 * SECOND }, run: () => 'late' };
    const b = fake('b', { after: ['a'], tasks: [task('late', late)] });
    const { lines } = await play([a, b], {
      limits,
      time,
      when: { 'a escalated (requested): see it': answerAfter(time, HOUR, decide('a')) },
    });
    expect(lines).toContain('limit durationMs reached 3000/10000');
    const fits = fake('b', { after: ['a'], tasks: [task('fits', { ...late, estimate: { durationMs: 5 * SECOND } })] });
    const again = await play(
      [fake('a', { outputs: [taking(time, 4 * SECOND)], verdicts: ['ESCALATE: see it'] }), fits],
      {
        limits,
        time,
        when: { 'a escalated (requested): see it': answerAfter(time, HOUR, decide('a')) },
      },
    );
    expect(again.result.status).toBe('completed');
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
    const time = simulatedTime();
    const tasks = [
      task('one', { run: taking(time, 2 * SECOND) }),
      task('two', { estimate: { durationMs: 9 * SECOND }, run: () => 'x' }),
    ];
    const { lines } = await play([fake('a', { tasks, mode: 'sequential' })], {
      limits: { deadlineMs: 10 * SECOND },
      time,
      timed: true,
    });
    expect(lines).toContain('2000 limit deadlineMs reached 1000/10000');
  });

  it('leaves no timer behind in a finished run', async () => {
    const { timers, result } = await play([fake('a')], { limits: { deadlineMs: 5000 } });
    expect(result.status).toBe('completed');
    expect(timers()).toBe(0);
  });
});

/** Creates simulated time that starts at a given time. */
function clockAt(now: number): SimulatedTime {
  const time = simulatedTime();
  return { ...time, clock: { ...time.clock, now: () => now + time.clock.now() } };
}

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
    let time = clockAt(0);
    const pipeline = working(() => time, limits);
    const run = startRun(pipeline, { store, runId: 'r', clock: time.clock });
    await pass(time, 5 * SECOND);
    await left(run);
    time = clockAt(20 * HOUR);
    const second = await resumeRun(store, 'r', pipeline, { clock: time.clock });
    await pass(time, HOUR);
    await second.decide('draft', 'APPROVE');
    await pass(time, 3 * SECOND);
    await left(second);
    time = clockAt(40 * HOUR);
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
    let time = clockAt(0);
    const pipeline = working(() => time, { durationMs: 6 * SECOND });
    const run = startRun(pipeline, { store, runId: 'r', clock: time.clock });
    await pass(time, 5 * SECOND);
    await left(run);
    time = clockAt(20 * HOUR);
    const second = await resumeRun(store, 'r', pipeline, { clock: time.clock });
    await pass(time, HOUR);
    expect(second.snapshot().status).toBe('running');
    await second.decide('draft', 'APPROVE');
    await pass(time, 1999);
    expect(second.snapshot().status).toBe('running');
    await pass(time, 1);
    expect(await second.result).toMatchObject({ status: 'exhausted', limit: 'durationMs' });
    // Spent time stays spent.
    time = clockAt(30 * HOUR);
    const again = await retryRun(store, 'r', pipeline, { clock: time.clock });
    await pass(time, 1);
    const result = await again.result;
    expect(result).toMatchObject({ status: 'exhausted', metrics: { durationMs: 6 * SECOND } });
    const events = (await readRun(store, 'r')).map(({ event }) => event.type);
    expect(events.slice(events.indexOf('run.reopened'))).not.toContain('task.started');
    // With more time the run continues from there.
    time = clockAt(40 * HOUR);
    const longer = working(() => time, { durationMs: 12 * SECOND });
    const more = await retryRun(store, 'r', longer, { clock: time.clock, allowChanged: true });
    await pass(time, 4 * SECOND);
    expect(await more.result).toMatchObject({ status: 'completed', limitsLeft: { durationMs: 2 * SECOND } });
  });

  it('has worked at least until the last renewal of the lease of its dead process', async () => {
    const store = memoryStore();
    const time = clockAt(Date.now() - 600 * SECOND);
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
    let time = clockAt(0);
    const pipeline = working(() => time, { deadlineMs: HOUR });
    const run = startRun(pipeline, { store, runId: 'r', clock: time.clock });
    await pass(time, 5 * SECOND);
    await left(run);
    time = clockAt(2 * HOUR);
    const second = await resumeRun(store, 'r', pipeline, { clock: time.clock });
    await pass(time, 1);
    expect(await second.result).toMatchObject({ status: 'exhausted', limit: 'deadlineMs' });
  });

  it('of an earlier version counts all time, as it did at its start', async () => {
    const store = memoryStore();
    let time = clockAt(0);
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
    time = clockAt(HOUR - SECOND);
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
    let time = clockAt(start - 3 * HOUR);
    const pipeline = working(() => time, { ...limits, deadlineMs: 9 * HOUR });
    const run = startRun(pipeline, { store, runId: 'r', clock: time.clock });
    await pass(time, 5 * SECOND);
    await left(run);
    await forkRun(store, 'r', { at: { phase: 'draft' }, runId: 'f' });
    expect((await viewOf(store, 'f')).metrics).toMatchObject({ durationMs: 0, elapsedMs: 0 });
    const made = (await store.run('f'))?.startedAt ?? 0;
    time = clockAt(made + HOUR);
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
    let time = clockAt(Date.now());
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
      time = clockAt(Date.now() + 5 * HOUR);
      const fork = await resumeRun(store, runId, pipeline, { clock: time.clock });
      await pass(time, 4 * SECOND);
      if (fork.snapshot().waiting.length > 0) await fork.decide('draft', 'APPROVE');
      await pass(time, 4 * SECOND);
      const { status, metrics } = await fork.result;
      expect([at, status, metrics.durationMs % (4 * SECOND)]).toEqual([at, 'completed', 0]);
    }
  });
});
