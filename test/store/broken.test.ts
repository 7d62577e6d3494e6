/** The contract detects faulty stores: each of these has one fault, and must fail the named test. */
import { describe, expect, it } from 'vitest';
import { memoryStore, PhasegateError } from '../../src/index.ts';
import type { InboxItem } from '../../src/inbox.ts';
import type { Append, AppendFunction, Batch, Lease, Memory, MemoryFilter, PackedRecord } from '../../src/store.ts';
import type { RunStore } from '../../src/store/port.ts';
import { storeCases, type StoreMaker, type StorePlace } from '../../src/testing.ts';

/** Methods with a fault, based on a correct store. */
type Breakage = (good: RunStore, place: StorePlace) => Partial<RunStore> | RunStore;

const broken: Readonly<Record<string, readonly [fails: string, breakage: Breakage]>> = {
  'stores several batches, but not the last': [
    'stores batches of several runs whole',
    (good) =>
      withAll(
        good,
        oneByOne(good, (appends) => appends.slice(0, -1)),
      ),
  ],
  'stores several batches in the other order': [
    'stores several batches of one run in their order',
    (good) =>
      withAll(
        good,
        oneByOne(good, (appends) => appends.toReversed()),
      ),
  ],
  'stores nothing more after a refused batch': [
    'stores nothing of a refused batch, and all of the others',
    (good) => {
      const all = oneByOne(good);
      return withAll(good, async (appends) => {
        const errors = await all(appends);
        return errors.slice(0, errors.findIndex((error) => error !== undefined) + 1);
      });
    },
  ],
  'forgets the leases of several batches': [
    'stores nothing of a refused batch, and all of the others',
    (good) =>
      withAll(
        good,
        oneByOne(good, (appends) => appends.map(({ batch }) => ({ batch, lease: undefined }))),
      ),
  ],
  'takes a gap of one record': [
    'refuses records that do not follow the last one',
    (good) => ({
      append: (batch, lease) => forgive('SEQ_CONFLICT', () => good.append(batch, lease), seqOf(good, batch) === 2),
    }),
  ],
  'takes the last record again': [
    'refuses records that do not follow the last one',
    (good) => ({
      append: (batch, lease) => forgive('SEQ_CONFLICT', () => good.append(batch, lease), seqOf(good, batch) === 0),
    }),
  ],
  'keeps artifacts before it refuses': [
    'stores nothing of a batch that it refuses',
    (good) => {
      const kept = new Map<string, string>();
      return {
        append(batch, lease) {
          for (const { hash, content } of batch.artifacts) kept.set(hash, content);
          return good.append(batch, lease);
        },
        artifact: (hash) => kept.get(hash),
      };
    },
  ],
  'keeps items before it refuses': [
    'stores nothing of a batch that it refuses',
    (good) => {
      const kept = new Map<string, InboxItem>();
      return {
        append(batch, lease) {
          for (const item of batch.items) kept.set(item.id, item);
          return good.append(batch, lease);
        },
        inbox: ({ runId } = {}) => [...kept.values()].filter((item) => runId === undefined || item.runId === runId),
      };
    },
  ],
  'keeps the first half of a batch with a gap': [
    'refuses inconsistent batches',
    (good) => ({
      append(batch, lease) {
        try {
          return good.append(batch, lease);
        } catch (error) {
          const [first] = batch.records;
          if (first?.seq === 1 && first.runId === batch.runId && isCode(error, 'STORE_MISUSED'))
            void good.append({
              ...batch,
              records: [first],
              info: { ...batch.info, runId: batch.runId, seq: 1 },
              items: [],
            });
          throw error;
        }
      },
    }),
  ],
  'takes an empty batch': [
    'refuses inconsistent batches',
    (good) => ({ append: (batch, lease) => (batch.records.length === 0 ? undefined : good.append(batch, lease)) }),
  ],
  'checks, and writes later': [
    'lets one of several concurrent batches win',
    (good) => {
      const logs = new Map<string, PackedRecord[]>();
      return {
        async append(batch) {
          const log = logs.get(batch.runId) ?? [];
          if (batch.records[0]?.seq !== log.length + 1) throw new PhasegateError('SEQ_CONFLICT', 'Cannot append');
          await Promise.resolve();
          logs.set(batch.runId, [...log, ...batch.records]);
        },
        read: (runId) => logs.get(runId) ?? [],
        run: (runId) =>
          logs.has(runId)
            ? { ...batchInfo(runId), seq: logs.get(runId)?.length ?? 0, lease: undefined }
            : good.run(runId),
      };
    },
  ],
  'keeps what it is given by reference': [
    'stores a copy of a batch, so later changes do not affect it',
    (good) => {
      const records: PackedRecord[] = [];
      return {
        append(batch, lease) {
          records.push(...batch.records);
          return good.append(batch, lease);
        },
        read: () => records,
      };
    },
  ],
  'hands out the rows that it keeps': [
    'returns copies, so changes to them do not affect it',
    (good) => {
      const rows = new Map<string, unknown>();
      return { run: (runId) => once(rows, runId, () => good.run(runId)) };
    },
  ],
  'loses what is no well-formed text': [
    'stores any JSON unchanged',
    (good) => ({
      read: async (runId, ...span) =>
        JSON.parse(
          JSON.stringify(await good.read(runId, ...span)).replaceAll(String.raw`\ud800`, '?'),
        ) as PackedRecord[],
    }),
  ],
  'takes ids for patterns': [
    'distinguishes runs, even with unusual ids',
    (good) => ({
      read: async (runId) =>
        runId === '%' || runId === '*'
          ? (await Promise.all((await good.runs()).map(async (run) => good.read(run.runId)))).flat()
          : good.read(runId),
    }),
  ],
  'ignores the case of ids': [
    'distinguishes runs, even with unusual ids',
    (good) => ({ item: (id) => good.item(id.toLowerCase()) }),
  ],
  'takes any id': [
    'refuses ids that are empty or not well-formed text',
    (good) => ({ acquire: (runId, holder, ms) => good.acquire(runId === '' ? 'x' : runId, holder, ms) }),
  ],
  'throws errors without a code': [
    'refuses records that do not follow the last one',
    (good) => ({
      append(batch, lease) {
        try {
          return good.append(batch, lease);
        } catch (error) {
          throw new Error('constraint failed', { cause: error });
        }
      },
    }),
  ],
  'counts from 0': [
    'returns a part of the records',
    (good) => ({ read: (runId, from = 0, limit?: number) => good.read(runId, from + 1, limit) }),
  ],
  'reads one too many': [
    'returns a part of the records',
    (good) => ({ read: (runId, from, limit = Infinity) => good.read(runId, from, limit + 1) }),
  ],
  'ignores the limit': ['returns a part of the records', (good) => ({ read: (runId, from) => good.read(runId, from) })],
  'takes 0 for no limit': [
    'returns a part of the records',
    (good) => ({ read: (runId, from, limit) => good.read(runId, from, limit === 0 ? undefined : limit) }),
  ],
  'lists the first started first': [
    'list runs, latest start first',
    (good) => ({ runs: async (filter) => (await good.runs(filter)).toReversed() }),
  ],
  ...Object.fromEntries(
    ['pipeline', 'status', 'updatedAfter', 'updatedBefore', 'leased', 'limit'].map((key) => [
      `ignores ${key}`,
      [
        'list the runs that match a filter',
        (good: RunStore) => ({ runs: (filter) => good.runs({ ...filter, [key]: undefined }) }),
      ] satisfies readonly [string, Breakage],
    ]),
  ),
  'takes no status for all of them': [
    'list the runs that match a filter',
    (good) => ({
      runs: (filter) => good.runs({ ...filter, status: filter?.status?.length === 0 ? undefined : filter?.status }),
    }),
  ],
  'includes runs of the time itself': [
    'list the runs that match a filter',
    (good) => ({
      runs: (filter = {}) =>
        good.runs({ ...filter, updatedAfter: filter.updatedAfter === undefined ? undefined : filter.updatedAfter - 1 }),
    }),
  ],
  'cuts the list before it filters': [
    'list the runs that match a filter',
    (good) => ({
      runs: async ({ limit, ...filter } = {}) => {
        const first = new Set((await good.runs({ limit })).map(({ runId }) => runId));
        return (await good.runs(filter)).filter(({ runId }) => first.has(runId));
      },
    }),
  ],
  'shows no leases': [
    'return the lease of a run until it expires',
    (good) => ({ run: async (runId) => without(await good.run(runId)) }),
  ],
  'gives a run to everybody': [
    'give a run to one holder',
    (good) => ({
      async acquire(runId, holder, ms) {
        const lease = (await good.run(runId))?.lease;
        if (lease) await good.release(lease);
        try {
          return await good.acquire(runId, holder, ms);
        } catch {
          return { runId, holder, token: String(Math.random()), expiresAt: 0 };
        }
      },
    }),
  ],
  'gives a run again to the same holder': [
    'give a run to one holder',
    (good) => {
      const held = new Map<string, Lease>();
      return {
        async acquire(runId, holder, ms) {
          const known = held.get(runId);
          if (known?.holder === holder) return known;
          const lease = await good.acquire(runId, holder, ms);
          held.set(runId, lease);
          return lease;
        },
      };
    },
  ],
  'ignores leases': ['let only the holder append', (good) => withTrueLease(good, () => true)],
  'asks for any lease but not for the right one': [
    'let only the holder append',
    (good) => withTrueLease(good, (lease) => lease !== undefined),
  ],
  'lets anybody append who has no lease': [
    'let only the holder append',
    (good) => withTrueLease(good, (lease) => lease === undefined),
  ],
  'ends leases too early': ['end when they expire, and not before', (_, { now }) => lastingLonger(now, -1)],
  'ends leases too late': ['end when they expire, and not before', (_, { now }) => lastingLonger(now, 1)],
  'never ends leases': ['end when they expire, and not before', () => memoryStore({ now: () => 0 })],
  'refuses a holder whose lease expired': [
    'stay valid after their expiry, until another holder takes the run',
    (good, { now }) => ({
      append(batch, lease) {
        if (lease && lease.expiresAt <= now()) throw new PhasegateError('LEASE_LOST', 'Cannot append');
        return good.append(batch, lease);
      },
    }),
  ],
  'renews nothing': [
    'expire later when they are renewed',
    (_, { now }) => ({ renew: (lease, ms) => ({ ...lease, expiresAt: now() + ms }) }),
  ],
  'gives a renewed lease another token': [
    'expire later when they are renewed',
    (good) => ({ renew: async (lease, ms) => ({ ...(await good.renew(lease, ms)), token: 'new' }) }),
  ],
  'renews a lease that was given back': [
    'are lost when they are released',
    (good) => ({
      renew: async (lease, ms) => {
        try {
          return await good.renew(lease, ms);
        } catch {
          return good.acquire(lease.runId, lease.holder, ms);
        }
      },
    }),
  ],
  'releases the lease of anybody': [
    'are lost when they are released',
    (good) => ({
      release: async ({ runId, ...lease }) => {
        await good.release({ runId, ...lease });
        const other = (await good.run(runId))?.lease;
        if (other) await good.release(other);
      },
    }),
  ],
  'waits as long as the clock was set back': [
    'exclude others for their duration at most, even if the clock is set back',
    (_, { now }) => {
      let latest = 0;
      return memoryStore({ now: () => (latest = Math.max(latest, now())) });
    },
  ],
  'gives leases of no time': [
    'need a finite duration above 0',
    (good) => ({ acquire: (runId, holder, ms) => good.acquire(runId, holder, ms === 0 ? 1 : ms) }),
  ],
  'makes a run of a lease': [
    'create no run before its first record',
    (good) => {
      const held = new Set<string>();
      return {
        acquire(runId, holder, ms) {
          held.add(runId);
          return good.acquire(runId, holder, ms);
        },
        run: async (runId) =>
          (await good.run(runId)) ?? (held.has(runId) ? { ...batchInfo(runId), seq: 0, lease: undefined } : undefined),
      };
    },
  ],
  'lists items as they come': [
    'list items, oldest first',
    (good) => ({ inbox: async (filter) => (await good.inbox(filter)).toSorted((a, b) => b.openedAt - a.openedAt) }),
  ],
  'ignores the run of items': [
    'list items, oldest first',
    (good) => ({ inbox: (filter) => good.inbox({ ...filter, runId: undefined }) }),
  ],
  'ignores whether items are open': [
    'distinguish open items from closed ones',
    (good) => ({ inbox: (filter) => good.inbox({ ...filter, open: undefined }) }),
  ],
  'takes 0 for not closed': [
    'distinguish open items from closed ones',
    (good) => ({
      inbox: async ({ open, ...filter } = {}) =>
        (await good.inbox(filter)).filter(({ closedAt }) => open === undefined || !closedAt === open),
    }),
  ],
  'takes a second answer': [
    'accept one answer for an item',
    (good) => ({ post: (message) => forgive('ANSWERED', () => good.post(message), true) }),
  ],
  'takes an answer to what is closed': [
    'refuse an answer to a closed item',
    (good) => ({
      post: async (message) => {
        const item = message.item === undefined ? undefined : await good.item(message.item);
        await forgive('ANSWERED', () => good.post(message), item?.closedAt !== undefined);
      },
    }),
  ],
  'checks answers, and writes later': [
    'accept one of several concurrent answers',
    (good) => ({
      async post(message) {
        const answers = (await good.messages(message.runId)).filter(({ item }) => item === message.item);
        if (answers.length > 0) throw new PhasegateError('ANSWERED', 'Cannot answer');
        await Promise.resolve();
        await forgive('ANSWERED', () => good.post(message), true);
      },
    }),
  ],
  'takes answers for items of another run': [
    'refuse messages that no run can apply',
    (good) => ({ post: (message) => forgive('ITEM_UNKNOWN', () => good.post(message), message.item === 's:1') }),
  ],
  'forgets what comes after': ['store messages, in order', (good) => ({ messages: (runId) => good.messages(runId) })],
  'gives the message asked after again': [
    'store messages, in order',
    (good) => ({ messages: (runId, after = 0) => good.messages(runId, after - 1) }),
  ],
  'tells the latest message of those that are left': [
    'return the place of the latest message',
    (good) => ({
      lastMessage: async () => {
        const kept: number[] = [];
        for (const { runId } of await good.runs()) kept.push(...(await good.messages(runId)).map(({ id }) => id));
        return Math.max(0, ...kept);
      },
    }),
  ],
  'numbers the messages of a run anew': [
    'allows a new run with the same id',
    (good) => ({
      messages: async (runId, after) =>
        (await good.messages(runId, after)).map((one, index) => ({ ...one, id: index + 1 })),
    }),
  ],
  'refuses messages while somebody works on the run': [
    'are accepted while any process works on the run',
    (good) => ({
      post: async (message) => {
        if ((await good.run(message.runId))?.lease) throw new PhasegateError('RUN_LEASED', 'Cannot post');
        return good.post(message);
      },
    }),
  ],
  'wakes no run above that of a message': [
    'list a suspended run after a message to a run that a task of it has started, and to one of that',
    (good) => {
      const asleep = new Set<string>();
      return {
        acquire(runId, ...given) {
          asleep.delete(runId);
          return good.acquire(runId, ...given);
        },
        suspend(lease, until, heard) {
          asleep.add(lease.runId);
          return good.suspend(lease, until, heard);
        },
        async ready(...given) {
          const ready = await good.ready(...given);
          const heard = await Promise.all(ready.map(async ({ runId }) => (await good.messages(runId)).length > 0));
          return ready.filter(({ runId }, at) => heard[at] === true || !asleep.has(runId));
        },
      };
    },
  ],
  'compacts an open item away': [
    'compacts a store without losing data',
    (good) => {
      let compacted = false;
      return {
        compact: () => {
          compacted = true;
          return { freed: 1, unused: 0 };
        },
        inbox: async (filter) => (compacted ? [] : good.inbox(filter)),
      };
    },
  ],
  'leaves artifacts behind': [
    'removes artifacts with the last run that refers to them',
    (good) => {
      const rows = new Map<string, unknown>();
      return {
        artifact: (hash) => once(rows, hash, () => good.artifact(hash)),
        remove: async (runId) => {
          for (const hash of ['both', 'mine']) await once(rows, hash, () => good.artifact(hash));
          return good.remove(runId);
        },
      };
    },
  ],
  'drops artifacts that others refer to': [
    'removes artifacts with the last run that refers to them',
    (good) => {
      const gone = new Set<string>();
      return {
        remove: (runId) => {
          gone.add('both');
          return good.remove(runId);
        },
        artifact: (hash) => (gone.has(hash) ? undefined : good.artifact(hash)),
      };
    },
  ],
  'leaves messages behind': [
    'removes a run with its data, and nothing else',
    (good) => {
      const rows = new Map<string, unknown>();
      return {
        post: async (message) => {
          await good.post(message);
          rows.delete(message.runId);
          await once(rows, message.runId, () => good.messages(message.runId));
        },
        messages: (runId) => once(rows, runId, () => good.messages(runId)),
      };
    },
  ],
  'removes what is worked on': [
    'refuses while a process works on the run',
    (good) => ({
      remove: async (runId) => {
        const lease = (await good.run(runId))?.lease;
        if (lease) await good.release(lease);
        return good.remove(runId);
      },
    }),
  ],
  'always says that there was a run': [
    'returns true if there was such a run',
    (good) => ({
      remove: async (runId) => {
        await good.remove(runId);
        return true;
      },
    }),
  ],
  'remembers without end': [
    'keep only the latest memories of each phase and scope',
    () => {
      const all: Memory[] = [];
      return {
        append: (batch) => void all.push(...structuredClone(batch.memories ?? [])),
        memories: ({ scope, pipeline, phase } = {}) => all.filter(isOf({ scope, pipeline, phase })),
      };
    },
  ],
  'lets everybody share a memory': [
    'return memories by scope, pipeline and phase, oldest first',
    (good) => ({
      memories: async (filter) => ((await good.memories?.()) ?? []).filter((one) => isOfPhase(one, filter ?? {})),
    }),
  ],
  'counts memories of all phases together': [
    'keep only the latest memories of each phase and scope',
    (good) => ({ memories: async (filter) => ((await good.memories?.()) ?? []).slice(-3).filter(isOf(filter)) }),
  ],
  'remembers what it refuses': [
    'store nothing of a batch that is refused',
    (good) => {
      const all: Memory[] = [];
      return {
        append(batch, lease) {
          all.push(...(batch.memories ?? []));
          return good.append(batch, lease);
        },
        memories: () => all,
      };
    },
  ],
  'remembers and cannot forget': [
    'return memories by scope, pipeline and phase, oldest first',
    () => ({ forget: undefined }) as unknown as Partial<RunStore>,
  ],
  'forgets what a run has learned when it is removed': [
    'outlive the run that they come from',
    (good) => ({
      async remove(runId) {
        await good.forget?.({ runId });
        return good.remove(runId);
      },
    }),
  ],
  'forgets everything at once': [
    'remove the memories that match a filter',
    (good) => ({ forget: async () => (await good.forget?.()) ?? 0 }),
  ],
  'gives out what it remembers': [
    'are copies',
    (good) => {
      const rows = new Map<string, unknown>();
      return { memories: (filter) => once(rows, JSON.stringify(filter), () => good.memories?.(filter) ?? []) };
    },
  ],
  'goes on after it was closed': ['ends all use of the store, and may be called again', () => ({ close: () => {} })],
  'closes once': [
    'ends all use of the store, and may be called again',
    (good) => {
      let closed = false;
      return {
        close: () => {
          if (closed) throw new PhasegateError('STORE_CLOSED', 'Cannot close');
          closed = true;
          return good.close();
        },
      };
    },
  ],
};

describe('storeCases()', () => {
  it('pass with a correct store', async () => {
    expect(await failing(({ now }) => forgetful(memoryStore({ now })))).toEqual([]);
  });

  it('pass with asynchronous methods', async () => {
    expect(await failing(({ now }) => asynchronous(memoryStore({ now })))).toEqual([]);
  });

  it.each(Object.entries(broken))('detect a store that %s', async (_, [fails, breakage]) => {
    expect(await failuresOf(breakage)).toContain(fails);
  });

  it('each detect a store that does nothing', async () => {
    const full: RunStore = { ...memoryStore(), claim: () => undefined };
    const nothing = everyMethod(full, () => Object.assign(() => undefined, { all: () => undefined }));
    expect(await failing(() => nothing)).toEqual(storeCases(() => nothing).map(({ name }) => name));
  });
});

// --- internal ---

async function failuresOf(breakage: Breakage): Promise<readonly string[]> {
  return failing((place) => {
    const good = memoryStore({ now: place.now });
    return { ...good, ...breakage(good, place) };
  });
}

async function failing(make: StoreMaker): Promise<readonly string[]> {
  const cases = storeCases(make);
  const failures: string[] = [];
  for (const { name, run } of cases) await run().catch(() => failures.push(name));
  return failures;
}

function isOf({ scope, ...filter }: MemoryFilter = {}): (memory: Memory) => boolean {
  return (one) => (scope ?? one.scope) === one.scope && isOfPhase(one, filter);
}

function isOfPhase(one: Memory, { pipeline, phase }: MemoryFilter): boolean {
  return (pipeline ?? one.pipeline) === one.pipeline && (phase ?? one.phase) === one.phase;
}

function isCode(error: unknown, code: string): boolean {
  return PhasegateError.is(error) && error.code === code;
}

async function forgive(code: string, call: () => unknown, when: unknown): Promise<void> {
  const does = await when;
  try {
    await call();
  } catch (error) {
    if (!does || !isCode(error, code)) throw error;
  }
}

/** Returns the distance of the first record of a batch from the last stored one. */
function seqOf(good: RunStore, batch: Batch): number {
  return (batch.records[0]?.seq ?? 0) - (good.read(batch.runId) as readonly PackedRecord[]).length;
}

function once<T>(rows: Map<string, unknown>, key: string, make: () => T): T {
  if (!rows.has(key)) {
    const made = make();
    if (made === undefined) return made;
    rows.set(key, made);
  }
  return rows.get(key) as T;
}

function batchInfo(runId: string): Batch['info'] {
  return {
    runId,
    pipeline: 'p',
    fingerprint: 'f',
    status: 'running',
    startedAt: 0,
    updatedAt: 0,
    seq: 1,
    approved: 0,
    phases: 1,
    costUsd: 0,
    tokens: 0,
    waiting: [],
  };
}

function without<T extends object>(run: T | undefined): (T & { readonly lease: undefined }) | undefined {
  return run && { ...run, lease: undefined };
}

/** Appends with the valid lease instead of the given one, if `forgives` returns true. */
function withTrueLease(good: RunStore, forgives: (lease: Lease | undefined) => boolean): Partial<RunStore> {
  const held = new Map<string, Lease>();
  return {
    async acquire(runId, holder, ms) {
      const lease = await good.acquire(runId, holder, ms);
      held.set(runId, lease);
      return lease;
    },
    append: (batch, lease) => good.append(batch, forgives(lease) ? held.get(batch.runId) : lease),
  };
}

type All = NonNullable<AppendFunction['all']>;

function withAll(good: RunStore, all: All): Partial<RunStore> {
  return { append: Object.assign((batch: Batch, lease?: Lease) => good.append(batch, lease), { all }) };
}

/** Appends batches one after the other. */
function oneByOne(
  good: RunStore,
  change: (appends: readonly Append[]) => readonly Append[] = (appends) => appends,
): All {
  return async (appends) => {
    const errors = new Map<Batch, PhasegateError>();
    for (const { batch, lease } of change(appends)) {
      try {
        await good.append(batch, lease);
      } catch (error) {
        if (!PhasegateError.is(error)) throw error;
        errors.set(batch, error);
      }
    }
    return appends.map(({ batch }) => errors.get(batch));
  };
}

/** A store that stores nothing. */
function forgetful(store: RunStore): RunStore {
  const methods = Object.entries(store).filter(([name]) => name !== 'memories' && name !== 'forget');
  return Object.fromEntries(methods) as unknown as RunStore;
}

function asynchronous(store: RunStore): RunStore {
  return everyMethod(store, (method) => async (...args) => {
    await Promise.resolve();
    return method(...args);
  });
}

type Method = (...args: readonly unknown[]) => unknown;

function everyMethod(store: RunStore, change: (method: Method) => Method): RunStore {
  const methods = Object.entries(store) as unknown as readonly (readonly [string, Method])[];
  return Object.fromEntries(methods.map(([name, method]) => [name, change(method)])) as unknown as RunStore;
}

/** A store whose leases last longer than they report. */
function lastingLonger(now: () => number, more: number): RunStore {
  const store = memoryStore({ now });
  return {
    ...store,
    async acquire(runId, holder, ms) {
      const lease = await store.acquire(runId, holder, ms === 1 ? ms : ms + more);
      return { ...lease, expiresAt: now() + ms };
    },
  };
}
