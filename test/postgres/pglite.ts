/**
 * PostgreSQL in this process, as a pool with one connection. It needs no server, and tests what statements do, but nothing of the network.
 *
 * @module
 */
import { PGlite } from '@electric-sql/pglite';
import type { PostgresPool } from '../../src/postgres.ts';

/** An engine with its pool. */
export interface Engine {
  readonly pool: PostgresPool;
  readonly exec: (sql: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts an engine. */
export async function startPglite(): Promise<Engine> {
  const db = await PGlite.create();
  /** Ends when the connection is free again. */
  let free = Promise.resolve();
  return {
    pool: {
      async connect() {
        const before = free;
        let release = () => {};
        free = new Promise((resolve) => (release = resolve));
        await before;
        return {
          query: (text, values) => db.query(text, values),
          release: () => release(),
        };
      },
    },
    async exec(sql) {
      await db.exec(sql);
    },
    close: () => db.close(),
  };
}
