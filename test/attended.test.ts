import { describe, expect, it } from 'vitest';
import { replay } from '../src/machines/replay/replay.ts';
import {
  definePipeline,
  phase,
  policies,
  resumeRun,
  startRun,
  task,
  type Pipeline,
  type Policy,
  type ReviewOptions,
  memoryStore,
  readRun,
} from '../src/index.ts';
import type { RunStore } from '../src/store.ts';
import { idle } from './rig.ts';

/**
 * A pipeline whose reviewers always fail. @param onAsk Called with the number of each question; the test may stop the
 * process there.
 */
function gated(onAsk: (number: number) => void | Promise<void> = () => undefined): Pipeline<unknown> {
  let asked = 0;
  return definePipeline({
    name: 'gated',
    phases: [
      phase('first', {
        tasks: [task('t', { run: () => 1 })],
        review: {
          maxReviewErrors: 0,
          by: async () => {
            asked += 1;
            await onAsk(asked);
            throw new Error('out of reach');
          },
        },
      }),
      phase('second', {
        after: ['first'],
        tasks: [task('t', { run: () => 2 })],
        review: { maxReviewErrors: 0, by: () => Promise.reject(new Error('out of reach')) },
      }),
    ],
  });
}

describe('a run that is resumed', () => {
  it.each<[boolean, boolean | undefined, 'escalated' | 'failed']>([
    [true, undefined, 'escalated'],
    [false, undefined, 'failed'],
    [true, true, 'escalated'],
    [false, true, 'escalated'],
    [true, false, 'failed'],
    [false, false, 'failed'],
  ])('keeps attended %j unless told otherwise (%j): a running review is %s', async (before, attended, status) => {
    const store = memoryStore();
    await leftInReview(store, before);
    const run = await resumeRun(store, 'r', gated(), { attended });
    await until(() => run.snapshot().phases['first']?.status === status);
    const resumed = (await readRun(store, 'r')).findLast(({ event }) => event.type === 'run.resumed')?.event;
    expect(resumed).toEqual(
      attended === undefined || attended === before ? { type: 'run.resumed' } : { type: 'run.resumed', attended },
    );
    if (status === 'escalated') {
      await run.decide('first', 'APPROVE');
      // A phase that starts later is judged by the same option.
      await until(() => run.snapshot().phases['second']?.status === status);
      await run.decide('second', 'APPROVE');
    }
    expect((await run.result).status).toBe(status === 'escalated' ? 'completed' : 'failed');
    const input = { run: 'r', plan: gated().plan, attended: before };
    expect(replay(input, await readRun(store, 'r')).unrecorded).toEqual([]);
  });

  it('keeps the option of the latest resume', async () => {
    const store = memoryStore();
    await leftInReview(store, false);
    const waiting = new Promise<void>(() => undefined);
    let asked = 0;
    const second = await resumeRun(
      store,
      'r',
      gated((number) => {
        asked = number;
        return waiting;
      }),
      { attended: true },
    );
    await until(() => asked > 0);
    second.suspend();
    await second.result;
    const third = await resumeRun(store, 'r', gated());
    await until(() => third.inbox().length > 0);
    expect(third.inbox()).toMatchObject([{ about: 'first', because: 'reviewUnavailable' }]);
    third.suspend();
    await third.result;
    // A pending escalation is not taken back.
    const fourth = await resumeRun(store, 'r', gated(), { attended: false });
    expect(fourth.inbox()).toMatchObject([{ about: 'first' }]);
    await fourth.decide('first', 'APPROVE');
    expect((await fourth.result).phases['second']?.error?.code).toBe('REVIEW_UNAVAILABLE');
  });
});

describe('an unavailable review', () => {
  const broken = () => Promise.reject(new Error('out of reach'));
  const prose = () => 'I like the second part.';

  /** Returns the status of the first phase once the run has nothing more to do. */
  async function standing(
    { review, policy, by }: { review?: ReviewOptions; policy?: Policy; by: () => unknown },
    kept: boolean,
    attended?: boolean,
  ): Promise<string> {
    const phases = [
      phase('first', {
        tasks: [task('t', { run: () => 1 })],
        review: { maxReviewErrors: 0, ...review, by: by as never },
      }),
    ];
    const pipeline = definePipeline({ name: 'p', phases, ...(policy && { policy }) });
    const store = memoryStore();
    const run = startRun(pipeline, { runId: 'r', ...(kept && { store }), attended });
    await until(() => ['escalated', 'failed', 'approved'].includes(run.snapshot().phases['first']?.status ?? ''));
    const { status } = run.snapshot().phases['first'] ?? {};
    if (status === 'escalated') await run.decide('first', 'REJECT: no');
    await run.result;
    if (kept) {
      const input = { run: 'r', plan: pipeline.plan, attended: attended ?? false };
      expect(replay(input, await readRun(store, 'r')).unrecorded).toEqual([]);
    }
    return status ?? '';
  }

  it.each<[string, boolean, boolean | undefined, string]>([
    ['and no queue', true, undefined, 'failed'],
    ['and no queue', true, true, 'escalated'],
    ['and a queue', true, undefined, 'escalated'],
    ['and a queue', true, false, 'escalated'],
    ['and a queue', false, undefined, 'failed'],
  ])('is handled by its options: %s, store %j, attended %j: %s', async (which, kept, attended, status) => {
    const review = which === 'and a queue' ? { inbox: { queue: 'editors' } } : {};
    expect(await standing({ review, by: broken }, kept, attended)).toBe(status);
  });

  it('asks the queue of the policy', async () => {
    expect(await standing({ policy: { inbox: { queue: 'editors' } }, by: broken }, true)).toBe('escalated');
  });

  it.each<[string, () => unknown, boolean, string]>([
    ['prose that stays prose', prose, true, 'escalated'],
    ['a reviewer that breaks', broken, true, 'escalated'],
    ['prose that stays prose', prose, false, 'failed'],
  ])('escalates under policies.strict: %s, store %j', async (_, by, kept, status) => {
    expect(await standing({ policy: policies.strict, by }, kept)).toBe(status);
  });

  it('escalates in a process that resumes the run as unattended', async () => {
    const store = memoryStore();
    let asked = false;
    const make = (by: () => Promise<never>) =>
      definePipeline({
        name: 'p',
        phases: [
          phase('first', {
            tasks: [task('t', { run: () => 1 })],
            review: { maxReviewErrors: 0, inbox: { queue: 'editors' }, by },
          }),
        ],
      });
    const run = startRun(
      make(() => {
        asked = true;
        return new Promise(() => undefined);
      }),
      { store, runId: 'r', attended: true },
    );
    await until(() => asked);
    run.suspend();
    await run.result;
    const again = await resumeRun(store, 'r', make(broken), { attended: false });
    await until(() => again.inbox().length > 0);
    expect(again.inbox()).toMatchObject([{ about: 'first', because: 'reviewUnavailable', queue: 'editors' }]);
    await again.decide('first', 'APPROVE');
    expect((await again.result).status).toBe('completed');
  });
});

// --- internal ---

/** Leaves a run in the store during its first review. */
async function leftInReview(store: RunStore, attended: boolean): Promise<void> {
  const never = new Promise<void>(() => undefined);
  let asked = false;
  const pipeline = gated(() => {
    asked = true;
    return never;
  });
  const run = startRun(pipeline, { store, runId: 'r', attended });
  await until(() => asked);
  run.suspend();
  await run.result;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await idle();
}
