/** Runs whose input was masked before it was stored. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  cancelRun,
  definePipeline,
  forkRun,
  phase,
  resumeAll,
  redactSecrets,
  resumeRun,
  startRun,
  task,
  memoryStore,
  readRun,
} from '../src/index.ts';
import type { RunEvent } from '../src/records.ts';
import type { RunStore } from '../src/store.ts';

const KEY = 'key-of-the-house';

/** Removes the key from the recorded input. */
function redact(event: RunEvent): RunEvent {
  if (event.type !== 'run.started') return redactSecrets(event);
  return { ...event, input: { ...(event.input as object), key: '[redacted]' } };
}

/** Leaves a run that waits for a person. */
async function left(given: unknown, how: Parameters<typeof startRun>[1] = {}) {
  const seen: unknown[] = [];
  const pipeline = definePipeline({
    name: 'p',
    input: z.object({ key: z.string(), count: z.coerce.number() }),
    phases: [
      phase('open', {
        tasks: [
          task('door', {
            run({ input }) {
              seen.push(input);
              return 'open';
            },
          }),
        ],
        review: () => 'ESCALATE: see it',
      }),
    ],
  });
  const store: RunStore = memoryStore();
  const run = startRun(pipeline, { store, runId: 'r', input: given as never, ...(how as object) });
  for await (const { event } of run) if (event.type === 'phase.escalated') break;
  run.suspend();
  await run.result;
  const [first] = await readRun(store, 'r');
  if (first?.event.type !== 'run.started') throw new Error('the run has not started');
  return { pipeline, store, seen, started: first.event };
}

describe('a run whose input was masked', () => {
  it.each([
    ['as it was given', { key: KEY, count: 4 }, 'input'],
    ['and changed by its schema', { key: KEY, count: '4' }, undefined],
  ])('%s has no secret in its records, and says so', async (_, given, kept) => {
    const { started } = await left(given, { redact });
    expect(started).toMatchObject({ input: { key: '[redacted]', count: 4 }, masked: true });
    expect(started.given).toBe(kept);
    expect(JSON.stringify(started)).not.toContain(KEY);
  });

  it('has no secret in its records if `redact` throws, or returns another event', async () => {
    const redacts: (() => RunEvent)[] = [
      () => {
        throw new Error('no');
      },
      () => ({ type: 'run.reopened' }),
    ];
    for (const failing of redacts) {
      const { started, pipeline, store } = await left({ key: KEY, count: '4' }, { redact: failing });
      expect(JSON.stringify(started)).not.toContain(KEY);
      expect(started).toMatchObject({ input: '[redacted]', masked: true });
      await expect(resumeRun(store, 'r', pipeline, { redact: failing })).rejects.toThrow('Cannot resume run r as');
      const run = await resumeRun(store, 'r', pipeline, { redact: failing, allowMasked: true });
      run.cancel();
      expect((await run.result).status).toBe('cancelled');
    }
  });

  it('is not forked, and no fork is stored', async () => {
    const { store, seen } = await left({ key: KEY, count: 4 }, { redact });
    const fork = forkRun(store, 'r', { at: { phase: 'open' } });
    await expect(fork).rejects.toMatchObject({
      code: 'INPUT_MASKED',
      hint: 'Start another run with that input; or pass `allowMasked: true`, if no handler needs the masked text.',
    });
    expect(await store.runs()).toHaveLength(1);
    expect(seen).toEqual([{ key: KEY, count: 4 }]);
  });

  it('is not resumed, and resumeAll() reports it', async () => {
    const { pipeline, store } = await left({ key: KEY, count: 4 }, { redact });
    await expect(resumeRun(store, 'r', pipeline, { redact })).rejects.toMatchObject({ code: 'INPUT_MASKED' });
    const { runs, failed } = await resumeAll(store, [pipeline], { redact });
    expect([runs, failed]).toMatchObject([[], [{ runId: 'r', error: { code: 'INPUT_MASKED' } }]]);
    expect((await store.run('r'))?.lease).toBeUndefined();
  });

  it('resumes with the stored input if that is allowed, and its fork says so as well', async () => {
    const { pipeline, store, seen } = await left({ key: KEY, count: '4' }, { redact });
    const id = await forkRun(store, 'r', { at: { phase: 'open' }, allowMasked: true });
    await expect(resumeRun(store, id, pipeline, { redact })).rejects.toMatchObject({ code: 'INPUT_MASKED' });
    const fork = await resumeRun(store, id, pipeline, { redact, allowMasked: true });
    for await (const { event } of fork) if (event.type === 'phase.escalated') break;
    await fork.decide('open', 'APPROVE');
    expect((await fork.result).status).toBe('completed');
    expect(seen).toEqual([
      { key: KEY, count: 4 },
      { key: '[redacted]', count: 4 },
    ]);
  });
});

describe('a run whose original input contains masks', () => {
  it('resumes, as its input is the original', async () => {
    const { pipeline, store, started } = await left({ key: '[redacted]', count: 4 }, { redact });
    expect(started.masked).toBeUndefined();
    const fork = await forkRun(store, 'r', { at: { phase: 'open' } });
    const run = await resumeRun(store, fork, pipeline, { redact });
    run.cancel();
    expect((await run.result).status).toBe('cancelled');
  });

  it('resumes without an input, whatever `redact` does', async () => {
    const store = memoryStore();
    const pipeline = definePipeline({
      name: 'p',
      phases: [phase('a', { tasks: [task('t', { run: () => 1 })], review: () => 'ESCALATE: see it' })],
    });
    const failing = () => {
      throw new Error('no');
    };
    const first = startRun(pipeline, { store, runId: 'r', redact: failing, attended: true });
    for await (const { event } of first) if (event.type === 'phase.escalated') break;
    first.suspend();
    await first.result;
    const run = await resumeRun(store, 'r', pipeline, { redact: failing });
    await run.decide('a', 'APPROVE');
    expect((await run.result).status).toBe('completed');
  });

  it('resumes with the stored input if only a later `redact` would mask it', async () => {
    const { pipeline, store } = await left({ key: KEY, count: 4 });
    const run = await resumeRun(store, 'r', pipeline, { redact });
    run.cancel();
    expect((await run.result).status).toBe('cancelled');
  });

  it('can be cancelled, as no handler gets its input', async () => {
    const { store } = await left({ key: KEY, count: 4 }, { redact });
    expect((await cancelRun(store, 'r')).status).toBe('cancelled');
  });

  it('stores its input by default, secrets included', async () => {
    const { started } = await left({ key: `sk-ant-api03-${'a'.repeat(40)}`, count: '4' });
    expect(started.masked).toBeUndefined();
    expect(started.given).toMatchObject({ value: { count: '4' } });
  });
});
