/** Early cutoff: a phase that read only unchanged tasks of a predecessor does not run again after a new commit. */
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { approve, definePipeline, human, retryPredecessor, task, type TaskContext } from '../src/index.ts';
import type { InboxItem } from '../src/inbox.ts';
import { asDefined, crashAfter, rehearse, takes, type Crash, type Script } from '../src/testing.ts';
import { lineOf } from './line.ts';
import { fake, play, trace, type Fake, type FakeOptions } from './rig.ts';

/** A phase whose task `x` never changes, and whose `y` changes with each attempt. */
const source = () =>
  fake('a', { tasks: [task('x', { run: () => 'x' }), task('y', { run: (one) => `y ${one.attempt}` })] });

/** A phase that sends back `a` once. */
const sender = (verdict = 'RETRY_PREDECESSOR a: more') =>
  fake('last', { after: ['a'], invalidate: 'changed', verdicts: [verdict, 'APPROVE'] });

//  a ──▶ reader
//  ▲ └─▶ last
//  └──────┘ once
async function readBy(run: (context: TaskContext) => unknown, options: Partial<FakeOptions> = {}) {
  const reader = fake('reader', { after: ['a'], tasks: [task('work', { run })], ...options });
  const { lines, result } = await play([source(), reader, sender()]);
  const isAgain = lines.includes('reader invalidated by a g1');
  const isSpared = lines.includes('reader unaffected by a v2');
  expect(isAgain).toBe(!isSpared);
  const { read, readTasks } = result.phases['reader'] ?? {};
  return isAgain ? 'again' : { read, readTasks };
}

/** Rehearses fake phases, which work as they are defined unless the script says otherwise. @returns The lines of the run. */
async function rehearsed(phases: readonly Fake[], script: Script): Promise<readonly string[]> {
  const pipeline = definePipeline({ name: 'p', phases: phases.map((one) => one.definition) });
  const all = { '*': asDefined() };
  const { records } = await rehearse(pipeline, { tasks: all, reviews: all, ...script });
  return records.flatMap(({ event }) => lineOf(event) ?? []);
}

const SPARED = { read: { a: 2 }, readTasks: { a: ['x'] } };

describe('a reader of one task', () => {
  it('does not run again if only another task has changed, and records the version that counts as read', async () => {
    expect(await readBy(({ inputs }) => inputs['a']?.['x'])).toEqual(SPARED);
  });

  it('runs again if that task has changed', async () => {
    expect(await readBy(({ inputs }) => inputs['a']?.['y'])).toBe('again');
  });

  it('counts the reads of its gate', async () => {
    const gated = (run: (context: TaskContext) => unknown) =>
      readBy(({ inputs }) => inputs['a']?.['x'], { verdicts: [(one: TaskContext) => (run(one), 'APPROVE')] });
    expect(await gated(({ inputs }) => inputs['a']?.['x'])).toEqual(SPARED);
    expect(await gated(({ inputs }) => inputs['a']?.['y'])).toBe('again');
    const checked = { checks: [{ name: 'c', run: ({ inputs }: TaskContext) => inputs['a']?.['y'] !== '' }] };
    expect(await readBy(({ inputs }) => inputs['a']?.['x'], checked)).toBe('again');
  });

  it('counts the reads of all attempts since its start', async () => {
    const run = ({ inputs, attempt }: TaskContext) => inputs['a']?.[attempt === 0 ? 'y' : 'x'];
    expect(await readBy(run, { verdicts: ['RETRY: once more', 'APPROVE'] })).toBe('again');
  });

  it('counts only the reads that its schema keeps', async () => {
    const run = ({ inputs }: TaskContext) => inputs;
    expect(await readBy(run, { input: z.object({ a: z.object({ x: z.string() }) }) })).toEqual(SPARED);
    expect(await readBy(run, { input: z.object({ a: z.object({ x: z.string(), y: z.string() }) }) })).toBe('again');
  });
});

describe('a reader marked as stale', () => {
  //  a ──▶ reader
  //  ▲ └─▶ asks ──▶ last
  //  └───────┘ once  │
  //  └───────────────┘ once
  it('is unmarked once a newer version counts as read', async () => {
    const reader = fake('reader', {
      after: ['a'],
      tasks: [task('work', { run: ({ inputs }) => inputs['a']?.['x'] })],
    });
    const asks = fake('asks', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: more', 'APPROVE', 'APPROVE'] });
    const last = fake('last', {
      after: ['asks'],
      rewindTo: 'ancestors',
      invalidate: 'changed',
      verdicts: ['RETRY_PREDECESSOR a: more', 'APPROVE'],
    });
    const { lines, result } = await play([source(), reader, asks, last]);
    expect(lines).toContain('reader stale by a');
    expect(lines).toContain('reader unaffected by a v3');
    expect(result.phases['reader']).toMatchObject({ status: 'approved', stale: false, read: { a: 3 } });
  });
});

describe('every output of a phase counts as read', () => {
  it.each<[string, (context: TaskContext) => unknown]>([
    ['where nothing was', () => 1],
    ['where just the names of tasks were', ({ inputs }) => Object.keys(inputs['a'] ?? {})],
    ['by JSON of all inputs', ({ inputs }) => [inputs['a']?.['x'], JSON.stringify(inputs)]],
    ['by JSON of it', ({ inputs }) => JSON.stringify(inputs['a'])],
    ['by a copy', ({ inputs }) => ({ ...inputs['a'] })],
    ['by a clone', ({ inputs }) => structuredClone(inputs['a'])],
    ['by a clone of all inputs', ({ inputs }) => structuredClone({ ...inputs })],
    ['by its values', ({ inputs }) => Object.values(inputs['a'] ?? {})],
    ['by a text for logs', ({ inputs }) => [inputs['a']?.['x'], inspect(inputs['a'])]],
    ['by such a text of all inputs', ({ inputs }) => [inputs['a']?.['x'], inspect(inputs)]],
    ['as an output', ({ inputs }) => inputs['a']],
  ])('%s', async (_, run) => {
    expect(await readBy(run)).toBe('again');
  });

  it.each<[string, FakeOptions]>([
    ['decides', { verdicts: ['ESCALATE: look', 'APPROVE'] }],
    ['is a task', {}],
  ])('if a person %s, who sees all of it', async (_, options) => {
    const work = task('work', { run: ({ inputs }) => inputs['a']?.['x'] });
    const look = task('look', { run: human({ question: 'Good?' }) });
    const reader = fake('reader', { after: ['a'], tasks: options.verdicts ? [work] : [work, look], ...options });
    const lines = await rehearsed([source(), reader, sender()], {
      reviews: { last: [takes(1000, retryPredecessor('a', 'more')), approve()], '*': asDefined() },
      people: { '*': ({ kind }: InboxItem) => (kind === 'task' ? 'good' : approve()) },
    });
    expect(lines).toContain('reader invalidated by a g1');
  });

  it('if the reader subscribes to an artifact of the phase', async () => {
    expect(await readBy(({ inputs }) => inputs['a']?.['x'], { subscribe: ['a/log'] })).toBe('again');
  });

  it('while the reader works, as it may read more', async () => {
    const lines = await rehearsed([source(), fake('reader', { after: ['a'] }), sender()], {
      tasks: {
        async reader({ inputs, wait }: TaskContext) {
          const value = inputs['a']?.['x'];
          await wait(1000);
          return value;
        },
        '*': asDefined(),
      },
    });
    expect(lines).toContain('reader invalidated by a g1');
  });
});

describe('reads by task', () => {
  it('count for an indirect ancestor that was sent back', async () => {
    //  a ──▶ b ──▶ reader, of a.x
    //  ▲ └─▶ last
    //  └──────┘ once
    const b = fake('b', { after: ['a'], tasks: [task('work', { run: ({ inputs }) => inputs['a']?.['x'] })] });
    const reader = (name: 'x' | 'y'): Fake =>
      fake('reader', { after: ['b'], tasks: [task('work', { run: ({ inputs }) => inputs['a']?.[name] })] });
    const lines = await trace([source(), b, reader('x'), sender()]);
    expect(lines.filter((line) => line.includes('unaffected'))).toEqual([
      'b unaffected by a v2',
      'reader unaffected by a v2',
    ]);
    expect(await trace([source(), b, reader('y'), sender()])).toContain('reader invalidated by a g1');
  });

  it('are compared with the version that counts as read, version after version', async () => {
    const a = fake('a', {
      tasks: [
        task('x', { run: ({ attempt }) => (attempt < 2 ? 'x' : 'x 2') }),
        task('y', { run: ({ attempt }) => `y ${attempt}` }),
      ],
    });
    const reader = fake('reader', { after: ['a'], tasks: [task('work', { run: ({ inputs }) => inputs['a']?.['x'] })] });
    const last = fake('last', {
      after: ['a'],
      invalidate: 'changed',
      verdicts: ['RETRY_PREDECESSOR a: more', 'RETRY_PREDECESSOR a: still more', 'APPROVE'],
    });
    const { lines, result } = await play([a, reader, last]);
    expect(lines.filter((line) => /reader/u.test(line))).toEqual([
      'reader started 0',
      'reader approved v1 (unreviewed) from a.x@1',
      'reader unaffected by a v2',
      'reader invalidated by a g1',
      'reader started 0 g1',
      'reader approved v2 (unreviewed) from a.x@3',
    ]);
    expect(result.phases['reader']).toMatchObject({ read: { a: 3 }, readTasks: { a: ['x'] } });
  });

  it('also apply to an equal version of a whole phase', async () => {
    const a = fake('a', { outputs: ['one', 'one'] });
    const reader = fake('reader', { after: ['a'] });
    const { lines, result } = await play([a, reader, sender()]);
    expect(lines).toContain('reader unaffected by a v2');
    expect(result.phases['reader']).toMatchObject({ read: { a: 2 }, version: 1 });
    expect(result.phases['reader']).not.toHaveProperty('readTasks');
  });

  it('are unknown for work that another process began: every output counts', async () => {
    const first = task('first', { run: () => 1 });
    const second = task('second', { after: ['first'], run: ({ inputs }) => inputs['a']?.['x'] });
    const reader = fake('reader', { after: ['a'], tasks: [first, second] });
    const pipeline = definePipeline({ name: 'p', phases: [source().definition, reader.definition] });
    const read = async (crashes: readonly Crash[]) =>
      (await rehearse(pipeline, { tasks: { '*': asDefined() }, crashes })).result.phases['reader'];
    const resumed = await read([crashAfter('task.started', 4)]);
    expect(resumed).toMatchObject({ status: 'approved', read: { a: 1 } });
    expect(resumed).not.toHaveProperty('readTasks');
    expect(await read([])).toMatchObject({ status: 'approved', readTasks: { a: ['x'] } });
  });
});
