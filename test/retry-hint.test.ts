import { describe, expect, it } from 'vitest';
import { definePipeline, phase, task, type RetryPolicy } from '../src/index.ts';
import { retryHintOf } from '../src/model/errors/retry-hint.ts';
import { fails, rehearse } from '../src/testing.ts';

/** Creates an error with fields. */
function failure(fields: object): Error {
  return Object.assign(new Error('busy'), fields);
}

/** Returns the delays between the tries of a task that fails with these errors. */
async function delaysOf(errors: readonly Error[], retry: RetryPolicy): Promise<readonly number[]> {
  const work = phase('a', { tasks: [task('work', { retry, run: () => 'done' })] });
  const { records } = await rehearse(definePipeline({ name: 'p', phases: [work] }), {
    tasks: { work: [...errors.map((error) => fails(error)), 'done'] },
  });
  return records.flatMap(({ event }) => (event.type === 'task.retrying' ? event.delayMs : []));
}

const retry: RetryPolicy = { attempts: 4, backoff: { first: 100, factor: 2, max: 5000 } };

describe('an error with a retry delay', () => {
  it('is a minimum, bounded by the maximum backoff', async () => {
    const errors = [{ retryAfterMs: 700 }, { retryAfterMs: 150 }, { retryAfterMs: 1e9 }].map(failure);
    expect(await delaysOf(errors, retry)).toEqual([700, 200, 5000]);
    expect(await delaysOf([failure({ retryAfterMs: 1e9 })], { attempts: 2 })).toEqual([60_000]);
  });

  it.each([[-1], [Number.NaN], ['700'], [null], [undefined]])('is ignored if its value is %j', async (retryAfterMs) => {
    expect(await delaysOf([failure({ retryAfterMs })], retry)).toEqual([100]);
  });
});

describe('a final error', () => {
  it('fails the task at once', async () => {
    expect(await delaysOf([failure({ retryable: false, retryAfterMs: 1 })], retry)).toEqual([]);
    expect(await delaysOf([failure({ retryable: true }), failure({ retryable: 0 })], retry)).toEqual([100, 200]);
  });

  it('is overridden by the policy of the task', async () => {
    const policy = { ...retry, retryable: () => true };
    expect(await delaysOf([failure({ retryable: false })], policy)).toEqual([100]);
    expect(await delaysOf([failure({ retryable: true })], { ...retry, retryable: () => false })).toEqual([]);
  });
});

describe('retryHintOf()', () => {
  it('never throws', () => {
    const hostile = new Proxy({}, { get: () => expect.fail('looked at') as unknown });
    for (const thrown of [hostile, undefined, null, 'text', 1, Object.create(null)]) {
      expect(retryHintOf(thrown)).toEqual({ retryable: true, permanent: false, afterMs: 0 });
    }
  });
});
