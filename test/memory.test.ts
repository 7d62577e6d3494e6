import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  definePipeline,
  forkRun,
  needsRework,
  phase,
  requestChanges,
  resumeRun,
  retryRun,
  startRun,
  task,
  type Issue,
  type ReflectContext,
  type RunOptions,
  memoryStore,
  readRun,
} from '../src/index.ts';
import type { RunRecord } from '../src/records.ts';
import type { RunStore } from '../src/store.ts';
import { sqliteStore } from '../src/sqlite.ts';
import { foldMemories } from '../src/projections/run/learned.ts';
import { held } from './rig.ts';

const folder = mkdtempSync(join(tmpdir(), 'phasegate-memory-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Setup {
  readonly name?: string;
  /** The number of times that the gate sends the phase back. */
  readonly times?: number;
  readonly reflect?: (context: ReflectContext) => string;
}

const retrying = { type: 'phase.retrying', phase: 'a', by: 'gate' };
const reflected = { type: 'phase.reflected', phase: 'a', reflection: 'learned' };

/** A pipeline whose phase is sent back by a later one. */
function rewinding(by: 'gate' | 'person' | 'worker') {
  return { type: 'phase.rewinding', phase: 'b', target: 'a', by };
}

/** A pipeline whose gate sends its one phase back, and the memories that its tasks received. */
function pipelineOf({ name = 'p', times = 1, reflect = ({ run }) => `lesson of ${run}` }: Setup = {}) {
  const told: (readonly string[] | undefined)[] = [];
  const work = task('work', {
    run: ({ revision }) => {
      if (revision) told.push(revision.reflections);
      return 'x';
    },
  });
  const by = ({ attempt }: { readonly attempt: number }) => (attempt < times ? 'RETRY: Name a number.' : 'APPROVE');
  const review = { by, strategy: 'reflexion', maxRetries: 9, reflect } as const;
  return { told, pipeline: definePipeline({ name, phases: [phase('a', { tasks: [work], review })] }) };
}

async function runOnce(store: RunStore, runId: string, setup?: Setup, options?: RunOptions) {
  const { told, pipeline } = pipelineOf(setup);
  const result = await startRun(pipeline, { store, runId, memory: 'us', ...options }).result;
  expect(result.status).toBe('completed');
  return { told, result, pipeline };
}

async function reflectedIn(store: RunStore, runId: string) {
  return (await readRun(store, runId)).flatMap(({ event }) => (event.type === 'phase.reflected' ? [event] : []));
}

async function texts(store: RunStore) {
  return ((await store.memories?.()) ?? []).map(({ runId, text }) => `${runId}: ${text}`);
}

describe.each([
  ['memoryStore', () => memoryStore()],
  ['sqliteStore', () => sqliteStore(join(folder, `${Math.random()}.sqlite`))],
] as const)('runs in a %s', (_, make) => {
  it('learn from each other, by pipeline and phase', async () => {
    const store = make();
    expect((await runOnce(store, 'r1')).told).toEqual([['lesson of r1']]);
    expect((await runOnce(store, 'r2')).told).toEqual([['lesson of r1', 'lesson of r2']]);
    expect((await runOnce(store, 'other', { name: 'q' })).told).toEqual([['lesson of other']]);
    expect(await reflectedIn(store, 'r2')).toMatchObject([
      { phase: 'a', attempt: 1, reflection: 'lesson of r2', recalled: [{ run: 'r1', reflection: 'lesson of r1' }] },
    ]);
    await store.close();
  });

  it('learn only from runs of their own scope, and not without one', async () => {
    const store = make();
    await runOnce(store, 'r1');
    expect((await runOnce(store, 'r2', {}, { memory: 'them' })).told).toEqual([['lesson of r2']]);
    expect((await runOnce(store, 'r3', {}, { memory: false })).told).toEqual([['lesson of r3']]);
    expect((await runOnce(store, 'r4', {}, { memory: undefined })).told).toEqual([['lesson of r4']]);
    expect(await store.memories?.()).toMatchObject([
      { scope: 'us', text: 'lesson of r1' },
      { scope: 'them', text: 'lesson of r2' },
    ]);
    expect(await store.forget?.({ scope: 'us' })).toBe(1);
    expect((await runOnce(store, 'r5', {}, { memory: 'them' })).told).toEqual([['lesson of r2', 'lesson of r5']]);
    await store.close();
  });

  it('recall the latest three, once in a run, and store no more', async () => {
    const store = make();
    for (const run of ['r1', 'r2', 'r3', 'r4']) await runOnce(store, run);
    expect(await texts(store)).toEqual(['r2: lesson of r2', 'r3: lesson of r3', 'r4: lesson of r4']);
    const { told } = await runOnce(store, 'r5', { times: 2 });
    expect(told).toEqual([
      ['lesson of r3', 'lesson of r4', 'lesson of r5'],
      ['lesson of r4', 'lesson of r5', 'lesson of r5'],
    ]);
    const [first, second] = await reflectedIn(store, 'r5');
    expect(first?.recalled?.map(({ run }) => run)).toEqual(['r2', 'r3', 'r4']);
    expect(second).not.toHaveProperty('recalled');
    await store.close();
  });

  it('recall nothing that was forgotten', async () => {
    const store = make();
    await runOnce(store, 'r1');
    expect(await store.forget?.({ pipeline: 'p', phase: 'a' })).toBe(1);
    expect((await runOnce(store, 'r2')).told).toEqual([['lesson of r2']]);
    await store.close();
  });
});

describe('a memory', () => {
  it('has its secrets masked, as its record has', async () => {
    const store = memoryStore();
    const secret = `ghp_${'a'.repeat(36)}`;
    await runOnce(store, 'r1', { reflect: () => `Use the token ${secret}.` });
    expect(JSON.stringify(await store.memories?.())).not.toContain(secret);
    expect(JSON.stringify(await reflectedIn(store, 'r1'))).not.toContain(secret);
    await runOnce(
      store,
      'r2',
      {},
      { redact: (event) => (event.type === 'phase.reflected' ? { ...event, reflection: '***' } : event) },
    );
    expect((await texts(store)).at(-1)).toBe('r2: ***');
  });

  it('comes from verdicts, and not from demands of tasks', async () => {
    const store = memoryStore();
    let asked = 0;
    const review = { by: () => 'APPROVE', strategy: 'reflexion', reflect: () => 'learned' } as const;
    const a = phase('a', { tasks: [task('work', { run: () => 'x' })], review });
    const demanding = task('work', {
      run: () => {
        asked += 1;
        if (asked === 1) throw needsRework('a', 'It lacks a number.');
        return 'x';
      },
    });
    const b = phase('b', { after: [a], tasks: [demanding], review: () => 'APPROVE' });
    const run = startRun(definePipeline({ name: 'p', phases: [a, b] }), { store, runId: 'r', memory: 'us' });
    expect((await run.result).status).toBe('completed');
    expect(await reflectedIn(store, 'r')).toMatchObject([{ phase: 'a', reflection: 'learned' }]);
    expect(await texts(store)).toEqual([]);
  });

  it('does not come from the demand of a task on a phase with a void verdict', async () => {
    const store = memoryStore();
    let [reviewed, asked] = [0, 0];
    const by = () => {
      reviewed += 1;
      return reviewed === 1 ? 'RETRY: Again.' : 'APPROVE';
    };
    const review = { by, strategy: 'reflexion', reflect: () => 'learned' } as const;
    const a = phase('a', { tasks: [task('work', { run: () => 'x' })], review });
    const demanding = task('work', {
      run: () => {
        asked += 1;
        if (asked === 1) throw needsRework('a', 'It lacks a number.');
        return 'x';
      },
    });
    const b = phase('b', { after: [a], tasks: [demanding], review: () => 'APPROVE' });
    const pipeline = definePipeline({ name: 'p', phases: [a, b] });
    const run = startRun(pipeline, { store, runId: 'r', memory: 'us' });
    run.events$.subscribe(({ event }) => event.type === 'phase.retrying' && run.cancel());
    expect((await run.result).status).toBe('cancelled');
    expect((await (await retryRun(store, 'r', pipeline)).result).status).toBe('completed');
    expect(await reflectedIn(store, 'r')).toMatchObject([{ phase: 'a', reflection: 'learned' }]);
    expect(await texts(store)).toEqual([]);
  });

  it('also comes from corrections of a phase that runs again for another', async () => {
    const store = memoryStore();
    const made = (name: string, after: readonly string[], by: () => unknown) =>
      phase(name, {
        after,
        tasks: [task('work', { run: () => 'x' })],
        review: {
          by: by as () => string,
          strategy: 'reflexion',
          reflect: () => `${name} learned`,
          rewindTo: 'ancestors',
        },
      });
    let asked = 0;
    const issue = (affectedPhase: string): Issue => ({ severity: 'high', description: 'No.', affectedPhase });
    const c = made('c', ['b'], () => {
      asked += 1;
      return asked === 1 ? requestChanges([issue('a'), issue('b')]) : 'APPROVE';
    });
    const phases = [made('a', [], () => 'APPROVE'), made('b', ['a'], () => 'APPROVE'), c];
    const run = startRun(definePipeline({ name: 'p', phases }), { store, runId: 'r', memory: 'us' });
    expect((await run.result).status).toBe('completed');
    expect(await texts(store)).toEqual(['r: a learned', 'r: b learned']);
  });

  it.each([
    [true, [retrying]],
    [true, [rewinding('gate')]],
    [true, [rewinding('gate'), { type: 'phase.invalidated', phase: 'a' }]],
    [true, [rewinding('gate'), { type: 'run.reopened' }]],
    [true, [rewinding('person'), { type: 'phase.started', phase: 'a', revision: {} }]],
    [false, [retrying, { type: 'phase.invalidated', phase: 'a' }]],
    [false, [retrying, { type: 'run.reopened' }]],
    [false, [retrying, { type: 'phase.approved', phase: 'a' }]],
    [false, [retrying, { type: 'phase.started', phase: 'a' }]],
    [false, [rewinding('gate'), { type: 'phase.started', phase: 'a' }]],
    [false, [retrying, rewinding('worker')]],
    [false, [rewinding('gate'), rewinding('worker')]],
    [false, [rewinding('gate'), reflected]],
  ])('comes from a verdict (%s) after %j', (isRemembered, events) => {
    const { pipeline } = pipelineOf();
    const started = { type: 'run.started', plan: pipeline.plan, fingerprint: '', input: null, memory: 'us' };
    const fold = foldMemories();
    const told = [started, ...events, reflected].map((event, seq) =>
      fold.apply({ v: 1, runId: 'r', seq, time: 0, event } as unknown as RunRecord),
    );
    expect(told.at(-1)).toHaveLength(isRemembered ? 1 : 0);
  });

  it('does not exist if the reflection failed', async () => {
    const store = memoryStore();
    const fail = () => {
      throw new Error('no model');
    };
    const { result } = await runOnce(store, 'r', { reflect: fail });
    expect(result.warnings.map(({ code }) => code)).toEqual(['REFLECTION_FAILED']);
    expect(await texts(store)).toEqual([]);
  });
});

describe('a scope', () => {
  it.each([
    ['', 'blank'],
    [' ', 'blank'],
    [null, 'an object'],
    [true, 'a boolean'],
  ])('%j is refused as ambiguous', async (memory, found) => {
    const result = await startRun(pipelineOf().pipeline, { memory } as RunOptions).result;
    expect(result).toMatchObject({ status: 'failed', error: { code: 'INPUT_INVALID' } });
    expect(result.error?.message).toContain(`its \`memory\` is ${found}`);
  });

  it('belongs to a resumed run, and to a fork', async () => {
    const store = memoryStore();
    const { pipeline } = await runOnce(store, 'r1');
    await forkRun(store, 'r1', { at: { phase: 'a' }, runId: 'r2' });
    expect((await (await resumeRun(store, 'r2', pipeline)).result).status).toBe('completed');
    expect((await reflectedIn(store, 'r2'))[0]?.recalled).toEqual([{ run: 'r1', reflection: 'lesson of r1' }]);
    expect((await store.memories?.({ scope: 'us' }))?.map(({ runId }) => runId)).toEqual(['r1', 'r2']);
  });
});

describe('an unreadable memory', () => {
  it('emits a warning, and the run continues without', async () => {
    const good = memoryStore();
    await runOnce(good, 'r1');
    const store: RunStore = { ...good, memories: () => Promise.reject(new Error('the disk is gone')) };
    const { told, result } = await runOnce(store, 'r2');
    expect(told).toEqual([['lesson of r2']]);
    expect(result.warnings).toMatchObject([{ code: 'MEMORY_UNREADABLE' }]);
  });

  it('is ignored in a store without memories', async () => {
    const methods = Object.entries(memoryStore()).filter(([name]) => name !== 'memories' && name !== 'forget');
    const store = Object.fromEntries(methods) as unknown as RunStore;
    expect((await runOnce(store, 'r1')).told).toEqual([['lesson of r1']]);
    expect((await runOnce(store, 'r2')).told).toEqual([['lesson of r2']]);
  });
});

describe('a run that is resumed', () => {
  it('uses the memories that it recalled before', async () => {
    const store = memoryStore();
    await runOnce(store, 'r1');
    const late = held();
    const told: unknown[] = [];
    const work = task('work', {
      run: (context) => {
        if (context.revision) told.push(context.revision.reflections);
        return told.length === 1 ? late.script(context) : 'x';
      },
    });
    const by = ({ attempt }: { readonly attempt: number }) => (attempt === 0 ? 'RETRY: Again.' : 'APPROVE');
    const review = { by, strategy: 'reflexion', reflect: () => 'own' } as const;
    const pipeline = definePipeline({ name: 'p', phases: [phase('a', { tasks: [work], review })] });
    const run = startRun(pipeline, { store, runId: 'r2', memory: 'us' });
    await new Promise<void>((resolve) => {
      const isDue = ({ event }: RunRecord) => event.type === 'task.started' && event.attempt === 1;
      run.events$.subscribe((record) => isDue(record) && resolve());
    });
    run.suspend();
    late.release('late');
    await run.result;
    await store.forget?.();
    const next = await resumeRun(store, 'r2', pipeline);
    expect((await next.result).status).toBe('completed');
    expect(told).toEqual([
      ['lesson of r1', 'own'],
      ['lesson of r1', 'own'],
    ]);
    expect(await texts(store)).toEqual([]);
  });

  it('stores no memory twice, and neither does its fork', async () => {
    const store = memoryStore();
    const { pipeline } = await runOnce(store, 'r1');
    const records = await readRun(store, 'r1');
    const at = records.findIndex(({ event }) => event.type === 'phase.reflected') + 1;
    await forkRun(store, 'r1', { at, runId: 'r2' });
    expect((await (await resumeRun(store, 'r2', pipeline)).result).status).toBe('completed');
    expect(await texts(store)).toEqual(['r1: lesson of r1']);
  });
});
