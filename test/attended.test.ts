import { describe, expect, it } from 'vitest';
import { replay } from '../src/machines/replay.ts';
import {
  definePipeline,
  memoryStore,
  phase,
  readRun,
  resumeRun,
  startRun,
  task,
  type Pipeline,
  type RunStore,
} from '../src/index.ts';
import { idle } from './rig.ts';

/** Its reviewer is out of reach; each time it is asked, the process may end. @param onAsk Told the number of the question. */
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
  ])('is attended as before, %j, unless that is said, %j: a review at work is %s', async (before, attended, status) => {
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
      // What begins later is judged the same way.
      await until(() => run.snapshot().phases['second']?.status === status);
      await run.decide('second', 'APPROVE');
    }
    expect((await run.result).status).toBe(status === 'escalated' ? 'completed' : 'failed');
    const input = { run: 'r', plan: gated().plan, attended: before };
    expect(replay(input, await readRun(store, 'r')).surplus).toEqual([]);
  });

  it('is attended as whoever resumed it last has said', async () => {
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
    // An escalation that waits is not taken back.
    const fourth = await resumeRun(store, 'r', gated(), { attended: false });
    expect(fourth.inbox()).toMatchObject([{ about: 'first' }]);
    await fourth.decide('first', 'APPROVE');
    expect((await fourth.result).phases['second']?.error?.code).toBe('REVIEW_UNAVAILABLE');
  });
});

// --- internal ---

/** A run that was left while its first review was at work. */
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
