/** The contract of stores, on PostgreSQL in this process and on a server. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { postgresStore } from '../../src/postgres.ts';
import { runStoreContract, type StorePlace } from '../../src/testing.ts';
import { startPglite, type Engine } from './pglite.ts';

/** The tables with texts, and the columns of these. */
const TEXTS = [
  ['runs', 'info'],
  ['records', 'record'],
  ['items', 'item'],
  ['messages', 'message'],
  ['memories', 'memory'],
  ['artifacts', 'content'],
] as const;

describe('postgresStore() on PGlite', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await startPglite();
  }, 120_000);
  afterAll(() => engine.close());
  const schemaOf = (id: string) => id.replaceAll('-', '_');
  async function damage({ id }: StorePlace, text: string, other: string): Promise<void> {
    for (const [table, column] of TEXTS)
      await engine.exec(
        `UPDATE ${schemaOf(id)}.${table} SET ${column} = replace(${column}, '${text}', '${other}') WHERE ${column} LIKE '%${text}%'`,
      );
  }
  runStoreContract(({ id, now }) => postgresStore({ pool: engine.pool, schema: schemaOf(id), now }), {
    describe,
    it,
    shared: true,
    damage,
  });
});
