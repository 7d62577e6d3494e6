/** The contract detects faulty claims: each of these has one fault, and must fail the named test. */
import { describe, expect, it } from 'vitest';
import { memoryStore, PhasegateError } from '../../src/index.ts';
import type { ClaimedRun, ClaimWish, Lease, ListedRun, RunStore } from '../../src/store.ts';
import { storeCases } from '../../src/testing.ts';

/** A store in memory that serves one claim after the other. */
function claiming(now: () => number, change: Changes = {}): RunStore {
  const { runs = same, wish: wished = same, lease: leased = same, takesAll = false } = change;
  const store = memoryStore({ now });
  let free: Promise<unknown> = Promise.resolve();

  async function claim(given: ClaimWish): Promise<ClaimedRun | undefined> {
    const { pipelines, except, passed, holder, ms } = wished(given);
    if (!(ms > 0 && ms < Infinity)) throw new PhasegateError('STORE_MISUSED', 'Cannot claim a run');
    const ready = (await store.ready(pipelines, 1000, except)).filter(
      ({ runId, seq }) =>
        (takesAll || !runId.includes('/')) && !passed.some((one) => one.runId === runId && one.seq === seq),
    );
    const [run] = runs(ready);
    return run && { run, lease: leased(await store.acquire(run.runId, holder, ms)) };
  }

  return {
    ...store,
    claim(wish) {
      const claimed = free.then(() => claim(wish));
      free = claimed.catch(() => undefined);
      return claimed;
    },
  };
}

function same<T>(one: T): T {
  return one;
}

interface Changes {
  readonly runs?: (ready: readonly ListedRun[]) => readonly ListedRun[];
  readonly wish?: (wish: ClaimWish) => ClaimWish;
  readonly lease?: (lease: Lease) => Lease;
  /** True to take runs that a task may have started. */
  readonly takesAll?: boolean;
}

const ORDER = 'claim unfinished runs that nobody has, earliest start first';
const LEFT_OUT = 'claim no run of a version or number of records that the caller leaves out';
const LEASE = 'claim a run with a lease as acquire() gives it';

const broken: Readonly<Record<string, readonly [fails: string, change: Changes]>> = {
  'claims the run with the latest start': [ORDER, { runs: (ready) => ready.toReversed() }],
  'claims runs of all pipelines': [ORDER, { wish: (wish) => ({ ...wish, pipelines: ['article', 'other'] }) }],
  'claims runs of every version': [LEFT_OUT, { wish: (wish) => ({ ...wish, except: [] }) }],
  'claims runs that the caller passes': [LEFT_OUT, { wish: (wish) => ({ ...wish, passed: [] }) }],
  'never claims a run that was passed': [
    LEFT_OUT,
    {
      wish: (wish) => ({ ...wish, passed: wish.passed.flatMap((one) => [0, 1, 2, 3].map((seq) => ({ ...one, seq }))) }),
    },
  ],
  'claims runs that tasks have started': [
    'claim a run whose task has started another that got a message',
    { takesAll: true },
  ],
  'claims for another time': [LEASE, { wish: (wish) => ({ ...wish, ms: wish.ms * 2 }) }],
  'claims for another holder': [LEASE, { wish: (wish) => ({ ...wish, holder: 'other' }) }],
  'gives another token': [LEASE, { lease: (lease) => ({ ...lease, token: 'other' }) }],
};

async function failures(change?: Changes): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const { about, name, run } of storeCases(({ now }) => claiming(now, change)))
    if (about === 'claim()') await run().catch(() => failed.push(name));
  return failed;
}

describe('the cases of claim()', () => {
  it('pass with a correct store', async () => {
    expect(await failures()).toEqual([]);
  });

  it.each(Object.entries(broken))('detect a store that %s', async (_, [fails, change]) => {
    expect(await failures(change)).toContain(fails);
  });

  it('detect a store that lists, and acquires later', async () => {
    const failed: string[] = [];
    for (const { about, name, run } of storeCases(({ now }) => {
      const store = claiming(now);
      return {
        ...store,
        async claim({ pipelines, except, holder, ms }) {
          const [first] = await store.ready(pipelines, 1, except);
          await Promise.resolve();
          return first && { run: first, lease: await store.acquire(first.runId, holder, ms) };
        },
      };
    }))
      if (about === 'claim()') await run().catch(() => failed.push(name));
    expect(failed).toContain('claim another run for each of several callers at once');
  });
});
