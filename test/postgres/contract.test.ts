/** The contract of stores, on PostgreSQL in this process and on a server. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { postgresStore } from '../../src/postgres.ts';
import { runStoreContract, type StorePlace } from '../../src/testing.ts';
import { startPglite, type Engine } from './pglite.ts';
import { describeWithServer } from './with-server.ts';
import { STORED_TEXTS } from '../store/stored-texts.ts';

function schemaOf({ id }: StorePlace): string {
  return id.replaceAll('-', '_');
}

/** The statements that replace a text in a store. */
function damaging(place: StorePlace, text: string, other: string): readonly string[] {
  return STORED_TEXTS.map(
    ([table, column]) =>
      `UPDATE ${schemaOf(place)}.${table} SET ${column} = replace(${column}, '${text}', '${other}')
      WHERE ${column} LIKE '%${text}%'`,
  );
}

describe('postgresStore() on PGlite', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await startPglite();
  }, 120_000);
  afterAll(() => engine.close());
  runStoreContract((place) => postgresStore({ pool: engine.pool, schema: schemaOf(place), now: place.now }), {
    describe,
    it,
    shared: true,
    async damage(place, text, other) {
      for (const statement of damaging(place, text, other)) await engine.exec(statement);
    },
  });
});

describeWithServer('postgresStore() on a server', (server) => {
  runStoreContract(
    (place) => postgresStore({ connectionString: server.address, schema: schemaOf(place), now: place.now }),
    {
      describe,
      it,
      shared: true,
      async damage(place, text, other) {
        for (const statement of damaging(place, text, other)) await server.ask(statement);
      },
    },
  );
});
