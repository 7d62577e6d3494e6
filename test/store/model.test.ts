/** Random use of stores: SQLite and the store in memory have the same results, for any sequence of calls. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { memoryStore, PhasegateError } from '../../src/index.ts';
import type { Lease } from '../../src/store.ts';
import type { RunStore } from '../../src/store/port.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { answerTo, batchOf, openItem, pictureOf } from '../../src/testing/store/trial.ts';
import { numberOfRuns } from '../property/number-of-runs.ts';

const options = numberOfRuns({ runs: 100, seed: 20_260_101 });
const folder = mkdtempSync(join(tmpdir(), 'phasegate-model-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A store with the values that its callers keep. */
interface Party {
  store: RunStore;
  readonly leases: Lease[];
}

/** One call, whose results are compared. */
interface Step {
  readonly told: string;
  readonly does: (party: Party, clock: Clock) => unknown;
}

interface Clock {
  time: number;
}

const runId = fc.constantFrom('a', 'b', 'c');
const seq = fc.integer({ min: 1, max: 6 });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const steps = {
  append: fc
    .record({
      run: runId,
      /** The distance from the last stored record: 1 is the next number. */
      gap: fc.constantFrom(1, 1, 1, 1, 1, 0, 2, -1),
      count: fc.constantFrom(1, 2, 3, 0),
      lease: optional(fc.nat(9)),
      opens: fc.boolean(),
      closes: optional(seq),
      artifacts: fc.uniqueArray(fc.constantFrom('h1', 'h2', 'h3')),
      status: fc.constantFrom('running' as const, 'completed' as const, 'failed' as const),
      time: fc.integer({ min: 0, max: 5 }),
    })
    .map((x) =>
      step('append', x, async ({ store, leases }) => {
        const standing = await store.run(x.run);
        const first = (standing?.seq ?? 0) + x.gap;
        const closed = x.closes === undefined ? undefined : await store.item(`${x.run}:${x.closes}`);
        const items = [
          ...(x.opens ? [openItem(x.run, first, { openedAt: x.time })] : []),
          ...(closed ? [{ ...closed, closedAt: 7, outcome: 'done' }] : []),
        ];
        const artifacts = x.artifacts.map((hash) => ({ hash, content: `"${hash}"` }));
        // These two never change within a run.
        const { startedAt, pipeline } = standing ?? { startedAt: x.time % 3, pipeline: x.time > 2 ? 'p' : 'q' };
        const info = { status: x.status, startedAt, updatedAt: x.time, pipeline };
        const batch = batchOf(x.run, first, { count: x.count, items, artifacts, info });
        return store.append(batch, leases[x.lease ?? leases.length]);
      }),
    ),
  acquire: fc.record({ run: runId, ms: fc.constantFrom(1, 10, 100, 0) }).map((x) =>
    step('acquire', x, async ({ store, leases }) => {
      const lease = await store.acquire(x.run, 'me', x.ms);
      leases.push(lease);
      return shown(lease);
    }),
  ),
  renew: fc.record({ lease: fc.nat(9), ms: fc.constantFrom(1, 10, 100) }).map((x) =>
    step('renew', x, async ({ store, leases }) => {
      const lease = leases[x.lease];
      return lease && shown(await store.renew(lease, x.ms));
    }),
  ),
  release: fc.record({ lease: fc.nat(9) }).map((x) =>
    step('release', x, ({ store, leases }) => {
      const lease = leases[x.lease];
      return lease && store.release(lease);
    }),
  ),
  remove: runId.map((run) => step('remove', run, ({ store }) => store.remove(run))),
  post: fc
    .record({ run: runId, at: fc.nat(3), elsewhere: fc.constantFrom(false, false, false, true), cancel: fc.boolean() })
    .map((x) =>
      step('post', x, async ({ store }) => {
        const items = await store.inbox(x.elsewhere ? {} : { runId: x.run });
        const about = items[x.at % Math.max(1, items.length)]?.id ?? 'none';
        return store.post(answerTo(x.run, about, { kind: x.cancel && x.elsewhere ? 'cancel' : 'answer' }));
      }),
    ),
  read: fc
    .record({
      run: runId,
      from: optional(fc.integer({ min: -1, max: 6 })),
      limit: optional(fc.integer({ min: -1, max: 6 })),
    })
    .map((x) => step('read', x, ({ store }) => store.read(x.run, x.from, x.limit))),
  runs: fc
    .record({
      pipeline: optional(fc.constantFrom('p', 'q')),
      status: optional(fc.uniqueArray(fc.constantFrom('running' as const, 'completed' as const, 'failed' as const))),
      updatedAfter: optional(fc.integer({ min: 0, max: 5 })),
      updatedBefore: optional(fc.integer({ min: 0, max: 5 })),
      leased: optional(fc.boolean()),
      limit: optional(fc.integer({ min: 0, max: 3 })),
    })
    .map((filter) => step('runs', filter, async ({ store }) => (await store.runs(filter)).map(shown))),
  inbox: fc
    .record({ runId: optional(runId), open: optional(fc.boolean()) })
    .map((filter) => step('inbox', filter, ({ store }) => store.inbox(filter))),
  messages: fc
    .record({ run: runId, after: optional(fc.nat(5)) })
    .map((x) => step('messages', x, ({ store }) => store.messages(x.run, x.after))),
  pass: fc.constantFrom(1, 9, 50, -20).map((ms) =>
    step('pass', ms, (_, clock) => {
      clock.time += ms;
    }),
  ),
  reopen: fc.constant(step('reopen', '', () => 'reopen')),
};

describe('sqliteStore() and memoryStore()', () => {
  it('have the same results', async () => {
    const seen = new Map<string, number>();
    let files = 0;
    const commands = fc.commands(
      Object.values(steps).map((one) => one.map((made) => new Compared(made, seen))),
      { size: 'max', maxCommands: 60 },
    );
    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        files += 1;
        const file = join(folder, `${files}.sqlite`);
        const clocks = { model: { time: 1000 }, real: { time: 1000 } };
        const open = () => sqliteStore(file, { now: () => clocks.real.time });
        const setup = {
          model: { party: { store: memoryStore({ now: () => clocks.model.time }), leases: [] }, clock: clocks.model },
          real: { party: { store: open(), leases: [] }, clock: clocks.real, reopen: open },
        };
        await fc.asyncModelRun(() => setup, sequence);
        await setup.real.party.store.close();
      }),
      options,
    );
    // Each of these outcomes must occur, or it was not compared.
    for (const outcome of [
      'kept',
      'SEQ_CONFLICT',
      'STORE_MISUSED',
      'RUN_LEASED',
      'LEASE_LOST',
      'ANSWERED',
      'ITEM_UNKNOWN',
      'RUN_UNKNOWN',
    ])
      expect(seen.get(outcome) ?? 0, outcome).toBeGreaterThan(options.numRuns / 25);
  }, 600_000);
});

// --- internal ---

interface Model {
  readonly party: Party;
  readonly clock: Clock;
}

interface Real extends Model {
  readonly reopen: () => RunStore;
}

class Compared implements fc.AsyncCommand<Model, Real> {
  readonly #step: Step;
  readonly #seen: Map<string, number>;

  constructor(made: Step, seen: Map<string, number>) {
    this.#step = made;
    this.#seen = seen;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, real: Real): Promise<void> {
    const expected = await outcomeOf(this.#step, model);
    const actual = await outcomeOf(this.#step, real);
    if (actual.value === 'reopen') {
      await real.party.store.close();
      real.party.store = real.reopen();
    }
    expect(actual).toEqual(expected);
    expect(await everything(real.party.store)).toEqual(await everything(model.party.store));
    this.#seen.set(expected.code, (this.#seen.get(expected.code) ?? 0) + 1);
  }

  toString(): string {
    return this.#step.told;
  }
}

function step(name: string, what: unknown, does: Step['does']): Step {
  return { told: `${name} ${JSON.stringify(what)}`, does };
}

async function outcomeOf(
  { does }: Step,
  { party, clock }: Model,
): Promise<{ readonly code: string; readonly value: unknown }> {
  try {
    return { code: 'kept', value: await does(party, clock) };
  } catch (error) {
    if (!PhasegateError.is(error)) throw error;
    return { code: error.code, value: error.message };
  }
}

async function everything(store: RunStore): Promise<unknown> {
  const pictures = await Promise.all(['a', 'b', 'c'].map((run) => pictureOf(store, run)));
  const runs = await store.runs();
  const artifacts = await Promise.all(['h1', 'h2', 'h3'].map(async (hash) => store.artifact(hash)));
  return JSON.parse(JSON.stringify({ pictures, runs, artifacts, inbox: await store.inbox() }), withoutTokens);
}

/** Replaces tokens, as each store has its own. */
function shown(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), withoutTokens);
}

function withoutTokens(key: string, value: unknown): unknown {
  return key === 'token' ? 'token' : value;
}
