/** Options that a program in JavaScript gets wrong: they are named, and break nothing. */
import { describe, expect, it } from 'vitest';
import {
  cancelRun,
  createWorker,
  definePipeline,
  forkRun,
  memoryStore,
  phase,
  resumeAll,
  resumeRun,
  retry,
  startRun,
  submitRun,
  task,
  type ResumeOptions,
  type RunOptions,
} from '../src/index.ts';

const pipeline = definePipeline({ name: 'p', phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });

describe('wrong options', () => {
  it.each([
    ['null', null, 'its options are no object'],
    ['a text', 'fast', 'its options are no object'],
    ['a list', [], 'its options are no object'],
    ['a signal that is a text', { signal: 'x' }, 'its option `signal` is not an AbortSignal'],
    ['a controller for a signal', { signal: new AbortController() }, 'its option `signal` is not an AbortSignal'],
    ['a number for an id', { runId: 5 }, 'its option `runId` is not a text'],
    ['a clock without timers', { clock: { now: () => 1 } }, 'its option `clock` is not a clock'],
    ['a text for `redact`', { redact: 'x' }, 'its option `redact` is not a function'],
    ['a number for `inspect`', { inspect: 1 }, 'its option `inspect` is not a function or an observer'],
    ['a text for `attended`', { attended: 'yes' }, 'its option `attended` is not `true` or `false`'],
    ['a number for `holder`', { holder: 5 }, 'its option `holder` is not a text'],
    ['an object for `source`', { source: {} }, 'its option `source` is not a text'],
    [
      'an unknown `whileWaiting`',
      { whileWaiting: 'suspended' },
      "its option `whileWaiting` is not `'hold'` or `'suspend'`",
    ],
    ['a text for `allowChanged`', { allowChanged: 'no' }, 'its option `allowChanged` is not `true` or `false`'],
    ['a misspelt store', { sotre: memoryStore() }, 'there is no option `sotre`\nDid you mean `store`?'],
    ['a misspelt id', { runid: 'r' }, 'there is no option `runid`\nDid you mean `runId`?'],
    [
      'an option of another library',
      { concurrency: 1 },
      'there is no option `concurrency`\nCorrect its name, or leave it out.',
    ],
  ])('%s: are refused by name', async (_, options, problem) => {
    expect(() => startRun(pipeline, options as never)).toThrow(`Cannot start a run as ${problem}`);
    const submitted = submitRun(memoryStore(), pipeline, options as never);
    await expect(submitted).rejects.toThrow(`Cannot submit a run as ${problem}`);
  });

  it('none of the documented options is unknown', async () => {
    const names: Record<keyof RunOptions | keyof ResumeOptions, true> = {
      input: true,
      runId: true,
      signal: true,
      inspect: true,
      store: true,
      holder: true,
      source: true,
      redact: true,
      attended: true,
      memory: true,
      tags: true,
      limits: true,
      whileWaiting: true,
      clock: true,
      allowChanged: true,
      allowMasked: true,
    };
    for (const name of Object.keys(names)) {
      const start = async () => startRun(pipeline, { [name]: null }).result;
      const refusal: unknown = await start().catch(String);
      expect(String(refusal)).not.toContain('there is no option');
    }
    const run = startRun(pipeline, { sotre: undefined } as never);
    expect((await run.result).status).toBe('completed');
  });

  it('unknown ones are refused before anything resumes', async () => {
    const wrong = { alowChanged: true } as never;
    const problem = 'as there is no option `alowChanged`\nDid you mean `allowChanged`?';
    await expect(resumeRun(memoryStore(), 'r', pipeline, wrong)).rejects.toThrow(`Cannot resume a run ${problem}`);
    await expect(resumeAll(memoryStore(), [pipeline], wrong)).rejects.toThrow(`Cannot resume runs ${problem}`);
    expect(() => createWorker(memoryStore(), [pipeline], wrong)).toThrow(`Cannot start a worker ${problem}`);
    expect(() => createWorker(memoryStore(), [pipeline], { concurency: 2 } as never)).toThrow(
      'Cannot start a worker as there is no option `concurency`\nDid you mean `concurrency`?',
    );
    await expect(resumeAll(memoryStore(), [pipeline], { onrun: () => undefined } as never)).rejects.toThrow(
      'Did you mean `onRun`?',
    );
  });

  it.each([{}, 'runs.db', '', null, { ...memoryStore(), acquire: undefined }])('%s is no store', async (value) => {
    const problem = 'Cannot use the given value as a store as it has no method';
    const store = value as ReturnType<typeof memoryStore>;
    expect(() => startRun(pipeline, { store })).toThrow(problem);
    expect(() => createWorker(store, [pipeline])).toThrow(problem);
    await expect(cancelRun(store, 'r')).rejects.toMatchObject({ code: 'STORE_MISUSED' });
    await expect(resumeRun(store, 'r', pipeline)).rejects.toThrow(problem);
  });

  it('name the operation that they were given to', async () => {
    const resumed = resumeRun(memoryStore(), 'r', pipeline, { signal: 'x' as never });
    await expect(resumed).rejects.toThrow('Cannot resume a run as its option `signal`');
    await expect(resumeRun(memoryStore(), 5 as never, pipeline)).rejects.toThrow(
      'Cannot resume run 5 as the store has no',
    );
  });

  it.each([[[]], [undefined], ['p']])('a worker needs pipelines, and not %j', async (pipelines) => {
    expect(() => createWorker(memoryStore(), pipelines as never)).toThrow(
      'Cannot start a worker as there are no pipelines',
    );
    await expect(resumeAll(memoryStore(), pipelines as never)).rejects.toThrow(
      'Cannot resume runs as there are no pipelines',
    );
  });

  it.each([null, 'p', { plan: 1, work: 1 }])('%j is no pipeline', async (value) => {
    const given = value as never;
    const problem = 'as the given value is not a pipeline';
    expect(() => startRun(given)).toThrow(`Cannot start a run ${problem}`);
    await expect(submitRun(memoryStore(), given)).rejects.toThrow(`Cannot submit a run ${problem}`);
    await expect(resumeRun(memoryStore(), 'r', given)).rejects.toThrow(`Cannot resume a run ${problem}`);
    expect(() => createWorker(memoryStore(), [given])).toThrow(`Cannot start a worker ${problem}`);
  });

  it.each([
    ['no options', undefined, 'FORK_INVALID'],
    ['no point', {}, 'FORK_INVALID'],
    ['a text as point', { at: 'a' }, 'FORK_INVALID'],
    ['a number as phase', { at: { phase: 5 } }, 'FORK_INVALID'],
    ['a text as decision', { at: 1, decision: 'approve' }, 'DECISION_INVALID'],
    ['a misspelt decision', { at: 1, decison: retry('Longer.') }, 'INPUT_INVALID'],
    ['tags', { at: 1, tags: ['nightly'] }, 'INPUT_INVALID'],
    ['a store', { at: 1, store: memoryStore() }, 'INPUT_INVALID'],
    ['a text for `allowMasked`', { at: 1, allowMasked: 'no' }, 'INPUT_INVALID'],
  ])('a fork with %s is refused', async (_, options, code) => {
    const store = memoryStore();
    await startRun(pipeline, { store, runId: 'r' }).result;
    await expect(forkRun(store, 'r', options as never)).rejects.toMatchObject({ code });
    expect(await store.runs()).toHaveLength(1);
  });

  it.each([
    ['throws', () => JSON.parse('?') as number],
    ['is no number', () => Number.NaN],
    ['is endless', () => Infinity],
  ])('the time of the system counts if that of a clock %s', async (_, now) => {
    const begun = Date.now();
    const { setTimeout, clearTimeout } = globalThis;
    const clock = { setTimeout, clearTimeout: clearTimeout as (timer: unknown) => void, now };
    const run = startRun(pipeline, { clock });
    const times: number[] = [];
    run.events$.subscribe(({ time }) => times.push(time));
    expect((await run.result).status).toBe('completed');
    expect(times.length).toBeGreaterThan(3);
    expect(times.every((time) => time >= begun && time <= Date.now())).toBe(true);
  });
});
