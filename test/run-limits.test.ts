/**
 * Limits of one run, beside those of its pipeline.
 */
import { describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  forkRun,
  memoryStore,
  phase,
  readRun,
  resumeRun,
  retry,
  retryFailed,
  startRun,
  task,
  type Limits,
  type Pipeline,
} from '../src/index.ts';

/** `draft`, which costs a dollar each time and is never good enough before its fourth; `wait`, which ends once it may. */
function made(limits?: Limits): {
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

  it('are kept with it, and count when it goes on', async () => {
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

  it('take the place of those that it was given before, when it is resumed or forked', async () => {
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
    // A third process knows of both.
    const again = await (await retryFailed(store, 'r', pipeline)).result;
    expect(again).toMatchObject({ status: 'exhausted', limitsLeft: { costUsd: 0, tokens: 9 } });
    // The limit was reached: to raise it would not have led to these records.
    const raised = retryFailed(store, 'r', pipeline, { limits: { costUsd: 50 } });
    await expect(raised).rejects.toMatchObject({ code: 'JOURNAL_DIVERGED' });
    await expect(raised).rejects.toThrow('Give limits that are above what it has used, and do not raise one');
  });

  it('are refused where the run has used more, and change nothing then', async () => {
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

  it('do not hide that the definition has changed', async () => {
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

  it.each([{ costUsd: -1 }, { cost: 5 }, { costUsd: Number.NaN }, 5, null] as const)('%j are none', async (limits) => {
    // @ts-expect-error They are none.
    const { status, error } = await startRun(made().pipeline, { limits }).result;
    expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'INPUT_INVALID' });
    expect(error?.message).toContain('Cannot start a run as its `limits` are no limits');
  });
});
