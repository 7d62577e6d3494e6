/** Ids of runs: new ones are safe everywhere, and kept runs with other ids stay usable. */
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  definePipeline,
  escalate,
  forkRun,
  memoryStore,
  phase,
  readRun,
  resumeRun,
  startRun,
  submitRun,
  task,
} from '../src/index.ts';
import { copyRun } from '../src/runtime/records/copy-run.ts';
import { sqliteStore } from '../src/sqlite.ts';
import type { RunStore } from '../src/store.ts';
import { isChildRunId, isRunId, runIdLike } from '../src/store/run-id.ts';
import { files, phasegate } from './cli/cli.ts';

const UNSAFE: readonly (readonly [what: string, id: string, like: string | undefined])[] = [
  ['a flag', '--flag', 'flag'],
  ['a path', '../x', 'x'],
  ['a line end', 'a\nb', 'a-b'],
  ['a bidirectional mark', 'run\u202Etxt', 'run-txt'],
  ['a space', 'my run', 'my-run'],
  ['a slash', 'a/b', 'a-b'],
  ['a letter that looks like another', 'r\u0435d', 'r-d'],
  ['an accent', 'caf\u00E9', 'cafe'],
  ['too many characters', 'a'.repeat(129), 'a'.repeat(128)],
  ['a mark first', '_x', 'x'],
  ['half a character', '\uD800', undefined],
  ['nothing', '', undefined],
  ['the word for the last run', 'latest', 'latest-1'],
  ['nearly the word for the last run', 'l\u00E1test', 'latest-1'],
  ['nothing that could be kept', '$(…)', undefined],
];

const asks = definePipeline({
  name: 'asks',
  phases: [phase('a', { tasks: [task('t', { run: () => 1 })], review: () => escalate('Well?') })],
});

/** Compares with a reference that shares no code with the rule: each character is looked up. */
const isSafe = (id: string): boolean =>
  id.length > 0 &&
  id.length <= 128 &&
  id !== 'latest' &&
  id.split('').every((one) => 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:@-'.includes(one)) &&
  !'._:@-'.includes(id[0] ?? '');

describe('an id of a new run', () => {
  it('is letters, digits and a few marks, and every suggestion is one', () => {
    const near = fc.string({ unit: fc.constantFrom(...'aZ09._:@- /\n\u202E$é'.split('')), maxLength: 140 });
    fc.assert(
      fc.property(fc.oneof(near, fc.string({ unit: 'binary' })), (id) => {
        expect(isRunId(id)).toBe(isSafe(id));
        const like = runIdLike(id);
        expect(like === undefined || isSafe(like)).toBe(true);
      }),
    );
  });

  it.each(UNSAFE)('is refused by startRun, submitRun and forkRun, with a suggestion: %s', async (_, id, like) => {
    const store = memoryStore();
    const { status, error } = await startRun(asks, { store, runId: id }).result;
    expect(status).toBe('failed');
    expect(error?.code).toBe('INPUT_INVALID');
    const rule = id === 'latest' ? 'the run that was started last' : 'a letter or digit';
    const shown = like === undefined ? `${rule}.` : `${rule}, such as ${like}.`;
    expect(error?.message).toContain(shown);
    await left(store, 'r1');
    await expect(forkRun(store, 'r1', { at: 1, runId: id })).rejects.toThrow(shown);
    await expect(submitRun(store, asks, { runId: id })).rejects.toThrow(shown);
    expect((await store.runs()).map(({ runId }) => runId)).toEqual(['r1']);
    if (like !== undefined) expect(await forkRun(store, 'r1', { at: 1, runId: like })).toBe(like);
  });

  it('is derived for the run of a task, of any length and depth', async () => {
    const store = memoryStore();
    const odd = '-- Ü/..\u202E';
    const name = 't'.repeat(60);
    const leaf = definePipeline({ name, phases: [phase(odd, { tasks: [task(name, { run: () => 1 })] })] });
    const middle = definePipeline({ name, phases: [phase(odd, { tasks: [task(name, { pipeline: () => leaf })] })] });
    const root = definePipeline({ name, phases: [phase(odd, { tasks: [task(name, { pipeline: () => middle })] })] });
    expect((await startRun(root, { store, runId: 'r' }).result).status).toBe('completed');
    const ids = (await store.runs()).map(({ runId }) => runId);
    expect(ids).toHaveLength(3);
    expect(ids.filter((id) => !isRunId(id) && isChildRunId(id))).toHaveLength(2);
    expect(ids.join('')).toMatch(/^[\w.:@%/-]+$/u);
    // A child run belongs to a root, whose id is safe.
    expect(isChildRunId('--flag/p/0/0/task/t')).toBe(false);
    expect(isChildRunId('my%20run/p/0/0/task/t')).toBe(false);
    expect(isChildRunId('r/\u202E/0/0/task/t')).toBe(false);
    // A run with this id may be from an earlier version.
    expect(isChildRunId('latest/p/0/0/task/t')).toBe(true);
  });
});

describe('a kept run with another id', () => {
  it.each(UNSAFE.filter(([, id]) => id !== '' && !/\p{Surrogate}/u.test(id)))(
    'is read, resumed, forked and removed: %s',
    async (_, id) => {
      const cwd = await files({});
      const store = sqliteStore(join(cwd, 'runs.db'));
      await keptAs(store, id);
      const resumed = await resumeRun(store, id, asks, { attended: true });
      await resumed.decide('a', 'APPROVE');
      expect(await resumed.result).toMatchObject({ status: 'completed', runId: id });
      expect((await readRun(store, id)).at(-1)?.event.type).toBe('run.ended');
      const forked = await forkRun(store, id, { at: { phase: 'a' } });
      expect((await store.run(forked))?.forkOf).toBe(id);
      expect(await store.remove(id)).toBe(true);
      expect(await store.run(id)).toBeUndefined();
      await store.close();
    },
  );

  it('is shown and removed by the command line, and imported under another id', async () => {
    const cwd = await files({});
    const store = sqliteStore(join(cwd, 'runs.db'));
    await keptAs(store, '--flag x');
    await store.close();
    const on = ['--store', 'runs.db'];
    expect(await phasegate(['show', ...on, '--', '--flag x'], { cwd })).toMatchObject({ code: 0 });
    expect(await phasegate(['export', ...on, '-o', 'old.jsonl', '--', '--flag x'], { cwd })).toMatchObject({ code: 0 });
    expect(await phasegate(['import', 'old.jsonl', '--store', 'new.db'], { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr: `Cannot import "old.jsonl" as the id of its run is "--flag x"
Use letters, digits and . _ : @ -, at most 128, and begin with a letter or digit. Name another with --run-id flag-x.
Docs: https://github.com/phasegate/phasegate/blob/main/docs/errors.md#INPUT_INVALID
`,
    });
    const again = ['import', 'old.jsonl', '--store', 'new.db', '--run-id', 'flag-x'];
    expect(await phasegate(again, { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^run flag-x of "asks" imported\nseal \w{64}\n$/u) as string,
    });
    expect((await phasegate(again, { cwd })).stderr).toContain('Cannot import run flag-x as the store has a run');
    expect(await phasegate(['rm', ...on, '--', '--flag x'], { cwd })).toMatchObject({ code: 0 });
  });
});

describe('a kept run whose id is latest', () => {
  it('is never taken for the run that was started last, and is read and removed as LATEST', async () => {
    const cwd = await files({});
    const store = sqliteStore(join(cwd, 'runs.db'));
    await keptAs(store, 'latest');
    await left(store, 'latest-2');
    const on = ['--store', 'runs.db'];
    for (const command of [['rm'], ['show'], ['cancel'], ['export'], ['events'], ['resume']])
      expect(await phasegate([...command, 'latest', ...on], { cwd })).toEqual({
        code: 2,
        stdout: '',
        stderr: `Cannot tell which run "latest" is as a run has this id, and another was started last
Name the one that was started last as latest-2, and the other as LATEST.
Docs: https://github.com/phasegate/phasegate/blob/main/docs/errors.md#RUN_UNKNOWN
`,
      });
    expect((await store.runs()).map(({ runId }) => runId)).toEqual(['latest-2', 'latest', 'r1']);
    expect((await phasegate(['show', 'LATEST', ...on], { cwd })).stdout).toContain('run latest ');
    expect(await phasegate(['export', 'LATEST', ...on, '-o', 'old.jsonl'], { cwd })).toMatchObject({ code: 0 });
    expect(await phasegate(['rm', 'LATEST', ...on], { cwd })).toMatchObject({ code: 0 });
    expect((await store.runs()).map(({ runId }) => runId)).toEqual(['latest-2', 'r1']);
    await store.close();
    expect(await phasegate(['import', 'old.jsonl', ...on], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`Cannot import "old.jsonl" as the id of its run is "latest"
Use another word, as commands read this one as the run that was started last. Name another with --run-id latest-1.`) as string,
    });
    expect(await phasegate(['rm', 'latest', ...on], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('latest-2') as string,
    });
  });

  it('is found by that word if it was started last', async () => {
    const cwd = await files({});
    const store = sqliteStore(join(cwd, 'runs.db'));
    await keptAs(store, 'latest');
    await store.close();
    const { code, stdout } = await phasegate(['show', 'latest', '--store', 'runs.db'], { cwd });
    expect([code, stdout]).toEqual([0, expect.stringContaining('run latest ')]);
  });
});

describe('phasegate run and fleet', () => {
  it.each([
    ['run', 'p.yaml'],
    ['fleet', 'Write a text.'],
  ])('%s refuses an unsafe id before anything starts', async (...words) => {
    const cwd = await files({ 'p.yaml': 'name: p\nphases: [{ name: a, tasks: [{ name: t, command: [echo] }] }]\n' });
    const { code, stdout, stderr } = await phasegate([...words, '--run-id', '../my run'], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n')[0]).toBe(
      "error: option '--run-id <id>' argument '../my run' is invalid. Use letters, digits and . _ : @ -, at most 128, and begin with a letter or digit, such as my-run.",
    );
  });
});

// --- internal ---

/** Keeps a run that waits for a person, without a process. */
async function left(store: RunStore, runId: string): Promise<void> {
  const run = startRun(asks, { store, runId, attended: true });
  for await (const { event } of run) if (event.type === 'phase.escalated') break;
  run.suspend();
  await run.result;
}

/** Keeps a run under an id that earlier versions allowed. */
async function keptAs(store: RunStore, id: string): Promise<void> {
  await left(store, 'r1');
  await copyRun(store, id, await readRun(store, 'r1'), { startedAt: Date.now() });
}
