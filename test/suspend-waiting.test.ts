/** Runs that are suspended while they only wait, and continued by an answer or the time. */
import { describe, expect, it, vi } from 'vitest';
import {
  approve,
  definePipeline,
  human,
  memoryStore,
  phase,
  resumeRun,
  retry,
  startRun,
  task,
  verifyRun,
  type Pipeline,
  type RunOptions,
  type TaskContext,
} from '../src/index.ts';
import { answerItem } from '../src/inbox.ts';
import { asksPeople, personOf } from '../src/model/handlers/person.ts';
import type { RunStore } from '../src/store.ts';

const NAME = 'essay';
const HOUR = 3_600_000;

/** Starts a run, or resumes it. It is suspended as soon as it only waits. */
async function begin(store: RunStore, pipeline: Pipeline<unknown>, more: Partial<RunOptions> = {}) {
  const options = { whileWaiting: 'suspend', ...more } as const;
  if (await store.run('run')) return resumeRun(store, 'run', pipeline, options);
  return startRun(pipeline, { attended: true, ...options, store, runId: 'run' });
}

async function statusOf(...given: Parameters<typeof begin>): Promise<string> {
  return (await (await begin(...given)).result).status;
}

async function isReady(store: RunStore): Promise<boolean> {
  return (await store.ready([NAME], 10)).length > 0;
}

async function onlyItem(store: RunStore): Promise<string> {
  const [item] = await store.inbox({ runId: 'run', open: true });
  return item?.id ?? 'none';
}

async function typesOf(store: RunStore): Promise<readonly string[]> {
  return (await store.read('run')).map(({ event }) => event.type);
}

function turns(count = 20): Promise<void> {
  return new Promise((resolve) => (count === 0 ? resolve() : setImmediate(() => void turns(count - 1).then(resolve))));
}

/** Resolves once people are asked a number of questions, and nothing else goes on. */
async function untilAsked(store: RunStore, count = 1): Promise<void> {
  await vi.waitFor(async () => expect(await store.inbox({ open: true })).toHaveLength(count));
  await turns();
}

async function afterSteps(count: number): Promise<void> {
  for (let step = 0; step < count; step++) await Promise.resolve();
}

describe('a run that only waits', () => {
  it('for a person is suspended, and continued by the answer', async () => {
    const store = memoryStore();
    let drafts = 0;
    const pipeline = definePipeline({
      name: NAME,
      phases: [
        phase('draft', { tasks: [task('write', { run: () => ++drafts })], review: human({ question: 'Good?' }) }),
        phase('print', {
          after: ['draft'],
          tasks: [task('sign', { run: human({ question: 'Name?' }) }), task('run', { run: () => 1 })],
        }),
      ],
    });
    expect(await statusOf(store, pipeline)).toBe('suspended');
    expect((await store.run('run'))?.lease).toBeUndefined();
    expect(await isReady(store)).toBe(false);
    await answerItem(store, await onlyItem(store), { type: 'decide', decision: retry('Longer.') });
    expect(await isReady(store)).toBe(true);
    expect(await statusOf(store, pipeline)).toBe('suspended');
    expect(drafts).toBe(2);
    await answerItem(store, await onlyItem(store), { type: 'decide', decision: approve() });
    expect(await statusOf(store, pipeline)).toBe('suspended');
    expect(await isReady(store)).toBe(false);
    await answerItem(store, await onlyItem(store), { type: 'value', value: 'Ada' });
    expect(await statusOf(store, pipeline)).toBe('completed');
    expect(drafts).toBe(2);
    expect(await isReady(store)).toBe(false);
    expect((await typesOf(store)).filter((type) => type === 'run.resumed')).toHaveLength(3);
  });

  it('for two people is suspended again after the first answer, which is kept', async () => {
    const store = memoryStore();
    const people = ['ada', 'bob'].map((name) => task(name, { run: human({ question: 'Good?' }) }));
    const pipeline = definePipeline({
      name: NAME,
      phases: [phase('draft', { tasks: [task('write', { run: () => 1 })], review: { by: people } })],
    });
    expect(await statusOf(store, pipeline)).toBe('suspended');
    await answerItem(store, await onlyItem(store), { type: 'decide', decision: approve() });
    expect(await statusOf(store, pipeline)).toBe('suspended');
    expect(await store.inbox({ open: true })).toHaveLength(1);
    await answerItem(store, await onlyItem(store), { type: 'decide', decision: approve() });
    expect(await statusOf(store, pipeline)).toBe('completed');
  });

  it('is ready when a reminder is due, and suspended again after it', async () => {
    const { store, clock, pass } = timed();
    const asked = human({ question: 'Good?', remindAfterMs: HOUR, expireAfterMs: 3 * HOUR, onExpiry: 'reject' });
    const pipeline = definePipeline({
      name: NAME,
      phases: [phase('draft', { tasks: [task('write', { run: () => 1 })], review: asked })],
    });
    expect(await statusOf(store, pipeline, { clock })).toBe('suspended');
    pass(HOUR - 1);
    expect(await isReady(store)).toBe(false);
    pass(1);
    expect(await isReady(store)).toBe(true);
    expect(await statusOf(store, pipeline, { clock })).toBe('suspended');
    expect(await isReady(store)).toBe(false);
    pass(2 * HOUR);
    expect(await isReady(store)).toBe(true);
    expect(await statusOf(store, pipeline, { clock })).toBe('rejected');
  });

  it('is ready at its deadline', async () => {
    const { store, clock, pass } = timed();
    const pipeline = definePipeline({
      name: NAME,
      limits: { deadlineMs: HOUR, durationMs: HOUR / 2 },
      phases: [phase('draft', { tasks: [task('write', { run: human({ question: 'Text?' }) })] })],
    });
    expect(await statusOf(store, pipeline, { clock })).toBe('suspended');
    // Time without a process is no work.
    pass(HOUR / 2);
    expect(await statusOf(store, pipeline, { clock })).toBe('suspended');
    pass(HOUR / 2);
    expect(await isReady(store)).toBe(true);
    expect(await statusOf(store, pipeline, { clock })).toBe('exhausted');
  });

  it('for its next try is suspended if that is far away', async () => {
    const { store, clock, pass } = timed();
    let tries = 0;
    const write = task('write', {
      retry: { attempts: 3, backoff: { first: HOUR, max: HOUR } },
      run() {
        tries += 1;
        if (tries < 2) throw new Error('busy');
        return 1;
      },
    });
    const pipeline = definePipeline({ name: NAME, phases: [phase('draft', { tasks: [write] })] });
    expect(await statusOf(store, pipeline, { clock })).toBe('suspended');
    pass(HOUR / 4);
    expect(await isReady(store)).toBe(false);
    pass(HOUR);
    expect(await isReady(store)).toBe(true);
    expect(await statusOf(store, pipeline, { clock })).toBe('completed');
    expect(tries).toBe(2);
  });

  it('is held if that ends soon', async () => {
    const store = memoryStore();
    let tries = 0;
    const write = task('write', {
      retry: { attempts: 2, backoff: { first: 20 } },
      run() {
        tries += 1;
        if (tries < 2) throw new Error('busy');
        return 1;
      },
    });
    const pipeline = definePipeline({ name: NAME, phases: [phase('draft', { tasks: [write] })] });
    expect(await statusOf(store, pipeline)).toBe('completed');
    expect(await typesOf(store)).not.toContain('run.resumed');
  });

  it('for a limit is suspended, and continued by its lifting', async () => {
    const store = memoryStore();
    let works = 0;
    const work = (name: string) =>
      task(name, {
        run({ report }) {
          works += 1;
          report({ tokens: 10 });
          return 1;
        },
      });
    const pipeline = definePipeline({
      name: NAME,
      limits: { tokens: 10 },
      policy: { onLimit: 'escalate' },
      phases: [phase('one', { tasks: [work('a')] }), phase('two', { after: ['one'], tasks: [work('b')] })],
    });
    expect(await statusOf(store, pipeline)).toBe('suspended');
    expect(works).toBe(1);
    await answerItem(store, await onlyItem(store), { type: 'decide', decision: approve() });
    expect(await statusOf(store, pipeline)).toBe('completed');
    expect(works).toBe(2);
  });

  it('is not suspended with an answer that it has not received', async () => {
    const kept = memoryStore();
    const pipeline = definePipeline({
      name: NAME,
      phases: [phase('draft', { tasks: [task('write', { run: human({ question: 'Text?' }) })] })],
    });
    let isAnswered = false;
    const store: RunStore = {
      ...kept,
      async suspend(...given) {
        // Another process answers at the last moment.
        if (!isAnswered) await answerItem(kept, await onlyItem(kept), { type: 'value', value: 'Gates' });
        isAnswered = true;
        return kept.suspend(...given);
      },
    };
    expect(await statusOf(store, pipeline)).toBe('suspended');
    expect(await isReady(store)).toBe(true);
    expect(await statusOf(store, pipeline)).toBe('completed');
  });

  it('is held by default', async () => {
    const store = memoryStore();
    const pipeline = definePipeline({
      name: NAME,
      phases: [phase('draft', { tasks: [task('write', { run: human({ question: 'Text?' }) })] })],
    });
    const run = await begin(store, pipeline, { whileWaiting: undefined });
    await turns();
    expect((await store.run('run'))?.lease).toBeDefined();
    await run.answer(await onlyItem(store), { type: 'value', value: 1 });
    expect((await run.result).status).toBe('completed');
  });
});

describe('a run that waits for a person is held', () => {
  /** Runs a pipeline until `release` is called; then it waits for a person alone. */
  async function heldUntil(release: () => void, pipeline: Pipeline<unknown>): Promise<void> {
    const store = memoryStore();
    const run = await begin(store, pipeline);
    const types = () => typesOf(store);
    for (let turn = 0; turn < 100 && !(await types()).includes('task.asked'); turn++) await turns(1);
    await turns();
    expect((await store.run('run'))?.lease).toBeDefined();
    release();
    expect((await run.result).status).toBe('suspended');
  }

  it('while another task works', async () => {
    let release = (): void => undefined;
    const other = task('other', { run: () => new Promise((resolve) => (release = () => resolve(1))) });
    const ask = task('ask', { run: human({ question: 'Text?' }) });
    await heldUntil(() => release(), definePipeline({ name: NAME, phases: [phase('draft', { tasks: [ask, other] })] }));
  });

  it('while another phase works', async () => {
    let release = (): void => undefined;
    const other = task('other', { run: () => new Promise((resolve) => (release = () => resolve(1))) });
    const ask = task('ask', { run: human({ question: 'Text?' }) });
    const phases = [phase('draft', { tasks: [ask] }), phase('other', { tasks: [other] })];
    await heldUntil(() => release(), definePipeline({ name: NAME, phases }));
  });

  it('while a handler works whose result does not matter any more', async () => {
    let release = (): void => undefined;
    const stuck = task('stuck', {
      timeout: 1,
      retry: { attempts: 1 },
      run: () => new Promise((resolve) => (release = () => resolve(1))),
    });
    const ask = task('ask', { run: human({ question: 'Text?' }) });
    const phases = [phase('draft', { tasks: [ask] }), phase('stuck', { tasks: [stuck] })];
    await heldUntil(() => release(), definePipeline({ name: NAME, policy: { onFailure: 'continue' }, phases }));
  });

  it('while a task says that it waits', async () => {
    let release = (): void => undefined;
    const other = task('other', {
      run({ report }) {
        report({ waiting: true });
        return new Promise((resolve) => (release = () => resolve(1)));
      },
    });
    const ask = task('ask', { run: human({ question: 'Text?' }) });
    await heldUntil(() => release(), definePipeline({ name: NAME, phases: [phase('draft', { tasks: [ask, other] })] }));
  });
});

describe('a run that its process leaves', () => {
  const ask = task('ask', { run: human({ question: 'Text?' }) });

  /** Starts a run that is held while it waits, and leaves it once it has an event of a type. */
  async function leave(
    type: string,
    pipeline: Pipeline<unknown>,
    { store = memoryStore(), ...more }: Partial<RunOptions> & { readonly store?: RunStore } = {},
  ): Promise<RunStore> {
    const run = await begin(store, pipeline, { whileWaiting: 'hold', ...more });
    for (let turn = 0; turn < 100 && !(await typesOf(store)).includes(type); turn++) await turns(1);
    await turns();
    run.suspend();
    expect((await run.result).status).toBe('suspended');
    return store;
  }

  it('while it only waits for a person is ready after the answer', async () => {
    const pipeline = definePipeline({ name: NAME, phases: [phase('draft', { tasks: [ask] })] });
    const store = await leave('task.asked', pipeline);
    expect(await isReady(store)).toBe(false);
    await answerItem(store, await onlyItem(store), { type: 'value', value: 1 });
    expect(await isReady(store)).toBe(true);
    expect(await statusOf(store, pipeline)).toBe('completed');
  });

  it('while it waits for its next try is ready at that time, however soon it comes', async () => {
    const { store, clock, pass } = timed();
    const busy = task('busy', {
      retry: { attempts: 3, backoff: { first: 3000, max: 3000, jitter: false } },
      run() {
        throw new Error('busy');
      },
    });
    await leave('task.retrying', definePipeline({ name: NAME, phases: [phase('draft', { tasks: [busy] })] }), {
      store,
      clock,
    });
    pass(2999);
    expect(await isReady(store)).toBe(false);
    pass(1);
    expect(await isReady(store)).toBe(true);
  });

  const never = () => new Promise<never>(() => undefined);
  const works = task('works', { run: never });
  const says = task('says', {
    run({ report }) {
      report({ waiting: true });
      return never();
    },
  });

  it.each<[string, string, Parameters<typeof phase>[1]]>([
    ['a task', 'task.asked', { tasks: [ask, works] }],
    ['a task that says it waits for something else', 'task.asked', { tasks: [ask, says] }],
    ['another reviewer', 'task.asked', { tasks: [task('t', { run: () => 1 })], review: { by: [ask, works] } }],
  ])('while a person is asked and %s works is ready at once', async (_, type, options) => {
    const pipeline = definePipeline({ name: NAME, phases: [phase('draft', options)] });
    expect(await isReady(await leave(type, pipeline))).toBe(true);
  });

  it('with an answer that it has not received is ready at once', async () => {
    const pipeline = definePipeline({ name: NAME, phases: [phase('draft', { tasks: [ask] })] });
    const kept = memoryStore();
    const store: RunStore = {
      ...kept,
      async suspend(...given) {
        await answerItem(kept, await onlyItem(kept), { type: 'value', value: 1 });
        return kept.suspend(...given);
      },
    };
    await leave('task.asked', pipeline, { store });
    expect(await isReady(kept)).toBe(true);
  });

  const inner = definePipeline({ name: 'inner', phases: [phase('b', { tasks: [ask] })] });
  const byRun = task('go', { pipeline: () => inner });

  it.each<[string, string, Parameters<typeof phase>[1], string]>([
    ['cancelled, and a person is asked', 'cancel', { tasks: [ask] }, 'cancelled'],
    ['cancelled, and the run of its task waits', 'cancel', { tasks: [byRun] }, 'cancelled'],
    ['ended by the answer of a person', 'abort', { tasks: [ask] }, 'cancelled'],
    ['ended by the answer of a person to the run of its task', 'abort', { tasks: [byRun] }, 'failed'],
  ])('while it is %s has ended, or is ready at once', async (_, how, options, end) => {
    const pipeline = definePipeline({ name: NAME, phases: [phase('draft', options)] });
    for (let steps = 0; steps < 16; steps++) {
      const kept = memoryStore();
      const store: RunStore = {
        ...kept,
        async messages(...given) {
          const found = await kept.messages(...given);
          if (found.length > 0) void afterSteps(steps).then(async () => (await started).suspend());
          return found;
        },
      };
      const started = begin(store, pipeline, { whileWaiting: 'hold' });
      const run = await started;
      await untilAsked(kept);
      const [item] = await kept.inbox({ open: true });
      if (how === 'abort') await answerItem(kept, item?.id ?? 'none', { type: 'abort' });
      else await kept.post({ runId: 'run', kind: 'cancel', body: 'stop', by: '', time: Date.now() });
      const { status } = await run.result;
      // A process that resumes it reads the message again.
      expect([steps, status === end || (await isReady(kept))]).toEqual([steps, true]);
      if (status !== end) expect([steps, await statusOf(kept, pipeline)]).toEqual([steps, end]);
    }
  });

  it('while the run of its task has an answer that it has not received is ready at once', async () => {
    const pipeline = definePipeline({
      name: NAME,
      phases: [phase('a', { tasks: [byRun] }), phase('c', { tasks: [ask] })],
    });
    const kept = memoryStore();
    const store: RunStore = {
      ...kept,
      async messages(runId, ...rest) {
        return runId === 'run' ? kept.messages(runId, ...rest) : [];
      },
    };
    const run = await begin(store, pipeline, { whileWaiting: 'hold' });
    await untilAsked(kept, 2);
    const items = await kept.inbox({ open: true });
    // The answer to the run itself is the later one.
    for (const own of [false, true])
      await answerItem(kept, items.find(({ runId }) => (runId === 'run') === own)?.id ?? 'none', {
        type: 'value',
        value: 1,
      });
    await vi.waitFor(async () => expect(await typesOf(kept)).toContain('phase.approved'));
    run.suspend();
    expect((await run.result).status).toBe('suspended');
    expect(await isReady(kept)).toBe(true);
    expect(await statusOf(kept, pipeline)).toBe('completed');
  });

  it('while its work asks a person, and may go on beside the question, is ready at once', async () => {
    const run = asksPeople(async (context: TaskContext) => {
      void personOf(context)?.({ question: 'May I?' }, context.signal).catch(() => undefined);
      await never();
    });
    const kept = memoryStore();
    const pipeline = definePipeline({ name: NAME, phases: [phase('draft', { tasks: [task('agent', { run })] })] });
    const left = await begin(kept, pipeline, { whileWaiting: 'hold' });
    await untilAsked(kept);
    left.suspend();
    expect((await left.result).status).toBe('suspended');
    expect(await isReady(kept)).toBe(true);
  });

  it('while the run of its task only waits is ready after the answer, or at the timeout of the task', async () => {
    const { store, clock, pass } = timed();
    const go = task('go', { pipeline: () => inner, timeout: HOUR });
    const pipeline = definePipeline({ name: NAME, phases: [phase('a', { tasks: [go] })] });
    await leave('task.reported', pipeline, { store, clock });
    expect(await isReady(store)).toBe(false);
    pass(HOUR);
    expect(await isReady(store)).toBe(true);
    pass(-HOUR);
    const [item] = await store.inbox({ open: true });
    await answerItem(store, item?.id ?? 'none', { type: 'value', value: 1 });
    expect(await isReady(store)).toBe(true);
    expect(await statusOf(store, pipeline, { clock })).toBe('completed');
  });
});

describe('a gate with a person and reviewers who are none', () => {
  /** Reviews by Ada, who is a person, a model and a program. `asked` counts their calls. */
  function mixed() {
    const asked = { model: 0, program: 0, checks: 0 };
    const by = [
      task('ada', { run: human({ question: 'Good?' }) }),
      task('model', { run: () => (asked.model++, retry('Shorter.')) }),
      task('program', { run: () => (asked.program++, approve()) }),
    ];
    const checks = [{ name: 'spelling', run: () => (asked.checks++, true) }];
    const draft = phase('draft', {
      tasks: [task('write', { run: ({ revision }) => revision?.feedback ?? 'first' })],
      review: { by, checks, maxRetries: 1, onExhausted: 'accept' },
    });
    return { asked, pipeline: definePipeline({ name: NAME, phases: [draft] }) };
  }

  it('suspends the run for the person, and keeps the answers of the others', async () => {
    const store = memoryStore();
    const { asked, pipeline } = mixed();
    expect(await statusOf(store, pipeline)).toBe('suspended');
    expect(await isReady(store)).toBe(false);
    expect(asked).toEqual({ model: 1, program: 1, checks: 1 });
    // Resumed in vain, it neither asks nor reports again.
    expect(await statusOf(store, pipeline)).toBe('suspended');
    expect((await typesOf(store)).filter((type) => type === 'review.waiting')).toHaveLength(1);
    await answerItem(store, await onlyItem(store), { type: 'decide', decision: approve() });
    expect(await statusOf(store, pipeline)).toBe('suspended');
    expect(asked).toEqual({ model: 2, program: 2, checks: 2 });
    const records = await store.read('run');
    const decided = records.flatMap(({ event }) => (event.type === 'review.decided' ? [event] : []));
    expect(decided[0]?.verdict).toMatchObject({ type: 'retry', feedback: 'Shorter.' });
    expect(Object.keys(decided[0]?.verdicts ?? {})).toEqual(['ada', 'model', 'program']);
    expect((await verifyRun(store, 'run')).problems).toEqual([]);
  });

  it('asks them again if a journal of an earlier version lacks their answers', async () => {
    const earlier = memoryStore();
    const { asked, pipeline } = mixed();
    expect(await statusOf(earlier, pipeline)).toBe('suspended');
    const store = memoryStore();
    const info = await earlier.run('run');
    if (!info) throw new Error('The run is gone.');
    const records = (await earlier.read('run')).map((record) =>
      record.event.type === 'review.waiting'
        ? { ...record, event: { type: 'review.waiting', phase: 'draft', generation: 0, attempt: 0 } as const }
        : record,
    );
    const items = await earlier.inbox();
    const lease = await store.acquire('run', 'test', 1000);
    await store.append({ runId: 'run', records, info, items, artifacts: [] }, lease);
    await store.release(lease);
    expect(await statusOf(store, pipeline)).toBe('suspended');
    expect(asked).toEqual({ model: 2, program: 2, checks: 2 });
  });
});

// --- internal ---

/** A store and a clock whose time the test passes. */
function timed() {
  let time = 1_000_000;
  const now = () => time;
  const clock = {
    now,
    setTimeout: (run: () => void, ms: number) => setTimeout(run, Math.min(ms, 2 ** 31 - 1)),
    clearTimeout: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout),
  };
  return { store: memoryStore({ now }), clock, pass: (ms: number) => void (time += ms) };
}
