/** Opening of a store, by several at once, and refusals with their advice. */
import { inspect } from 'node:util';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { postgresStore, type PostgresPool, type PostgresStoreOptions } from '../../src/postgres.ts';
import type { RunStore } from '../../src/store.ts';
import { answerTo, batchOf, openItem, successes } from '../../src/testing/store/trial.ts';
import { describeWithServer } from './with-server.ts';

describe('postgresStore()', () => {
  it('needs either an address or a pool, and a plain name as schema', () => {
    const pool = { connect: () => Promise.reject(new Error('unused')) };
    const connectionString = 'postgres://localhost/runs';
    for (const options of [
      {},
      { pool, connectionString },
      { connectionString: `${connectionString}?sslmode=disable&schema=team` },
      { pool, schema: 'a"b' },
      { pool, schema: '' },
      { pool, schema: 'pg_x' },
    ])
      expect(() => postgresStore(options)).toThrow(expect.objectContaining({ code: 'STORE_MISUSED' }));
  });

  it.each([
    'postgres://ada:secret@127.0.0.1:1/runs',
    'postgres://ada:1/secret@127.0.0.1/runs?host=/nowhere',
    'postgres://127.0.0.1:1/runs?Password=secret&user=ada',
    'postgres:///runs?host=/nowhere&password=secret',
  ])(
    'shows no password of %s',
    async (connectionString) => {
      const store = postgresStore({ connectionString });
      const error: unknown = await Promise.resolve(store.runs()).catch((thrown: unknown) => thrown);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret');
      await store.close();
    },
    20_000,
  );

  it('says where there is no server, without the password', async () => {
    const store = postgresStore({
      connectionString: 'postgres://ada:secret@127.0.0.1:1/runs?password=other&application_name=x',
    });
    await expect(store.runs()).rejects.toMatchObject({
      code: 'STORE_UNREADABLE',
      message: expect.stringMatching(
        /^Cannot list runs as postgres:\/\/ada@127\.0\.0\.1:1\/runs\?application_name=x cannot be reached: .*ECONNREFUSED/u,
      ) as string,
    });
    await store.close();
    await store.close();
    await expect(store.runs()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  }, 20_000);
});

describeWithServer('postgresStore() on a server', (server) => {
  function open(options: Partial<PostgresStoreOptions> = {}): RunStore {
    const store = postgresStore({ connectionString: server.address, ...options });
    onTestFinished(async () => store.close());
    return store;
  }
  function addressOf(changes: Readonly<Record<string, string>>, database = 'postgres'): string {
    const url = new URL(server.address);
    url.pathname = `/${database}`;
    for (const [name, value] of Object.entries(changes)) url.searchParams.set(name, value);
    return url.href;
  }

  describe.each(['read committed', 'repeatable read', 'serializable'])('whose default isolation is %s', (isolation) => {
    const schema = isolation.replaceAll(' ', '_');
    const address = () =>
      addressOf({ options: `-c default_transaction_isolation=${isolation.replaceAll(' ', '\\ ')}` });

    it('creates the tables once if many open it at once', async () => {
      const stores = Array.from({ length: 8 }, () => open({ connectionString: address(), schema }));
      await Promise.all(stores.map(async (store, at) => store.append(batchOf(`r${at}`, 1))));
      expect((await open({ schema }).runs()).length).toBe(8);
    });

    it('migrates the tables of version 1 once if many open it at once', async () => {
      const former = `${schema}_1`;
      await open({ schema: former }).append(batchOf('r', 1));
      await server.ask(`UPDATE ${former}.store SET version = 1`);
      const stores = Array.from({ length: 8 }, () => open({ connectionString: address(), schema: former }));
      const all = await Promise.all(stores.map(async (store) => store.read('r')));
      expect(all).toEqual(stores.map(() => batchOf('r', 1).records));
      expect((await server.ask(`SELECT version FROM ${former}.store`)).rows).toEqual([{ version: 2 }]);
    });

    it('stores values of its own, and values of others, if eight runs begin at once', async () => {
      const stores = Array.from({ length: 8 }, () => open({ connectionString: address(), schema }));
      for (let times = 0; times < 20; times += 1)
        await Promise.all(
          stores.map(async (store, at) => {
            const artifacts = ['all', `${times}`, `${times} ${at}`].map((hash) => ({ hash, content: `"${hash}"` }));
            await store.append(batchOf(`v${times}-${at}`, 1, { artifacts }));
            expect(await store.artifact(`${times} ${at}`)).toBe(`"${times} ${at}"`);
          }),
        );
      expect(await open({ schema }).artifact('all')).toBe('"all"');
    }, 60_000);

    it('keeps three memories of a phase if eight runs end at once', async () => {
      const memory = { scope: 's', pipeline: 'article', phase: 'draft', seq: 1, time: 1, text: 'use tables' };
      const stores = Array.from({ length: 8 }, () => open({ connectionString: address(), schema }));
      // All are connected.
      for (const store of stores) await store.runs();
      for (let times = 0; times < 5; times += 1) {
        await Promise.all(
          stores.map(async (store, at) => {
            const runId = `m${times}-${at}`;
            return store.append(batchOf(runId, 1, { memories: [{ ...memory, runId }] }));
          }),
        );
        expect(await open({ schema }).memories?.()).toHaveLength(3);
      }
    });
  });

  it('takes one of five answers at once, and one of five batches and of five leases', async () => {
    const stores = Array.from({ length: 5 }, () => open({ schema: 'five' }));
    // All are connected.
    for (const store of stores) await store.runs();
    for (let times = 0; times < 20; times += 1) {
      const id = `r${times}`;
      await stores[0]?.append(batchOf(id, 1, { items: [openItem(id, 1)] }));
      const all = (call: (store: RunStore) => unknown) => stores.map((store) => () => call(store));
      expect(
        await successes(
          'ANSWERED',
          all((store) => store.post(answerTo(id, `${id}:1`))),
        ),
      ).toBe(1);
      const batch = batchOf(id, 2);
      expect(
        await successes(
          'SEQ_CONFLICT',
          all((store) => store.append(batch)),
        ),
      ).toBe(1);
      expect(
        await successes(
          'RUN_LEASED',
          all((store) => store.acquire(id, 'me', 1000)),
        ),
      ).toBe(1);
    }
  });

  it('gives one of five calls of one process a lease', async () => {
    const store = open({ schema: 'alone' });
    for (let times = 0; times < 10; times += 1) {
      const calls = Array.from({ length: 5 }, () => () => store.acquire(`r${times}`, 'me', 60_000));
      expect(await successes('RUN_LEASED', calls)).toBe(1);
    }
  });

  it('gives messages to several runs the order in which they become readable', async () => {
    const stores = Array.from({ length: 4 }, () => open({ schema: 'posts' }));
    for (const id of ['a', 'b', 'c', 'd']) await stores[0]?.append(batchOf(id, 1));
    const [store = open()] = stores;
    const seen: number[] = [];
    const over = new AbortController();
    const watching = (async () => {
      while (!over.signal.aborted) {
        const last = (await store.lastMessage?.()) ?? 0;
        const ids = (await Promise.all(['a', 'b', 'c', 'd'].map(async (id) => store.messages(id))))
          .flat()
          .map(({ id }) => id);
        // Each message up to the last place is readable: nobody who waits for the place misses one.
        seen.push(ids.filter((id) => id <= last).length - last);
      }
    })();
    const posting = ['a', 'b', 'c', 'd'].flatMap((runId, at) =>
      Array.from({ length: 20 }, async () => stores[at]?.post({ runId, kind: 'cancel', body: null, by: '', time: 1 })),
    );
    await Promise.all(posting);
    over.abort();
    await watching;
    expect(new Set(seen)).toEqual(new Set([0]));
    expect(await store.lastMessage?.()).toBe(80);
  });

  it('keeps a value that a run begins to use while another one that used it is removed', async () => {
    const [one, other] = [open({ schema: 'values' }), open({ schema: 'values' })];
    const artifacts = [{ hash: 'h', content: '1' }];
    for (let times = 0; times < 30; times += 1) {
      await one.append(batchOf(`old${times}`, 1, { artifacts }));
      await Promise.all([one.remove(`old${times}`), other.append(batchOf(`new${times}`, 1, { artifacts }))]);
      expect(await one.artifact('h')).toBe('1');
      await other.remove(`new${times}`);
      expect(await one.artifact('h')).toBeUndefined();
    }
  }, 60_000);

  it('refuses the tables of a later version', async () => {
    await open({ schema: 'later' }).append(batchOf('r', 1));
    await server.ask('UPDATE later.store SET version = 99');
    await expect(open({ schema: 'later' }).runs()).rejects.toMatchObject({
      code: 'STORE_UNREADABLE',
      message: expect.stringContaining('created by a later version: its tables have version 99') as string,
    });
  });

  it('refuses a database that confirms records before they are on the disk', async () => {
    const connectionString = addressOf({ options: '-c synchronous_commit=off' });
    await expect(open({ connectionString }).runs()).rejects.toMatchObject({
      code: 'STORE_MISUSED',
      message: expect.stringContaining('as its synchronous_commit is off') as string,
    });
  });

  it('refuses a database that cannot hold every text', async () => {
    await server.ask("CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0");
    await expect(open({ connectionString: addressOf({}, 'ascii') }).runs()).rejects.toMatchObject({
      code: 'STORE_MISUSED',
      message: expect.stringContaining('as its encoding is SQL_ASCII') as string,
    });
  });

  it('refuses an unknown database, and a user without rights', async () => {
    await expect(open({ connectionString: addressOf({}, 'nowhere') }).runs()).rejects.toMatchObject({
      code: 'STORE_UNREADABLE',
      message: expect.stringContaining('database "nowhere" does not exist') as string,
    });
    await server.ask('CREATE ROLE guest LOGIN');
    await expect(open({ connectionString: addressOf({ user: 'guest' }), schema: 'mine' }).runs()).rejects.toMatchObject(
      {
        code: 'STORE_READ_ONLY',
        message: expect.stringContaining('permission denied for database') as string,
      },
    );
  });

  it.each([2, 3])('refuses a run whose record %i of 3 is missing, and reads those before it', async (seq) => {
    const schema = `missing_${seq}`;
    const store = open({ schema });
    await store.append(batchOf('r', 1, { count: 3 }));
    await server.ask(`DELETE FROM ${schema}.records WHERE seq = ${seq}`);
    await expect(store.read('r')).rejects.toMatchObject({
      code: 'STORE_UNREADABLE',
      message: expect.stringContaining(
        `Cannot read record ${seq} of run r as it is missing, and the run has 3; records up to ${seq - 1} can be read`,
      ) as string,
    });
    expect((await store.read('r', 1, seq - 1)).length).toBe(seq - 1);
  });

  it('serves a user who may use the tables, and create nothing', async () => {
    await open({ schema: 'shared' }).append(batchOf('r', 1));
    await server.ask('CREATE ROLE clerk LOGIN');
    await server.ask('GRANT USAGE ON SCHEMA shared TO clerk');
    await server.ask('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA shared TO clerk');
    const store = open({ schema: 'shared', connectionString: addressOf({ user: 'clerk' }) });
    await store.append(batchOf('r', 2));
    expect((await store.run('r'))?.seq).toBe(2);
  });

  it('holds texts of every kind', async () => {
    const store = open({ schema: 'texts' });
    const odd = 'a\0b\ud800c\u{1f600}"\\\n';
    const { records, ...batch } = batchOf('r', 1);
    const [record] = records;
    await store.append({
      ...batch,
      records: record ? [{ ...record, event: { type: 'phase.skipped', phase: 'a', because: odd } }] : [],
    });
    expect(await store.read('r')).toMatchObject([{ event: { because: odd } }]);
    expect(await store.run(odd)).toBeUndefined();
    expect(await store.read(odd)).toEqual([]);
    expect(await store.inbox({ runId: odd })).toEqual([]);
    expect(await store.messages(odd)).toEqual([]);
    expect(await store.remove(odd)).toBe(false);
    expect(await store.runs({ pipeline: odd })).toEqual([]);
    const lease = await store.acquire('r', odd, 60_000);
    await store.append(batchOf('r', 2), lease);
  });

  it('does not end the pool of the program, and serves it next to other uses', async () => {
    const pool = new pg.Pool({ connectionString: server.address });
    const store = postgresStore({ pool, schema: 'pooled' });
    await store.append(batchOf('r', 1));
    await store.close();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  it('waits for a session that holds the row of a run', async () => {
    const store = open({ schema: 'held' });
    await store.append(batchOf('r', 1));
    const other = new pg.Client({ connectionString: server.address });
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT FROM held.runs FOR UPDATE');
    const stored = Promise.resolve(store.append(batchOf('r', 2)));
    while ((await server.ask('SELECT FROM pg_locks WHERE NOT granted')).rowCount === 0) continue;
    expect((await store.run('r'))?.seq).toBe(1);
    await other.query('ROLLBACK');
    await other.end();
    await stored;
    expect((await store.run('r'))?.seq).toBe(2);
  });

  it('claims another run than one whose row a session holds, but for a message in progress', async () => {
    const store = open({ schema: 'skipped' });
    for (const runId of ['a', 'b']) await store.append(batchOf(runId, 1));
    const other = new pg.Client({ connectionString: server.address });
    await other.connect();
    const claim = async () =>
      (await store.claim?.({ pipelines: ['article'], except: [], passed: [], holder: 'me', ms: 1000 }))?.run.runId;
    await other.query('BEGIN');
    await other.query("SELECT FROM skipped.runs WHERE id = 'a' FOR UPDATE");
    expect(await claim()).toBe('b');
    expect(await claim()).toBeUndefined();
    await other.query('COMMIT');
    await other.query('BEGIN');
    // A row that refers to the run.
    await other.query("SELECT FROM skipped.runs WHERE id = 'a' FOR KEY SHARE");
    expect(await claim()).toBe('a');
    await other.query('ROLLBACK');
    await other.end();
  });

  it('closes while calls wait for a connection, and opens none afterwards', async () => {
    const pool = new pg.Pool({ connectionString: server.address, max: 1 });
    const client = await pool.connect();
    const store = postgresStore({ pool, schema: 'closed' });
    const waiting = [store.runs(), store.append(batchOf('r', 1))].map(async (call) => call);
    await Promise.all([store.close(), store.close()]);
    for (const call of waiting) await expect(call).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    client.release();
    await pool.end();
    expect(pool.totalCount).toBe(0);
  });

  it('takes many calls at once without a warning', async () => {
    const warned: unknown[] = [];
    const note = (warning: Error) => warned.push(warning);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const store = open({ schema: 'crowded' });
    await Promise.all(Array.from({ length: 60 }, async (_, at) => store.append(batchOf(`r${at}`, 1))));
    await new Promise((resolve) => setImmediate(resolve));
    expect(warned).toEqual([]);
  });

  it('leaves no listener on a pool of the program', async () => {
    const pool = new pg.Pool({ connectionString: server.address });
    for (let times = 0; times < 12; times += 1) {
      const store = postgresStore({ pool, schema: 'listened' });
      await store.runs();
      await store.close();
    }
    expect(pool.listenerCount('connect')).toBe(0);
    const client = await pool.connect();
    expect(client.listenerCount('error')).toBeLessThanOrEqual(2);
    client.release();
    await pool.end();
  });

  it('finds runs by indexes, however many wait', async () => {
    const store = open({ schema: 'plans' });
    await store.append(batchOf('r', 1));
    const plans: string[] = [];
    const client = new pg.Client({ connectionString: server.address });
    await client.connect();
    await client.query('SET enable_seqscan = off');
    const pool: PostgresPool = {
      connect: () =>
        Promise.resolve({
          async query(text, values) {
            if (text.includes('started_at') && /^(?:SELECT|WITH next)/u.test(text))
              plans.push(JSON.stringify((await client.query(`EXPLAIN ${text}`, values)).rows));
            return client.query(text, values);
          },
          release: () => undefined,
        }),
    };
    const explained = postgresStore({ pool, schema: 'plans' });
    await explained.ready(['article'], 10);
    await explained.runs({ leased: true });
    await explained.claim?.({ pipelines: ['article'], except: [], passed: [], holder: 'me', ms: 1000 });
    await client.end();
    expect(plans).toHaveLength(3);
    expect(plans[0]).toContain('runs_ready');
    expect(plans[1]).toContain('runs_leased');
    expect(plans[2]).toContain('runs_ready');
  });
});
