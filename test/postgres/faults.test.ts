/** A server that goes away, loses what it is told or what it answers, or refuses. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { definePipeline, phase, startRun, task, verifyRun } from '../../src/index.ts';
import type { RunStore } from '../../src/store.ts';
import { postgresStore, type PostgresPool, type PostgresStoreOptions } from '../../src/postgres.ts';
import { answerTo, batchOf, openItem } from '../../src/testing/store/trial.ts';
import { startPglite } from './pglite.ts';
import { startProxy, type Proxy } from './proxy.ts';
import { serverMissing, startServer, type Server } from './server.ts';

const missing = serverMissing();

/** The statement, which ends with a zero: "COMMITTED" is part of another one. */
const COMMIT = 'COMMIT\0';

describe('postgresStore() on PGlite', () => {
  it.each<[what: string, ask: (store: RunStore) => unknown]>([
    ['records', (store) => store.read('r')],
    ['an artifact', (store) => store.artifact('h')],
  ])('waits longer for an answer that may be large: %s', async (_what, ask) => {
    const engine = await startPglite();
    const texts: string[] = [];
    let held: (() => void) | undefined;
    const pool: PostgresPool = {
      async connect() {
        const client = await engine.pool.connect();
        return {
          ...client,
          async query(text, values) {
            texts.push(text);
            const answer = await client.query(text, values);
            const late = held;
            held = undefined;
            if (late)
              await new Promise<void>((resolve) => {
                setTimeout(resolve, 30_000);
                late();
              });
            return answer;
          },
        };
      },
    };
    const store = postgresStore({ pool });
    await store.append(batchOf('r', 1, { artifacts: [{ hash: 'h', content: '1' }] }));
    texts.length = 0;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(async () => {
      vi.useRealTimers();
      await store.close();
      await engine.close();
    });
    const isHeld = new Promise<void>((resolve) => (held = resolve));
    const answer = ask(store);
    await isHeld;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await answer).toBeDefined();
    expect(texts).toHaveLength(1);
  });
});

describe.skipIf(missing)(`postgresStore()${missing === undefined ? '' : ` (${missing})`}`, () => {
  let server: Server;
  let proxy: Proxy;
  beforeAll(async () => {
    server = await startServer({ max_connections: '20' });
    proxy = await startProxy(server.socket);
  }, 120_000);
  afterAll(async () => {
    await proxy.close();
    await server.remove();
  });

  function open(options: PostgresStoreOptions): RunStore {
    const store = postgresStore(options);
    onTestFinished(async () => store.close());
    return store;
  }
  let schemas = 0;
  const newSchema = () => `s${(schemas += 1)}`;

  describe.each(['statement', 'answer'] as const)('stores all once if the %s is lost', (loss) => {
    async function behindProxy() {
      const schema = newSchema();
      const store = open({ connectionString: proxy.address, schema });
      await store.append(batchOf('r', 1, { items: [openItem('r', 1)] }));
      return store;
    }

    it('of an append', async () => {
      const store = await behindProxy();
      const cut = proxy.lose(loss, '.records (run, seq');
      await store.append(batchOf('r', 2));
      await cut;
      expect((await store.read('r')).map(({ seq }) => seq)).toEqual([1, 2]);
      await expect(store.append(batchOf('r', 2))).rejects.toMatchObject({ code: 'SEQ_CONFLICT' });
    });

    it('of the first append of a run', async () => {
      const store = await behindProxy();
      const cut = proxy.lose(loss, '.records (run, seq');
      await store.append(batchOf('s', 1));
      await cut;
      expect(await store.run('s')).toMatchObject({ seq: 1 });
    });

    it('of the end of an append with a memory', async () => {
      const store = await behindProxy();
      const memory = {
        scope: 's',
        pipeline: 'article',
        phase: 'draft',
        runId: 'r',
        seq: 2,
        time: 1,
        text: 'use tables',
      };
      const cut = proxy.lose(loss, COMMIT);
      await store.append(batchOf('r', 2, { memories: [memory] }));
      await cut;
      expect(await store.memories?.()).toEqual([memory]);
      expect((await store.run('r'))?.seq).toBe(2);
    });

    it('of an answer of a person', async () => {
      const store = await behindProxy();
      const cut = proxy.lose(loss, COMMIT);
      await store.post(answerTo('r', 'r:1'));
      await cut;
      expect(await store.messages('r')).toMatchObject([{ id: 1, item: 'r:1' }]);
      await expect(store.post(answerTo('r', 'r:1'))).rejects.toMatchObject({ code: 'ANSWERED' });
      expect(await store.lastMessage?.()).toBe(1);
    });

    it('of a lease', async () => {
      const store = await behindProxy();
      const taken = proxy.lose(loss, 'SET holder = $2');
      const lease = await store.acquire('r', 'me', 60_000);
      await taken;
      await expect(store.acquire('r', 'me', 60_000)).rejects.toMatchObject({ code: 'RUN_LEASED' });
      const kept = proxy.lose(loss, 'SET holder = $2');
      expect((await store.renew(lease, 60_000)).token).toBe(lease.token);
      await kept;
      await store.append(batchOf('r', 2), lease);
      const suspended = proxy.lose(loss, 'SET holder = NULL');
      await store.suspend(lease, Infinity, 0);
      await suspended;
      expect(await store.ready(['article'], 10)).toEqual([]);
      expect((await store.run('r'))?.lease).toBeUndefined();
    });

    it('of a claim', async () => {
      const store = await behindProxy();
      await store.append(batchOf('s', 1));
      const wish = { pipelines: ['article'], except: [], passed: [], holder: 'me', ms: 60_000 };
      const cut = proxy.lose(loss, 'WITH next');
      const claimed = await store.claim?.(wish);
      await cut;
      expect(claimed?.run).toMatchObject({ runId: 'r', seq: 1 });
      await store.append(batchOf('r', 2), claimed?.lease);
      // The other run is free.
      expect((await store.ready(['article'], 10)).map(({ runId }) => runId)).toEqual(['s']);
      expect((await store.claim?.(wish))?.run.runId).toBe('s');
      expect(await store.claim?.(wish)).toBeUndefined();
    });

    it('of a removal', async () => {
      const store = await behindProxy();
      const cut = proxy.lose(loss, COMMIT);
      expect(await store.remove('r')).toBe(true);
      await cut;
      expect(await store.remove('r')).toBe(false);
    });
  });

  describe.each(['statement', 'answer'] as const)('does all once if the %s is lost', (loss) => {
    it('of a release, and of forgetting', async () => {
      const store = open({ connectionString: proxy.address, schema: newSchema() });
      const memory = { scope: 's', pipeline: 'p', phase: 'a', runId: 'r', seq: 1, time: 1, text: 'use tables' };
      await store.append(batchOf('r', 1, { memories: [memory] }));
      const forgotten = proxy.lose(loss, COMMIT);
      expect(await store.forget?.()).toBe(1);
      await forgotten;
      for (const runId of ['r', 'new']) {
        const lease = await store.acquire(runId, 'me', 60_000);
        const released = proxy.lose(loss, 'SET holder = NULL');
        await store.release(lease);
        await released;
        await store.release(await store.acquire(runId, 'other', 60_000));
      }
      expect(await store.runs()).toHaveLength(1);
    });
  });

  it('gives up a connection that is dead without a word', async () => {
    const store = open({ connectionString: proxy.address, schema: newSchema() });
    await store.append(batchOf('r', 1));
    const lease = await store.acquire('r', 'me', 60_000);
    const cut = proxy.lose('silence', 'SET holder = $2');
    await store.renew(lease, 60_000);
    await cut;
    const again = proxy.lose('silence', '.records (run, seq');
    await store.append(batchOf('r', 2), lease);
    await again;
    expect((await store.run('r'))?.seq).toBe(2);
  }, 30_000);

  it('is held up by no process that stands still within a transaction', async () => {
    const [store, other] = [
      open({ connectionString: proxy.address, schema: 'still' }),
      open({ connectionString: server.address, schema: 'still' }),
    ];
    for (const runId of ['a', 'b']) await store.append(batchOf(runId, 1));
    // The message is inserted, and the process hears no answer: the transaction stays open.
    const still = proxy.lose('silence', '.messages (id, run');
    const late = Promise.resolve(store.post({ runId: 'a', kind: 'cancel', body: 1, by: '', time: 1 }));
    await still;
    await other.post({ runId: 'b', kind: 'cancel', body: 1, by: '', time: 1 });
    await late;
    expect((await other.messages('a')).length).toBe(1);
    expect((await other.messages('b')).length).toBe(1);
  }, 60_000);

  it('leaves a server that is read-only for the one that has taken its place', async () => {
    const schema = newSchema();
    await open({ connectionString: server.address, schema }).append(batchOf('r', 1));
    await server.ask('CREATE ROLE mover LOGIN SUPERUSER');
    await server.ask('ALTER ROLE mover SET default_transaction_read_only = on');
    const store = open({ connectionString: server.address.replace('user=postgres', 'user=mover'), schema });
    // The setting lasts as long as the connection, which stays in the pool.
    expect((await store.run('r'))?.seq).toBe(1);
    await server.ask('ALTER ROLE mover RESET default_transaction_read_only');
    await store.append(batchOf('r', 2));
    expect((await store.run('r'))?.seq).toBe(2);
  });

  it('begins a connection with no parameter that a pooler refuses', async () => {
    await open({ connectionString: proxy.address, schema: newSchema() }).runs();
    expect(proxy.parameters().toSorted()).toEqual(['application_name', 'client_encoding', 'database', 'user']);
  });

  /** Stops the clock by which stores lose their patience: a slow machine may take longer to start a server. */
  function waitForLong(): void {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
  }

  /** Stops the server once an answer is lost, until the call gives up after 15 s. */
  async function expectSilence(call: unknown, cut: Promise<void>): Promise<void> {
    const refused = expect(call).rejects.toMatchObject({ code: 'STORE_BUSY' });
    await cut;
    await server.stop();
    await refused;
    await server.start();
  }

  it('recognizes a lease that the caller asks for again after a long silence', async () => {
    const store = open({ connectionString: proxy.address, schema: newSchema() });
    await store.append(batchOf('r', 1));
    const cut = proxy.lose('answer', 'SET holder = $2');
    await expectSilence(store.acquire('r', 'me', 60_000), cut);
    await store.append(batchOf('r', 2), await store.acquire('r', 'me', 60_000));
    await expect(store.acquire('r', 'me', 60_000)).rejects.toMatchObject({ code: 'RUN_LEASED' });
  }, 60_000);

  it('recognizes a run that the caller claims again after a long silence', async () => {
    const store = open({ connectionString: proxy.address, schema: newSchema() });
    for (const runId of ['r', 's']) await store.append(batchOf(runId, 1));
    const wish = { pipelines: ['article'], except: [], passed: [], holder: 'me', ms: 60_000 };
    const cut = proxy.lose('answer', 'WITH next');
    await expectSilence(store.claim?.(wish), cut);
    const claimed = await store.claim?.(wish);
    expect(claimed?.run.runId).toBe('r');
    await store.append(batchOf('r', 2), claimed?.lease);
    expect((await store.run('r'))?.lease).toMatchObject(claimed?.lease ?? {});
    expect((await store.ready(['article'], 10)).map(({ runId }) => runId)).toEqual(['s']);
  }, 60_000);

  it('recognizes a batch that the caller appends again after a long silence', async () => {
    const schema = newSchema();
    const store = open({ connectionString: proxy.address, schema });
    await store.append(batchOf('r', 1));
    const batch = batchOf('r', 2);
    const cut = proxy.lose('answer', '.records (run, seq');
    await expectSilence(store.append(batch), cut);
    await store.append(batch);
    expect((await store.read('r')).map(({ seq }) => seq)).toEqual([1, 2]);
    await expect(store.append(batch)).rejects.toMatchObject({ code: 'SEQ_CONFLICT' });
  }, 60_000);

  const count = definePipeline({
    name: 'count',
    phases: ['a', 'b', 'c', 'd'].map((id) =>
      phase(id, { tasks: [task('step', { run: () => new Promise((resolve) => setTimeout(() => resolve(id), 40)) })] }),
    ),
  });

  async function expectComplete(store: RunStore, ids: readonly string[]): Promise<void> {
    for (const id of ids) expect(await verifyRun(store, id)).toMatchObject({ problems: [] });
    const listed = await store.runs({ status: ['completed'] });
    expect(listed.map(({ runId }) => runId).toSorted()).toEqual([...ids].toSorted());
  }

  it('completes runs although the server is killed and started again', async () => {
    waitForLong();
    const store = open({ connectionString: server.address, schema: newSchema() });
    const ids = Array.from({ length: 20 }, (_, at) => `r${at}`);
    const runs = ids.map((runId) => startRun(count, { store, runId }));
    for (let times = 0; times < 3; times += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      await server.restart();
    }
    for (const { result } of runs) expect(await result).toMatchObject({ status: 'completed' });
    await expectComplete(store, ids);
  }, 120_000);

  it('completes runs although every connection is cut again and again', async () => {
    waitForLong();
    const store = open({ connectionString: server.address, schema: newSchema() });
    const ids = Array.from({ length: 20 }, (_, at) => `r${at}`);
    const done = new AbortController();
    const cutting = (async () => {
      for (; !done.signal.aborted; await new Promise((resolve) => setTimeout(resolve, 100)))
        await server.ask(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'phasegate' AND pid <> pg_backend_pid()",
        );
    })();
    const runs = ids.map((runId) => startRun(count, { store, runId }));
    for (const { result } of runs) expect(await result).toMatchObject({ status: 'completed' });
    done.abort();
    await cutting;
    await expectComplete(store, ids);
  }, 120_000);

  it('waits for a connection while the server has none left', async () => {
    waitForLong();
    const others = new pg.Pool({ connectionString: server.address, max: 50 });
    const taken = await Promise.allSettled(Array.from({ length: 50 }, () => others.connect()));
    const own = new pg.Pool({ connectionString: server.address });
    let refused: (error: unknown) => void = () => undefined;
    const refusal = new Promise((resolve) => (refused = resolve));
    const pool: PostgresPool = {
      connect: () =>
        own.connect().catch((error: unknown) => {
          refused(error);
          throw error;
        }),
    };
    const store = open({ pool, schema: newSchema() });
    const stored = store.append(batchOf('r', 1));
    expect(await refusal).toMatchObject({ code: '53300' });
    for (const one of taken) if (one.status === 'fulfilled') one.value.release();
    await others.end();
    await stored;
    expect((await store.run('r'))?.seq).toBe(1);
    await own.end();
  });
});
