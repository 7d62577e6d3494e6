/** Limits of one run, in addition to those of its pipeline. */
import { describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  forkRun,
  phase,
  resumeRun,
  retry,
  retryRun,
  startRun,
  submitRun,
  task,
  type Limits,
  type Pipeline,
  type Policy,
  memoryStore,
  readRun,
} from '../src/index.ts';
import type { RunStore } from '../src/store.ts';
import { drive, simulatedTime } from './rig.ts';

/**
 * A pipeline of `draft`, which costs one dollar per attempt and passes at the fourth, and of `wait`, which the test
 * releases.
 */
function made(
  limits?: Limits,
  policy?: Policy,
): {
  readonly pipeline: Pipeline;
  readonly begun: Promise<void>;
  readonly finish: () => void;
} {
  let begin: () => void = () => undefined;
  let finish: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const pipeline = definePipeline({
    name: 'p',
    phases: [
      phase('draft', {
        tasks: [task('write', { run: ({ report }) => report({ costUsd: 1 }) })],
        review: { by: ({ attempt }) => (attempt < 3 ? retry(`Longer than ${attempt}.`) : approve()), maxRetries: 9 },
      }),
      phase('wait', {
        after: ['draft'],
        tasks: [
          task('wait', {
            run: async () => {
              begin();
              await finished;
            },
          }),
        ],
      }),
      phase('print', { after: ['wait'], tasks: [task('press', { run: ({ report }) => report({ costUsd: 2 }) })] }),
      phase('send', { after: ['print'], tasks: [task('post', { run: () => 'sent' })] }),
    ],
    ...(limits && { limits }),
    ...(policy && { policy }),
  });
  return { pipeline, begun, finish };
}

describe('limits of a run', () => {
  it.each([
    [{ costUsd: 2 }, undefined, { costUsd: 2 }, 'exhausted'],
    [{ costUsd: 2 }, { costUsd: 3 }, { costUsd: 2 }, 'exhausted'],
    [{ costUsd: 9 }, { costUsd: 3 }, { costUsd: 3 }, 'exhausted'],
    [{ costUsd: 9 }, { costUsd: 8, corrections: 7 }, { costUsd: 8, corrections: 7 }, 'completed'],
    [{ attemptsPerPhase: 2 }, { costUsd: 8 }, { attemptsPerPhase: 2, costUsd: 8 }, 'exhausted'],
    [{}, { costUsd: 8 }, { costUsd: 8 }, 'completed'],
    [undefined, { costUsd: 8 }, { costUsd: 8 }, 'completed'],
  ] as const)('%j beside %j of the pipeline are %j', async (limits, own, expected, status) => {
    const { pipeline, finish } = made(own);
    finish();
    const store = memoryStore();
    const result = await startRun(pipeline, { limits, store, runId: 'r' }).result;
    const [first] = await readRun(store, 'r');
    expect(first?.event).toMatchObject({ type: 'run.started', plan: { limits: expected } });
    expect(result.status).toBe(status);
    expect(pipeline.plan.limits).toEqual(own ?? {});
  });

  it('are stored with it, and apply on resume', async () => {
    const { pipeline, begun, finish } = made();
    const store = memoryStore();
    const run = startRun(pipeline, { limits: { costUsd: 5 }, store, runId: 'r' });
    await begun;
    run.suspend();
    await run.result;
    finish();
    const result = await (await resumeRun(store, 'r', pipeline)).result;
    expect(result).toMatchObject({ status: 'exhausted', limitsLeft: { costUsd: 0 } });
    expect(result.error?.message ?? result.reason).toContain('costUsd');
  });

  it('replace its earlier ones on resume and on fork', async () => {
    const { pipeline, begun, finish } = made({ costUsd: 100 });
    const store = memoryStore();
    const run = startRun(pipeline, { limits: { costUsd: 20, tokens: 9 }, store, runId: 'r' });
    await begun;
    run.suspend();
    await run.result;
    finish();
    const fork = await forkRun(store, 'r', { at: { phase: 'wait' } });
    const more = await (await resumeRun(store, fork, pipeline, { limits: { costUsd: 50 } })).result;
    expect(more).toMatchObject({ status: 'completed', limitsLeft: { costUsd: 44, tokens: 9 } });
    const less = await (await resumeRun(store, 'r', pipeline, { limits: { costUsd: 5 } })).result;
    expect(less).toMatchObject({ status: 'exhausted', limitsLeft: { costUsd: 0, tokens: 9 } });
    // A third process knows both limits.
    const again = await (await retryRun(store, 'r', pipeline)).result;
    expect(again).toMatchObject({ status: 'exhausted', limitsLeft: { costUsd: 0, tokens: 9 } });
    const raised = await (await retryRun(store, 'r', pipeline, { limits: { costUsd: 50 } })).result;
    expect(raised).toMatchObject({ status: 'completed', limitsLeft: { costUsd: 42, tokens: 9 } });
  });

  it('are refused if the run has used more, and then change nothing', async () => {
    const { pipeline, begun, finish } = made();
    const store = memoryStore();
    const run = startRun(pipeline, { store, runId: 'r' });
    await begun;
    run.suspend();
    await run.result;
    finish();
    await expect(resumeRun(store, 'r', pipeline, { limits: { costUsd: 2 } })).rejects.toMatchObject({
      code: 'JOURNAL_DIVERGED',
    });
    expect((await (await resumeRun(store, 'r', pipeline)).result).status).toBe('completed');
  });

  it('do not hide a changed definition', async () => {
    const { pipeline, begun } = made();
    const store = memoryStore();
    const run = startRun(pipeline, { limits: { costUsd: 5 }, store, runId: 'r' });
    await begun;
    run.suspend();
    await run.result;
    const changed = resumeRun(store, 'r', made({ tokens: 7 }).pipeline, { limits: { costUsd: 4 } });
    await expect(changed).rejects.toMatchObject({ code: 'RUN_CHANGED' });
    await expect(changed).rejects.toThrow('limits: {"costUsd":5} → {"costUsd":5,"tokens":7}');
  });

  it.each([{ costUsd: -1 }, { cost: 5 }, { costUsd: Number.NaN }, 5, null] as const)('refuse %j', async (limits) => {
    // @ts-expect-error They are invalid.
    const { status, error } = await startRun(made().pipeline, { limits }).result;
    expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'INPUT_INVALID' });
    expect(error?.message).toContain('Cannot start a run as its `limits` are no limits');
    const store = memoryStore();
    const runId = await submitRun(store, made().pipeline);
    // @ts-expect-error They are invalid.
    const resumed = resumeRun(store, runId, made().pipeline, { limits });
    await expect(resumed).rejects.toThrow('Cannot resume a run as its `limits` are no limits');
  });
});

describe('a run that has ended on a spent limit', () => {
  /** Reaches a limit in the second attempt of `draft`, during its task. */
  async function spent(given: { readonly own?: Limits; readonly limits?: Limits }) {
    const store = memoryStore();
    const one = made(given.own);
    one.finish();
    const result = await startRun(one.pipeline, { limits: given.limits, store, runId: 'r' }).result;
    expect(result).toMatchObject({ status: 'exhausted', limit: 'costUsd', metrics: { costUsd: 2 } });
    return { store, pipeline: one.pipeline };
  }
  const startsIn = async (store: RunStore) =>
    (await readRun(store, 'r')).filter(({ event }) => event.type === 'task.started').length;

  it('continues with a higher limit of its own', async () => {
    const { store, pipeline } = await spent({ limits: { costUsd: 1.5 } });
    const result = await (await retryRun(store, 'r', pipeline, { limits: { costUsd: 50 } })).result;
    expect(result).toMatchObject({ status: 'completed', metrics: { costUsd: 8 }, limitsLeft: { costUsd: 42 } });
  });

  it('continues with a higher limit of the definition, if that is allowed', async () => {
    const { store } = await spent({ own: { costUsd: 1.5 } });
    const { pipeline, finish } = made({ costUsd: 50 });
    finish();
    const refused = retryRun(store, 'r', pipeline);
    await expect(refused).rejects.toMatchObject({ code: 'RUN_CHANGED' });
    await expect(refused).rejects.toThrow('limits: {"costUsd":1.5} → {"costUsd":50}');
    const result = await (await retryRun(store, 'r', pipeline, { allowChanged: true })).result;
    expect(result).toMatchObject({ status: 'completed', metrics: { costUsd: 8 } });
  });

  it('may have its limit raised repeatedly, after a stop, a resume and a fork', async () => {
    const { store, pipeline: ended } = await spent({ limits: { costUsd: 1.5 } });
    const second = await (await retryRun(store, 'r', ended, { limits: { costUsd: 2.5 } })).result;
    expect(second).toMatchObject({ status: 'exhausted', metrics: { costUsd: 3 } });
    const { pipeline, begun, finish } = made();
    const third = await retryRun(store, 'r', pipeline, { limits: { costUsd: 9 } });
    await begun;
    third.suspend();
    await third.result;
    finish();
    const fork = await forkRun(store, 'r', { at: { phase: 'wait' } });
    const more = await resumeRun(store, fork, pipeline, { limits: { costUsd: 99 } });
    expect(await more.result).toMatchObject({ status: 'completed', limitsLeft: { costUsd: 90 } });
    // The earlier limits were different, and stay in the records.
    const left = await (await resumeRun(store, 'r', pipeline)).result;
    expect(left).toMatchObject({ status: 'exhausted', limit: 'costUsd', limitsLeft: { costUsd: 0 } });
    const last = await (await retryRun(store, 'r', pipeline, { limits: { costUsd: 90 } })).result;
    expect(last).toMatchObject({ status: 'completed' });
  });

  it.each([1.5, 2, 0])('starts no task with a limit of %d, as 2 are used', async (costUsd) => {
    const { store, pipeline } = await spent({ limits: { costUsd: 1.5 } });
    const before = await startsIn(store);
    const result = await (await retryRun(store, 'r', pipeline, { limits: { costUsd } })).result;
    expect(result).toMatchObject({ status: 'exhausted', limit: 'costUsd', metrics: { costUsd: 2 } });
    expect(await startsIn(store)).toBe(before);
  });

  it('continues with more time', async () => {
    const store = memoryStore();
    const time = simulatedTime();
    const slow = task('slow', { run: ({ wait }) => wait(900) });
    const pipeline = definePipeline({ name: 'p', phases: [phase('a', { tasks: [slow] })] });
    const options = { store, clock: time.clock };
    const run = startRun(pipeline, { ...options, runId: 'r', limits: { durationMs: 500 } });
    expect(await drive(run, time)).toMatchObject({ status: 'exhausted', limit: 'durationMs' });
    const again = await retryRun(store, 'r', pipeline, { clock: time.clock, limits: { durationMs: 600 } });
    expect(await drive(again, time)).toMatchObject({ status: 'exhausted', limit: 'durationMs' });
    const last = await retryRun(store, 'r', pipeline, { clock: time.clock, limits: { durationMs: 5000 } });
    expect(await drive(last, time)).toMatchObject({ status: 'completed' });
  });

  it('may make more corrections', async () => {
    const store = memoryStore();
    const { pipeline, finish } = made();
    finish();
    const run = startRun(pipeline, { store, runId: 'r', limits: { corrections: 1, attemptsPerPhase: 9 } });
    expect(await run.result).toMatchObject({ status: 'exhausted', limit: 'corrections' });
    const again = await retryRun(store, 'r', pipeline, { limits: { corrections: 9 } });
    expect(await again.result).toMatchObject({ status: 'completed', limitsLeft: { corrections: 5 } });
  });

  it('refuses to raise a limit that holds it, which a person has to lift', async () => {
    const store = memoryStore();
    const { pipeline, finish } = made(undefined, { onLimit: 'escalate' });
    finish();
    const run = startRun(pipeline, { store, runId: 'r', limits: { costUsd: 1.5 } });
    await new Promise<void>((resolve) =>
      run.events$.subscribe(({ event }) => event.type === 'limit.reached' && resolve()),
    );
    run.suspend();
    await run.result;
    const raised = resumeRun(store, 'r', pipeline, { limits: { costUsd: 50 } });
    await expect(raised).rejects.toMatchObject({ code: 'JOURNAL_DIVERGED' });
    await expect(raised).rejects.toThrow('Give limits that are above what it has used, and do not raise one');
  });
});
