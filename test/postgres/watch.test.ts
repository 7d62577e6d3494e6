/** Stores that are told of changes by the database, and what they do if nothing is heard. */
import { spawn } from 'node:child_process';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWorker, definePipeline, phase, submitRun, task } from '../../src/index.ts';
import { postgresStore, type PostgresPool, type PostgresStoreOptions } from '../../src/postgres.ts';
import type { RunStore } from '../../src/store.ts';
import { answerTo, batchOf, openItem } from '../../src/testing/store/trial.ts';
import { repository } from '../cli/cli.ts';
import { startPglite } from './pglite.ts';
import { startProxy } from './proxy.ts';
import { serverMissing, startServer } from './server.ts';
import { describeWithServer } from './with-server.ts';

function open(options: PostgresStoreOptions): RunStore {
  const store = postgresStore(options);
  onTestFinished(async () => store.close());
  return store;
}

/** Watches a store until the end of the test. */
function watched(store: RunStore) {
  let waiting: (() => void)[] = [];
  const seen = { calls: 0 };
  const watch = store.watch?.(() => {
    seen.calls += 1;
    for (const resolve of waiting.splice(0)) resolve();
  });
  if (!watch) throw new Error('The store cannot be watched.');
  onTestFinished(() => watch.stop());
  return {
    seen,
    watch,
    /** Resolves at the next call. */
    told: () => new Promise<void>((resolve) => void (waiting = [...waiting, resolve])),
  };
}

/** Resolves when a condition holds. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('postgresStore() on PGlite', () => {
  it('gets no notification, and takes no connection for it', async () => {
    const engine = await startPglite();
    let taken = 0;
    const pool: PostgresPool = {
      connect() {
        taken += 1;
        return engine.pool.connect();
      },
    };
    const store = open({ pool });
    const { watch, seen } = watched(store);
    await store.append(batchOf('r', 1, { items: [openItem('r', 1)] }));
    const before = taken;
    await store.post(answerTo('r', 'r:1'));
    expect(taken).toBe(before + 1);
    expect([watch.isLive(), seen.calls]).toEqual([false, 0]);
    await store.close();
    expect(() => store.watch?.(() => undefined)).toThrow(expect.objectContaining({ code: 'STORE_CLOSED' }));
    await engine.close();
  }, 60_000);
});

describeWithServer('postgresStore() on a server', (server) => {
  let schemas = 0;
  const newSchema = () => `h${(schemas += 1)}`;
  /** The number of connections that listen. */
  const listening = async () =>
    (await server.ask("SELECT FROM pg_stat_activity WHERE query LIKE 'LISTEN%' OR query LIKE 'UNLISTEN%'")).rowCount;

  it('tells of each change that makes a run ready, and of no other', async () => {
    const [schema, other] = [newSchema(), newSchema()];
    const store = open({ connectionString: server.address, schema });
    const writer = open({ connectionString: server.address, schema });
    const elsewhere = open({ connectionString: server.address, schema: other });
    const { watch, told, seen } = watched(store);
    await until(() => watch.isLive());
    let before = seen.calls;
    /** Notifications come in their order, so none of an earlier change is still on its way. */
    async function tells(change: () => unknown): Promise<void> {
      const call = told();
      await change();
      await call;
      expect(seen.calls).toBe((before += 1));
    }
    // New runs, and runs that nobody has.
    await tells(() => writer.append(batchOf('r', 1, { items: [openItem('r', 1)] })));
    await tells(() => writer.append(batchOf('r', 2)));
    const lease = await writer.acquire('r', 'me', 60_000);
    await writer.append(batchOf('r', 3), lease);
    await writer.renew(lease, 60_000);
    await elsewhere.append(batchOf('r', 1));
    await tells(() => writer.post(answerTo('r', 'r:1')));
    // It has not received the message.
    await tells(() => writer.suspend(lease, Infinity, 0));
    const again = await writer.acquire('r', 'me', 60_000);
    const [message] = await writer.messages('r');
    await writer.suspend(again, Infinity, message?.id ?? 0);
    await tells(async () => writer.release(await writer.acquire('r', 'me', 60_000)));
    const last = await writer.acquire('r', 'me', 60_000);
    await writer.append(batchOf('r', 4, { info: { status: 'completed' } }), last);
    await writer.release(last);
    await tells(() => writer.append(batchOf('s', 1)));
  });

  it('stops, and has one connection for all who watch', async () => {
    await until(async () => (await listening()) === 0);
    const store = open({ connectionString: server.address, schema: newSchema() });
    const [one, two] = [watched(store), watched(store)];
    await until(() => one.watch.isLive());
    expect(two.watch.isLive()).toBe(true);
    expect(await listening()).toBe(1);
    one.watch.stop();
    expect([one.watch.isLive(), two.watch.isLive()]).toEqual([false, true]);
    const { calls } = one.seen;
    const call = two.told();
    await store.append(batchOf('r', 1));
    await call;
    expect(one.seen.calls).toBe(calls);
    two.watch.stop();
    await until(async () => (await listening()) === 0);
    const three = watched(store);
    await until(() => three.watch.isLive());
    await store.close();
    await until(async () => (await listening()) === 0);
  });

  it('gets notifications again after its connection was cut, and tells that it may have missed something', async () => {
    const store = open({ connectionString: server.address, schema: newSchema() });
    const { watch, told } = watched(store);
    await until(() => watch.isLive());
    const lost = told();
    await server.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
    await lost;
    expect(watch.isLive()).toBe(false);
    const back = told();
    await until(() => watch.isLive());
    await back;
    const call = told();
    await store.append(batchOf('r', 1));
    await call;
  });

  it('gets none through a pooler that gives each transaction another connection', async () => {
    const proxy = await startProxy(server.socket, true);
    onTestFinished(() => proxy.close());
    const store = open({ connectionString: proxy.address, schema: newSchema() });
    const { watch, seen } = watched(store);
    const given = proxy.sees('UNLISTEN');
    await given;
    expect([watch.isLive(), seen.calls]).toEqual([false, 0]);
    const pipeline = definePipeline({ name: 'p', phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });
    const worker = createWorker(store, [pipeline]);
    onTestFinished(() => worker.stop());
    await submitRun(store, pipeline, { runId: 'r' });
    await until(async () => (await store.run('r'))?.status === 'completed');
  }, 60_000);

  it('notices that its connection is dead without a word, and listens by another one', async () => {
    const proxy = await startProxy(server.socket);
    onTestFinished(() => proxy.close());
    const store = open({ connectionString: proxy.address, schema: newSchema() });
    await store.runs();
    const silent = proxy.lose('silence', 'LISTEN');
    const { watch } = watched(store);
    await silent;
    expect(watch.isLive()).toBe(false);
    await until(() => watch.isLive());
  }, 60_000);

  it('listens by a connection of a pool of the program, if it may', async () => {
    const pool = new pg.Pool({ connectionString: server.address, max: 2 });
    pool.on('error', () => undefined);
    const [deaf, store] = [open({ pool, schema: newSchema() }), open({ pool, schema: newSchema(), listen: true })];
    const [none, one] = [watched(deaf), watched(store)];
    await until(() => one.watch.isLive());
    expect(none.watch.isLive()).toBe(false);
    await deaf.append(batchOf('r', 1));
    const call = one.told();
    await store.append(batchOf('r', 1));
    await call;
    expect(none.seen.calls).toBe(0);
    one.watch.stop();
    await until(() => pool.totalCount === pool.idleCount);
    await pool.end();
  });

  it('does not keep a process alive', async () => {
    const args = ['--import', 'jiti/register', 'test/postgres/listener.ts', server.address];
    const child = spawn(process.execPath, args, { cwd: repository, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.on('data', (data) => (said += String(data)));
    expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(0);
    expect(said).toBe('live\n');
  }, 60_000);
});

const missing = serverMissing();
describe.skipIf(missing)(`a server with few connections${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('gets back the one that listens, if a statement finds none', async () => {
    const few = await startServer({ max_connections: '6', superuser_reserved_connections: '0' });
    onTestFinished(() => few.remove());
    const store = open({ connectionString: few.address, connections: 1 });
    const { watch } = watched(store);
    await until(() => watch.isLive());
    await few.ask(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'phasegate' AND query NOT LIKE 'LISTEN%'",
    );
    const others = new pg.Pool({ connectionString: few.address, max: 20 });
    others.on('error', () => undefined);
    onTestFinished(() => others.end());
    const clients = (await Promise.allSettled(Array.from({ length: 20 }, () => others.connect()))).flatMap((one) =>
      one.status === 'fulfilled' ? [one.value] : [],
    );
    expect(clients.length).toBeGreaterThan(0);
    expect(watch.isLive()).toBe(true);
    await store.append(batchOf('r', 1));
    expect(watch.isLive()).toBe(false);
    for (const client of clients) client.release();
  }, 60_000);
});
