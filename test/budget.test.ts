/** Tries with an estimate do not begin if the estimate exceeds what is left of a limit. */
import { describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  phase,
  retryRun,
  startRun,
  task,
  type Estimate,
  type Limits,
  type TaskContext,
  memoryStore,
  readRun,
} from '../src/index.ts';
import type { RunState } from '../src/machines/coordinator/run-state.ts';
import { createQuota } from '../src/machines/coordinator/quota.ts';
import { Reservation } from '../src/machines/phase/quota-port.ts';
import type { RunRecord } from '../src/records.ts';
import { crashAfter, rehearse, reports } from '../src/testing.ts';
import { fake, oneTask, play, simulatedTime, type PlayOptions } from './rig.ts';

/** Defines a task that runs for `ms`, and then reports its usage. */
function spender(name: string, estimate: Estimate, used: number, ms: number, more: object = {}) {
  return task(name, {
    estimate,
    ...more,
    run: async (context: TaskContext) => {
      await pass(context, ms);
      context.report({ costUsd: used });
      return name;
    },
  });
}

let clock = simulatedTime().clock;

function pass({ signal }: Pick<TaskContext, 'signal'>, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clock.clearTimeout(timer);
      reject(new Error('stopped'));
    });
  });
}

/** Runs phases in simulated time. @returns The lines of the run, with times in seconds. */
async function timed(
  tasks: readonly ReturnType<typeof spender>[],
  { mode = 'parallel', ...options }: PlayOptions & { readonly mode?: 'parallel' | 'dependencies' },
) {
  const time = simulatedTime();
  ({ clock } = time);
  const played = await play([fake('a', { tasks, mode })], {
    timed: true,
    detail: ['tasks'],
    time,
    ...options,
  });
  return played;
}

describe('a try with an estimate', () => {
  it('waits if only the reservations of others are in its way, and begins once they have used less', async () => {
    const { lines } = await timed(
      [
        spender('one', { costUsd: 0.6 }, 0.2, 10),
        spender('two', { costUsd: 0.6 }, 0.2, 10),
        spender('three', { costUsd: 0.6 }, 0.2, 10),
      ],
      { limits: { costUsd: 1 } },
    );
    expect(lines).toEqual([
      '0 a started 0',
      '0 a/one try 1',
      '10 a/one done',
      '10 a/two try 1',
      '20 a/two done',
      '20 a/three try 1',
      '30 a/three done',
      '30 a approved v1 (unreviewed)',
      '30 run completed',
    ]);
  });

  it('does not begin if the limit cannot hold it, and the limit is spent', async () => {
    const { lines, records, result } = await timed(
      [spender('one', { costUsd: 0.6 }, 0.6, 10), spender('two', { costUsd: 0.6 }, 0.6, 10)],
      { limits: { costUsd: 1 } },
    );
    const reason = 'What is left of the limit of 1 for costUsd is less than "two" of phase "a" may use: 0.6';
    expect(lines).toEqual([
      '0 a started 0',
      '0 a/one try 1',
      '10 a/one done',
      '10 limit costUsd reached 0.6/1',
      `10 a cancelled by ${reason}`,
      `10 run exhausted (costUsd): ${reason}`,
    ]);
    expect(records.find(({ event }) => event.type === 'limit.reached')?.event).toEqual({
      type: 'limit.reached',
      limit: 'costUsd',
      used: 0.6,
      max: 1,
      holds: null,
      refused: { phase: 'a', task: 'two', estimate: 0.6 },
    });
    expect(result.metrics.costUsd).toBe(0.6);
  });

  it('never begins if the limit is smaller than the estimate', async () => {
    const { lines } = await timed([spender('one', { costUsd: 2 }, 0, 10)], { limits: { costUsd: 1 } });
    expect(lines[1]).toBe('0 limit costUsd reached 0/1');
  });

  it('may use the limit in full, even with fractions that do not add up exactly', async () => {
    const tasks = ['one', 'two', 'three'].map((name) => spender(name, { costUsd: 0.1 }, 0.1, 10));
    const { lines } = await timed(tasks, { limits: { costUsd: 0.3 } });
    expect(lines.filter((line) => line.endsWith('try 1'))).toEqual(
      ['one', 'two', 'three'].map((one) => `0 a/${one} try 1`),
    );
    expect(lines.at(-1)).toBe('10 run completed');
  });

  it('is served before a smaller one that asked later, so that it does not starve', async () => {
    const { lines } = await timed(
      [
        spender('long', { costUsd: 0.5 }, 0, 10),
        spender('large', { costUsd: 1 }, 0, 10),
        spender('small', { costUsd: 0.1 }, 0, 10),
      ],
      { limits: { costUsd: 1 } },
    );
    expect(lines.filter((line) => line.endsWith('try 1'))).toEqual([
      '0 a/long try 1',
      '10 a/large try 1',
      '20 a/small try 1',
    ]);
  });

  it('does not wait for one that waits for another limit', async () => {
    const { lines } = await timed(
      [
        spender('long', { costUsd: 1 }, 0, 10),
        spender('large', { costUsd: 1 }, 0, 10),
        spender('other', { tokens: 5 }, 0, 10),
      ],
      { limits: { costUsd: 1, tokens: 50 } },
    );
    expect(lines.filter((line) => line.endsWith('try 1'))).toEqual([
      '0 a/long try 1',
      '0 a/other try 1',
      '10 a/large try 1',
    ]);
  });

  it('is charged its actual usage once it exceeds its estimate', async () => {
    const { lines } = await timed(
      [spender('one', { costUsd: 0.1 }, 0.8, 10), spender('two', { costUsd: 0.95 }, 0, 10)],
      { limits: { costUsd: 1 } },
    );
    expect(lines.slice(1, 4)).toEqual(['0 a/one try 1', '10 a/one done', '10 limit costUsd reached 0.8/1']);
  });

  it('is not charged twice while it runs: usage reduces its reservation', async () => {
    const long = task('long', {
      estimate: { costUsd: 0.6 },
      run: async (context) => {
        context.report({ costUsd: 0.6 });
        await pass(context, 100);
        return 'long';
      },
    });
    const second = spender('second', { costUsd: 0.6 }, 0.6, 10, { after: ['quick'] });
    const { lines } = await timed([long, spender('quick', {}, 0, 5), second], {
      limits: { costUsd: 1.2 },
      mode: 'dependencies',
    });
    expect(lines.filter((line) => line.includes('second'))).toEqual(['5 a/second try 1', '15 a/second done']);
  });

  it('is not charged twice if it reports input and output tokens', async () => {
    const long = task('long', {
      estimate: { tokens: 60 },
      run: async (context) => {
        context.report({ inputTokens: 50, outputTokens: 10 });
        await pass(context, 100);
        return 'long';
      },
    });
    const second = spender('second', { tokens: 60 }, 0, 10, { after: ['quick'] });
    const { lines } = await timed([long, spender('quick', {}, 0, 5), second], {
      limits: { tokens: 120 },
      mode: 'dependencies',
    });
    expect(lines.filter((line) => line.includes('second'))).toEqual(['5 a/second try 1', '15 a/second done']);
  });

  it('is refused while it waits if another limit is exceeded, without losing finished work', async () => {
    const time = simulatedTime();
    ({ clock } = time);
    const one = fake('one', { tasks: [spender('work', { costUsd: 0.6 }, 0.6, 10)] });
    const two = fake('two', { tasks: [spender('work', { costUsd: 0.6 }, 0.6, 10)] });
    const { lines } = await play([one, two], { limits: { costUsd: 1 }, time, timed: true });
    expect(lines.slice(2, 4)).toEqual(['10 one approved v1 (unreviewed)', '10 limit costUsd reached 0.6/1']);
  });

  it('returns what it has not used if it fails, and reserves again for the next try', async () => {
    let calls = 0;
    const failing = task('failing', {
      estimate: { costUsd: 1 },
      retry: { attempts: 2, backoff: { first: 5 } },
      run: async (context) => {
        calls += 1;
        await pass(context, 10);
        context.report({ costUsd: 0 });
        if (calls === 1) throw new Error('busy');
        return 'failing';
      },
    });
    const { lines } = await timed([failing, spender('two', { costUsd: 1 }, 0, 10)], { limits: { costUsd: 1 } });
    expect(lines.slice(1, -3)).toEqual([
      '0 a/failing try 1',
      '10 a/failing again in 5 with TASK_FAILED',
      '10 a/two try 1',
      '20 a/two done',
      '20 a/failing try 2',
    ]);
  });

  it('keeps its reservation while it ignores its timeout, and is charged it then', async () => {
    const stuck = task('stuck', { estimate: { costUsd: 1 }, timeout: 10, run: () => new Promise(() => undefined) });
    const next = fake('b', { tasks: [spender('work', { costUsd: 1 }, 0, 10)] });
    const time = simulatedTime();
    ({ clock } = time);
    const { lines, result } = await play([fake('a', { tasks: [stuck] }), next], {
      limits: { costUsd: 1 },
      timed: true,
      time,
      detail: ['tasks'],
    });
    expect(lines.filter((line) => line.includes('b/work'))).toEqual([]);
    expect(lines).toContain('5010 limit costUsd reached 1/1');
    expect(result).toMatchObject({ status: 'exhausted', limit: 'costUsd', metrics: { costUsd: 1 } });
  });

  it('ends with its attempt while it waits, if another task of the phase fails', async () => {
    const failing = task('failing', {
      estimate: { costUsd: 1 },
      run: async (context) => {
        await pass(context, 10);
        throw new Error('broken');
      },
    });
    const { lines } = await timed([failing, spender('two', { costUsd: 1 }, 0, 10)], { limits: { costUsd: 1 } });
    expect(lines.slice(1)).toEqual([
      '0 a/failing try 1',
      '10 a/failing failed with TASK_FAILED',
      '10 a/two failed with TASK_FAILED',
      '10 a failed with TASK_FAILED',
      '10 run failed',
    ]);
  });

  it('is bounded in a reviewer as well', async () => {
    const judge = task('judge', { estimate: { tokens: 100 }, run: () => 'APPROVE' });
    const note = phase('note', {
      tasks: [task('work', { run: ({ report }) => report({ tokens: 50 }) })],
      review: judge,
    });
    const run = startRun(definePipeline({ name: 'p', phases: [note], limits: { tokens: 149 } }));
    const { status, limit, reason } = await run.result;
    expect({ status, limit, reason }).toEqual({
      status: 'exhausted',
      limit: 'tokens',
      reason: 'What is left of the limit of 149 for tokens is less than "judge" of phase "note" may use: 100',
    });
  });

  it('does not wait for a limit of another kind', async () => {
    const { lines } = await timed([spender('one', { tokens: 9 }, 0, 10), spender('two', { tokens: 9 }, 0, 10)], {
      limits: { costUsd: 1 },
    });
    expect(lines.slice(1, 3)).toEqual(['0 a/one try 1', '0 a/two try 1']);
  });

  it('does not wait if it has no estimate, although others do', async () => {
    const costly = ['one', 'two'].map((name) => spender(name, { costUsd: 1 }, 0, 10));
    const { lines } = await timed([...costly, spender('free', { tokens: 9 }, 0, 10)], { limits: { costUsd: 1 } });
    expect(lines.slice(1, 3)).toEqual(['0 a/one try 1', '0 a/free try 1']);
  });

  it.each<[string, Limits]>([
    ['one limit', { costUsd: 1 }],
    ['another limit that nobody waits for', { costUsd: 1, tokens: 9, durationMs: 9 }],
  ])('is checked only a few times, however many wait: %s', (_, limits) => {
    const usage = { costUsd: 0, tokens: 0 };
    const ports = { publish: () => undefined, later: (work: () => void) => work() };
    const state = {
      plan: { limits },
      usage,
      blockingLimits: [],
      liftedLimits: [],
      ended: undefined,
      ports,
    } as unknown as RunState;
    const till = createQuota(state);
    const begun: Reservation[] = [];
    let looks = 0;
    for (let nth = 0; nth < 200; nth++) {
      const stake: Reservation = new Reservation(
        'a',
        `t${nth}`,
        { costUsd: 1 },
        () => begun.push(stake),
        () => true,
      );
      Object.defineProperty(stake, 'estimate', { get: () => ((looks += 1), { costUsd: 1 }) });
      till?.request(stake);
    }
    for (const stake of begun) till?.release(stake);
    expect(begun.length).toBe(200);
    expect(looks).toBeLessThan(200 * 40);
  });
});

describe("onLimit: 'escalate'", () => {
  const policy = { onLimit: 'escalate' } as const;
  const tasks = () => [spender('one', { costUsd: 0.6 }, 0.6, 10), spender('two', { costUsd: 0.6 }, 0.6, 10)];

  it('holds the try until a person lifts the limit, and then begins the same try', async () => {
    const { lines, result } = await timed(tasks(), {
      limits: { costUsd: 1 },
      policy,
      when: { 'limit costUsd reached 0.6/1': (run) => run.decide('costUsd', 'APPROVE') },
    });
    expect(lines.slice(2)).toEqual([
      '10 a/one done',
      '10 limit costUsd reached 0.6/1',
      '10 limit costUsd lifted',
      '10 a/two try 1',
      '20 a/two done',
      '20 a approved v1 (unreviewed)',
      '20 run completed',
    ]);
    expect(result.metrics.costUsd).toBe(1.2);
  });

  it('ends the run if the person rejects', async () => {
    const { lines, result } = await timed(tasks(), {
      limits: { costUsd: 1 },
      policy,
      when: { 'limit costUsd reached 0.6/1': (run) => run.decide('costUsd', 'REJECT: enough') },
    });
    expect(lines.at(-1)).toBe('10 run exhausted (costUsd): The limit for costUsd is spent, and was not lifted: enough');
    expect(result.metrics.costUsd).toBe(0.6);
  });

  it('names the try in the inbox item', async () => {
    let reason = '';
    await timed(tasks(), {
      limits: { costUsd: 1 },
      policy,
      when: {
        'limit costUsd reached 0.6/1': (run) => {
          reason = run.inbox()[0]?.reason ?? '';
          return run.decide('costUsd', 'APPROVE');
        },
      },
    });
    expect(reason).toBe('What is left of the limit of 1 for costUsd is less than "two" of phase "a" may use: 0.6');
  });
});

describe('a limit of time', () => {
  it('keeps a try from beginning if its timeout ends after the limit', async () => {
    const { lines } = await timed(
      [spender('one', { durationMs: 20 }, 0, 20), spender('two', { durationMs: 15 }, 0, 1, { after: ['one'] })],
      { limits: { durationMs: 30 }, mode: 'dependencies' },
    );
    const reason = 'What is left of the limit of 30 for durationMs is less than "two" of phase "a" may use: 15';
    expect(lines.slice(1)).toEqual([
      '0 a/one try 1',
      '20 a/one done',
      '20 limit durationMs reached 15/30',
      `20 a cancelled by ${reason}`,
      `20 run exhausted (durationMs): ${reason}`,
    ]);
  });

  it('lets a try begin if it ends just in time, and refuses one that is longer than the limit', async () => {
    const one = [
      spender('one', { durationMs: 20 }, 0, 20),
      spender('two', { durationMs: 9 }, 0, 9, { after: ['one'] }),
    ];
    expect((await timed(one, { limits: { durationMs: 30 }, mode: 'dependencies' })).lines.at(-1)).toBe(
      '29 run completed',
    );
    const { lines } = await timed([spender('one', { durationMs: 31 }, 0, 1)], { limits: { durationMs: 30 } });
    expect(lines.slice(1, 2)).toEqual(['0 limit durationMs reached 0/30']);
  });
});

describe('a run that is left and resumed', () => {
  const tasksOf = (name: string) => [task(name, { estimate: { costUsd: 0.6 }, run: () => name })];
  const pair = definePipeline({
    name: 'p',
    limits: { costUsd: 1 },
    policy: { onLimit: 'escalate' },
    phases: [phase('a', { tasks: tasksOf('one') }), phase('b', { tasks: tasksOf('two') })],
  });
  const startsIn = (records: readonly RunRecord[]) =>
    records.flatMap(({ event }) => (event.type === 'task.started' ? event.task : []));

  it('reserves again for running tries, and waiting tries wait again', async () => {
    const { result, records } = await rehearse(pair, {
      tasks: { '*': reports({ costUsd: 0.1 }, 'done') },
      crashes: [crashAfter('task.started')],
    });
    expect(result.status).toBe('completed');
    expect(startsIn(records)).toEqual(['one', 'one', 'two']);
    const after = records.findIndex(({ event }) => event.type === 'task.completed');
    expect(startsIn(records.slice(0, after))).not.toContain('two');
  });

  it('stays held after resume, and lifting the limit lets the same try begin', async () => {
    const { result, records } = await rehearse(pair, {
      tasks: { '*': reports({ costUsd: 0.6 }, 'done') },
      people: { costUsd: [approve()] },
      crashes: [crashAfter('limit.reached')],
    });
    expect(result).toMatchObject({ status: 'completed', metrics: { costUsd: 1.2 } });
    const types = records.map(({ event }) => event.type).filter((type) => /^limit|resumed/u.test(type));
    expect(types).toEqual(['limit.reached', 'run.resumed', 'limit.lifted']);
    expect(startsIn(records)).toEqual(['one', 'two']);
  });

  it('reserves again after a limit was exhausted and the run is retried', async () => {
    const store = memoryStore();
    const one = task('one', { estimate: { costUsd: 2 }, run: () => 1 });
    const pipeline = oneTask(one, { limits: { costUsd: 1 } });
    expect((await startRun(pipeline, { store, runId: 'r1' }).result).status).toBe('exhausted');
    expect((await (await retryRun(store, 'r1', pipeline)).result).status).toBe('exhausted');
    const reached = (await readRun(store, 'r1')).filter(({ event }) => event.type === 'limit.reached');
    expect(reached).toHaveLength(2);
  });
});
