/**
 * Random pipelines with people and runs of tasks, in workers that are killed: their records are those of one process that holds each run.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createWorker,
  definePipeline,
  human,
  memoryStore,
  phase,
  startRun,
  submitRun,
  task,
  verifyRun,
  type Pipeline,
  type TaskContext,
  type Worker,
  readRun,
} from '../src/index.ts';
import { answerItem, type InboxItem, type Reply } from '../src/inbox.ts';
import type { RunEvent } from '../src/records.ts';
import type { RunStore } from '../src/store.ts';

/** One task: work, a question to a person, or the run of another pipeline. */
type TaskSpec = 'work' | 'ask' | readonly PhaseSpec[];
/** The reviewers of a gate: `p` is a person, `m` a model. */
interface PhaseSpec {
  readonly tasks: readonly TaskSpec[];
  readonly gate: '' | 'p' | 'pm' | 'mpp';
}

const phases = fc.letrec<{ phases: readonly PhaseSpec[]; leaf: readonly PhaseSpec[] }>((tie) => {
  const of = (one: fc.Arbitrary<TaskSpec>) =>
    fc.array(
      fc.record<PhaseSpec>({
        tasks: fc.array(one, { minLength: 1, maxLength: 2 }),
        gate: fc.constantFrom('', 'p', 'pm', 'mpp'),
      }),
      { minLength: 1, maxLength: 2 },
    );
  const plain = fc.constantFrom<TaskSpec>('work', 'ask');
  return {
    phases: of(fc.oneof({ weight: 2, arbitrary: plain }, { weight: 3, arbitrary: tie('leaf') })),
    leaf: of(
      fc.oneof(
        { weight: 4, arbitrary: plain },
        { weight: 1, arbitrary: fc.constant([{ tasks: ['ask'], gate: '' }] as const) },
      ),
    ),
  };
}).phases;

/** Interruptions: which worker is killed, after how many answers. And the order of the answers. */
const harm = fc.record({
  kills: fc.array(fc.nat({ max: 12 }), { maxLength: 4 }),
  order: fc.array(fc.nat({ max: 100 }), { minLength: 8, maxLength: 8 }),
});

describe('runs in workers that are killed', () => {
  it('have the records of runs that one process holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(phases, { minLength: 4, maxLength: 6 }), harm, async (specs, given) => {
        const pipelines = specs.map((spec, at) => pipelineOf(`p${at}`, spec));
        const expected = await inOneProcess(pipelines, given.kills.length === 0);
        expect(await inWorkers(pipelines, given)).toEqual(expected);
      }),
      { numRuns: Number(process.env['PHASEGATE_SCENARIOS'] ?? 6), seed: 5, endOnFailure: true },
    );
  }, 300_000);
});

// --- internal ---

function pipelineOf(name: string, spec: readonly PhaseSpec[]): Pipeline<unknown> {
  return definePipeline({
    name,
    phases: spec.map(({ tasks, gate }, at) =>
      phase(`f${at}`, {
        after: at === 0 ? [] : [`f${at - 1}`],
        tasks: tasks.map((one, index) => taskOf(`t${index}`, `${name}-${at}-${index}`, one)),
        ...(gate !== '' && {
          review: {
            by: gate
              .split('')
              .map((kind, index) =>
                kind === 'p'
                  ? task(`r${index}`, { run: human({ question: 'Good?' }) })
                  : task(`r${index}`, { run: modelReview }),
              ) as never,
            maxRetries: 2,
            onExhausted: 'accept',
          },
        }),
      }),
    ),
  });
}

function taskOf(name: string, inner: string, spec: TaskSpec) {
  if (spec === 'ask') return task(name, { run: human({ question: 'Text?' }) });
  if (spec === 'work')
    return task(name, {
      async run({ report, attempt }: TaskContext) {
        await new Promise((resolve) => setTimeout(resolve, 2));
        report({ tokens: 3, costUsd: 0.5 });
        return attempt;
      },
    });
  const pipeline = pipelineOf(inner, spec);
  return task(name, { pipeline: () => pipeline });
}

async function modelReview({ report, attempt }: TaskContext) {
  await new Promise((resolve) => setTimeout(resolve, 2));
  report({ tokens: 1 });
  return attempt === 0 ? 'RETRY: Once more.' : 'APPROVE';
}

/** The reply of a person, which only depends on the question. */
function replyTo({ kind, runId, about, attempt, task: who = '' }: InboxItem): Reply {
  if (kind === 'task') return { type: 'value', value: `${about} ${attempt}` };
  const isPicky = (runId.length + about.length + who.length) % 3 === 0;
  return { type: 'decide', decision: isPicky && attempt < 1 ? 'RETRY: Longer.' : 'APPROVE' };
}

async function inOneProcess(pipelines: readonly Pipeline<unknown>[], isWhole: boolean): Promise<unknown> {
  const store = memoryStore();
  for (const pipeline of pipelines) {
    const run = startRun(pipeline, { store, runId: pipeline.name, attended: true });
    const state = { isOver: false };
    void run.result.then(() => (state.isOver = true));
    while (!state.isOver) {
      for (const item of run.inbox())
        if (await isDue(store, item)) await run.answer(item.id, replyTo(item)).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  return accountOf(store, isWhole);
}

async function inWorkers(
  pipelines: readonly Pipeline<unknown>[],
  { kills, order }: { readonly kills: readonly number[]; readonly order: readonly number[] },
): Promise<unknown> {
  const store = memoryStore();
  const team: { readonly name: string; readonly worker: Worker; readonly kill: () => void }[] = [];
  const failures: string[] = [];
  const hire = () => {
    const name = `worker-${hired++}`;
    const { mortal, kill } = mortalStore(store);
    const onFailed = ({ runId, error }: { readonly runId: string; readonly error: unknown }) =>
      failures.push(`${runId}: ${String(error)}`);
    team.push({ name, kill, worker: createWorker(mortal, pipelines, { holder: name, concurrency: 3, onFailed }) });
  };
  let hired = 0;
  for (const _ of [1, 2]) hire();
  for (const pipeline of pipelines) await submitRun(store, pipeline, { runId: pipeline.name, attended: true });
  let answers = 0;
  while ((await store.runs({ status: ['running'] })).length > 0) {
    const items = await store.inbox({ open: true });
    const item = items[(order[answers % order.length] ?? 0) % Math.max(1, items.length)];
    if (item && (await isDue(store, item)) && (await isAccepted(store, item))) answers += 1;
    if (kills.filter((at) => at <= answers).length > hired - 2) {
      const [victim] = team.splice(0, 1);
      victim?.kill();
      // Its leases expire.
      for (const { lease } of await store.runs({ leased: true }))
        if (lease?.holder === victim?.name && lease) await store.release(lease);
      hire();
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.all(team.map(({ worker }) => worker.stop()));
  expect(failures).toEqual([]);
  expect(await store.runs({ leased: true })).toEqual([]);
  expect(await store.inbox({ open: true })).toEqual([]);
  return accountOf(store, kills.length === 0);
}

/** True if the models of its gate have answered, if it has any. Otherwise the records would depend on who is faster. */
async function isDue(store: RunStore, { kind, runId, about }: InboxItem): Promise<boolean> {
  if (kind !== 'review') return true;
  const events = (await readRun(store, runId)).map(({ event }) => event);
  const [first] = events;
  const gate = first?.type === 'run.started' ? first.plan.phases.find(({ name }) => name === about)?.gate : undefined;
  const since = events.findLastIndex((event) => event.type === 'review.started' && event.phase === about);
  const asked = events.slice(since).filter((event) => event.type === 'task.asked' && event.phase === about);
  const isForPeople = asked.length === gate?.reviewers.length;
  return isForPeople || events.slice(since).some((event) => event.type === 'review.waiting' && event.phase === about);
}

async function isAccepted(store: RunStore, item: InboxItem): Promise<boolean> {
  return answerItem(store, item.id, replyTo(item)).then(
    () => true,
    () => false,
  );
}

/** A store of a process that can be killed: from then on, none of its calls does anything, or returns. */
function mortalStore(store: RunStore): { readonly mortal: RunStore; readonly kill: () => void } {
  let isDead = false;
  const mortal = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown =>
        isDead ? new Promise(() => undefined) : Reflect.apply(value, target, given);
    },
  });
  return { mortal, kill: () => (isDead = true) };
}

/**
 * The records of all runs, without times, numbers, and what a process repeats that continues a run.
 *
 * @param isWhole True if no worker was killed, so that all usage was reported once.
 */
async function accountOf(store: RunStore, isWhole: boolean): Promise<Readonly<Record<string, readonly string[]>>> {
  const account: Record<string, readonly string[]> = {};
  for (const { runId, status } of await store.runs()) {
    expect(await verifyRun(store, runId)).toMatchObject({ problems: [] });
    const events = (await readRun(store, runId)).map(({ event }) => event);
    const once = new Set(events.filter(({ type }) => type === 'task.started').map((event) => JSON.stringify(event)));
    const lines = events.filter(({ type }) => !LEFT_OUT.has(type)).map((event) => JSON.stringify(event));
    const tokens = events.reduce((sum, event) => sum + (event.type === 'task.reported' ? (event.tokens ?? 0) : 0), 0);
    account[runId] = [...lines, ...once, status, ...(isWhole ? [`${tokens} tokens`] : [])].toSorted();
  }
  return account;
}

/** Records about processes, and those that depend on how much of the work was killed. */
const LEFT_OUT: ReadonlySet<RunEvent['type']> = new Set([
  'run.started',
  'run.resumed',
  'run.suspended',
  'task.started',
  'task.reported',
]);
