/** Spent money stays spent: nothing starts at a spent limit, and usage of tries counts however they end. */
import { describe, expect, it } from 'vitest';
import {
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
import type { RunStore } from '../src/store.ts';
import { crashAfter, rehearse } from '../src/testing.ts';
import { fake, idle, never, oneTask, play, simulatedTime, untilAborted } from './rig.ts';

type Heard = Pick<TaskContext, 'signal' | 'report'>;

/** Tasks that report their usage on abort: at once, or when they stop. */
const telling = {
  'in the moment': ({ signal, report }: Heard, tokens: number) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        report({ tokens });
        reject(new Error('stopped'));
      });
    }),
  'as it breaks off': async ({ signal, report }: Heard, tokens: number) => {
    try {
      return await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')));
      });
    } catch (error) {
      report({ tokens });
      throw error;
    }
  },
} as const;
const WAYS = ['in the moment', 'as it breaks off'] as const;

describe('a spent limit', () => {
  const spend = (tokens: number) => (context: Pick<TaskContext, 'report'>) => {
    context.report({ tokens });
    return 'APPROVE';
  };

  it('starts no task at exactly 100 of 100, without an estimate', async () => {
    const { lines, result, records } = await play(
      [fake('a', { outputs: [spend(100)] }), fake('b', { after: ['a'], outputs: [spend(1)] })],
      { limits: { tokens: 100 }, detail: ['tasks'] },
    );
    expect(lines.slice(2)).toEqual([
      'a/work done',
      'a approved v1 (unreviewed)',
      'b started 0',
      'limit tokens reached 100/100',
      'b cancelled by The limit of 100 for tokens is spent',
      'run exhausted (tokens): The limit of 100 for tokens is spent',
    ]);
    expect(result.metrics.tokens).toBe(100);
    expect(records.find(({ event }) => event.type === 'limit.reached')?.event).toMatchObject({
      refused: { phase: 'b', task: 'work' },
    });
  });

  it('asks no reviewer, and lets a run end that has nothing more to start', async () => {
    const gated = [fake('a', { outputs: [spend(100)], verdicts: ['APPROVE'] })];
    expect((await play(gated, { limits: { tokens: 100 } })).result.status).toBe('exhausted');
    expect((await play([fake('a', { outputs: [spend(100)] })], { limits: { tokens: 100 } })).result.status).toBe(
      'completed',
    );
  });

  it('starts no further task next to running ones of the same phase', async () => {
    const calls: string[] = [];
    const tasks = ['one', 'two', 'three'].map((name) =>
      task(name, {
        run: ({ report }: TaskContext) => {
          calls.push(name);
          report({ costUsd: 1 });
          return name;
        },
      }),
    );
    const { result } = await play([fake('a', { tasks, mode: 'sequential' })], { limits: { costUsd: 2 } });
    expect(calls).toEqual(['one', 'two']);
    expect(result).toMatchObject({ status: 'exhausted', limit: 'costUsd', metrics: { costUsd: 2 } });
  });

  it.each<[string, Estimate | undefined]>([
    ['without an estimate', undefined],
    ['with an estimate', { costUsd: 5 }],
    ['with an estimate of nothing', { costUsd: 0 }],
  ])('starts nothing if the run is retried: %s', async (_, estimate) => {
    const store = memoryStore();
    let calls = 0;
    const make = (more: object) => {
      const run = ({ report }: TaskContext) => {
        calls += 1;
        report({ costUsd: 5 });
        return calls;
      };
      return oneTask(task('work', { ...more, run }), { limits: { costUsd: 1 } });
    };
    const pipeline = make({});
    expect((await startRun(pipeline, { store, runId: 'r1' }).result).metrics.costUsd).toBe(5);
    const spent: number[] = [];
    for (const time of [1, 2, 3]) {
      // With the estimate nothing would have begun in the first place.
      const again = await retryRun(store, 'r1', make({ estimate }), { allowChanged: true });
      const result = await again.result;
      expect({ time, status: result.status, limit: result.limit }).toEqual({
        time,
        status: 'exhausted',
        limit: 'costUsd',
      });
      spent.push(result.metrics.costUsd);
    }
    expect(calls).toBe(1);
    expect(spent).toEqual([5, 5, 5]);
  });

  it('holds everything until a person lifts it, also further tasks of the same attempt', async () => {
    const tasks = [
      task('one', { run: ({ report }) => report({ tokens: 5 }) }),
      task('two', { after: ['one'], run: () => 'two' }),
    ];
    const { lines } = await play([fake('a', { tasks })], {
      policy: { onLimit: 'escalate' },
      limits: { tokens: 3 },
      detail: ['tasks'],
      when: { 'limit tokens reached 5/3': (run) => run.decide('tokens', 'APPROVE') },
    });
    expect(lines.slice(1)).toEqual([
      'a/one try 1',
      'limit tokens reached 5/3',
      'a/one done',
      'limit tokens lifted',
      'a/two try 1',
      'a/two done',
      'a approved v1 (unreviewed)',
      'run completed',
    ]);
  });
});

describe('late usage of a try counts', () => {
  it.each(WAYS)('that times out, %s', async (way) => {
    const work = task('work', {
      timeout: 10,
      retry: { attempts: 5 },
      run: (context: TaskContext) => telling[way](context, 80),
    });
    const { result, lines } = await play([fake('a', { tasks: [work] })], {
      limits: { tokens: 100 },
      detail: ['tasks'],
    });
    expect(lines.filter((line) => line.includes('try'))).toEqual(['a/work try 1', 'a/work try 2']);
    expect(result).toMatchObject({ status: 'exhausted', limit: 'tokens', metrics: { tokens: 160 } });
  });

  it.each(WAYS)('that is cancelled with its run, %s', async (way) => {
    const a = fake('a', { outputs: [(context: TaskContext) => telling[way](context, 80)] });
    const b = fake('b', { outputs: [(context: TaskContext) => telling[way](context, 60)] });
    const { result, records } = await play([a, b], {
      limits: { tokens: 100 },
      when: { 'b started 0': (run) => run.cancel('enough') },
    });
    expect(result).toMatchObject({ status: 'cancelled', metrics: { tokens: 140 } });
    expect(records.at(-1)?.event.type).toBe('run.ended');
  });

  it.each(WAYS)('that is invalidated, %s', async (way) => {
    //  a ──▶ b ──▶ d        d sends a back while c runs
    //  └───▶ c
    const a = fake('a');
    const b = fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: more'], invalidate: 'all' });
    const c = fake('c', { after: ['a'], outputs: [(context: TaskContext) => telling[way](context, 80)] });
    const { result, records } = await play([a, b, c], { limits: { tokens: 1000 } });
    expect(result).toMatchObject({ status: 'completed', metrics: { tokens: 80 } });
    expect(records.find(({ event }) => event.type === 'task.reported')?.event).toMatchObject({
      phase: 'c',
      generation: 0,
      tokens: 80,
      late: true,
    });
  });

  it('whose run ends because of another: it is stored, and readers of the records see it', async () => {
    const store = memoryStore();
    const slow = fake('slow', { outputs: [(context: TaskContext) => telling['as it breaks off'](context, 80)] });
    const big = fake('big', { outputs: [({ report }: TaskContext) => report({ tokens: 200 })] });
    const { result } = await play([slow, big], { limits: { tokens: 100 }, run: { store, runId: 'r1' } });
    expect(result.metrics.tokens).toBe(280);
    const types = (await readRun(store, 'r1')).map(({ event }) => event.type);
    expect(types.slice(-4)).toEqual(['task.reported', 'phase.cancelled', 'phase.cancelled', 'run.ended']);
    expect((await store.run('r1'))?.tokens).toBe(280);
  });

  it('without counting its charge twice', async () => {
    let late: TaskContext | undefined;
    const work = task('work', {
      estimate: { tokens: 100 },
      timeout: 10,
      run: (context: TaskContext) => {
        late = context;
        return never();
      },
    });
    const time = simulatedTime();
    const other = fake('b', { outputs: [(context: TaskContext) => telling['in the moment'](context, 0)] });
    const { result } = await play([fake('a', { tasks: [work] }), other], {
      time,
      limits: { tokens: 1000 },
      when: {
        'a failed with TASK_TIMEOUT': async (run) => {
          late?.report({ tokens: 70 });
          late?.report({ tokens: 50 });
          await idle();
          run.cancel('enough');
        },
      },
    });
    // The charge was 100, and the usage was 120.
    expect(result.metrics.tokens).toBe(120);
  });

  it('unless it is not a number, which breaks nothing', async () => {
    const a = fake('a', {
      outputs: [
        ({ signal, report }: TaskContext) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              report({ tokens: Number.NaN });
              reject(new Error('stopped'));
            });
          }),
      ],
    });
    const { result } = await play([a], { when: { 'a started 0': (run) => run.cancel('enough') } });
    expect(result).toMatchObject({ status: 'cancelled', metrics: { tokens: 0 } });
  });
});

describe('a try that ends without a report is charged its estimate, marked', () => {
  const estimate = { tokens: 60, costUsd: 0.5 };
  const charges = (records: Awaited<ReturnType<typeof play>>['records']) =>
    records.flatMap(({ event }) => (event.type === 'task.reported' && event.estimated ? [event] : []));

  it.each<[string, object, number]>([
    ['ends well', { run: () => 1 }, 1],
    ['throws', { run: () => Promise.reject(new Error('the stream broke')), retry: { attempts: 2 } }, 2],
    ['throws at once', { run: () => JSON.parse('{') as unknown }, 1],
    ['times out and heeds its signal', { timeout: 5, run: (context: TaskContext) => untilAborted(context) }, 1],
    ['times out and does not', { timeout: 5, run: never }, 1],
  ])('if it %s', async (_, options, tries) => {
    const work = task('work', { estimate, run: () => 1, ...options });
    const { result, records } = await play([fake('a', { tasks: [work] })], { limits: { tokens: 1000 } });
    expect(result.metrics).toMatchObject({ tokens: 60 * tries, costUsd: 0.5 * tries });
    expect(charges(records)).toHaveLength(tries);
    expect(charges(records)[0]).toMatchObject({ ...estimate, estimated: true });
  });

  it.each<[string, (context: TaskContext) => Promise<unknown>]>([
    ['heeds its signal', (context) => untilAborted(context)],
    ['does not', () => never()],
  ])('if its run is cancelled and it %s', async (_, run) => {
    const work = task('work', { estimate, run });
    const { result, records } = await play([fake('a', { tasks: [work] })], {
      when: { 'a started 0': (one) => one.cancel('enough') },
    });
    expect(result).toMatchObject({ status: 'cancelled', metrics: { tokens: 60 } });
    expect(charges(records)).toHaveLength(1);
  });

  it('for the parts that it has not reported, and no others', async () => {
    const work = task('work', { estimate, run: ({ report }) => report({ tokens: 7 }) });
    const { result } = await play([fake('a', { tasks: [work] })]);
    expect(result.metrics).toMatchObject({ tokens: 7, costUsd: 0.5 });
  });

  it('also for a reviewer', async () => {
    const judge = task('judge', { estimate, run: () => 'APPROVE' });
    const pipeline = definePipeline({
      name: 'p',
      phases: [phase('a', { tasks: [task('work', { run: () => 1 })], review: judge })],
    });
    const { metrics } = await startRun(pipeline).result;
    expect(metrics).toMatchObject({ tokens: 60, costUsd: 0.5 });
  });

  it('and the charge spends the limit: tries that always time out do not continue for ever', async () => {
    const limits: Limits = { tokens: 100 };
    const work = task('work', { estimate: { tokens: 40 }, timeout: 5, retry: { attempts: 9 }, run: never });
    const { result } = await play([fake('a', { tasks: [work] })], { limits });
    expect(result).toMatchObject({ status: 'exhausted', limit: 'tokens', metrics: { tokens: 80 } });
  });

  it('in a run whose process died and that is resumed, when it ends', async () => {
    const crashes = [crashAfter('task.started')];
    const { result } = await rehearse(oneTask(task('work', { estimate, run: () => 1 })), {
      tasks: { work: 1 },
      crashes,
    });
    expect(result.metrics.tokens).toBe(60);
  });
});

describe('a try that has begun in the records, but whose handler was not called, is charged its estimate', () => {
  const estimate = { tokens: 60 };

  it('if its run is cancelled while the store writes its beginning', async () => {
    const { store, held, letGo } = holding('work');
    let calls = 0;
    const work = task('work', { estimate, run: () => (calls += 1) });
    const run = startRun(oneTask(work), { store, runId: 'r1' });
    await held;
    run.cancel('enough');
    letGo();
    const { status, metrics } = await run.result;
    expect({ status, tokens: metrics.tokens, calls }).toEqual({ status: 'cancelled', tokens: 60, calls: 0 });
    expect(await chargesIn(store)).toEqual([60]);
  });

  it('if a limit is spent meanwhile', async () => {
    const { store, held, letGo } = holding('work');
    let calls = 0;
    const work = task('work', { estimate, run: () => (calls += 1) });
    const other = task('other', {
      run: async ({ report }) => {
        await held;
        report({ tokens: 200 });
      },
    });
    const first = task('first', { run: () => idle().then(() => 1) });
    const pipeline = definePipeline({
      name: 'p',
      limits: { tokens: 100 },
      phases: [
        phase('b', { tasks: [other] }),
        phase('z', { tasks: [first] }),
        phase('a', { after: ['z'], tasks: [work] }),
      ],
    });
    const run = startRun(pipeline, { store, runId: 'r1' });
    await held;
    await idle();
    letGo();
    const { status, metrics } = await run.result;
    expect({ status, tokens: metrics.tokens, calls }).toEqual({ status: 'exhausted', tokens: 260, calls: 0 });
    expect(await chargesIn(store)).toEqual([60]);
  });
});

// --- internal ---

/** A store that holds back the beginning of a task until the test releases it. */
function holding(name: string) {
  const good = memoryStore();
  let onHeld = () => {};
  let letGo = () => {};
  const held = new Promise<void>((resolve) => (onHeld = resolve));
  const free = new Promise<void>((resolve) => (letGo = resolve));
  const store: RunStore = {
    ...good,
    async append(batch, lease) {
      if (batch.records.some(({ event }) => event.type === 'task.started' && event.task === name)) {
        onHeld();
        await free;
      }
      await good.append(batch, lease);
    },
  };
  return { store, held, letGo: () => letGo() };
}

async function chargesIn(store: RunStore): Promise<readonly unknown[]> {
  return (await readRun(store, 'r1')).flatMap(({ event }) =>
    event.type === 'task.reported' && event.estimated ? [event.tokens] : [],
  );
}
