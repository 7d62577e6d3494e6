/**
 * The tables in PostgreSQL, and the migrations from earlier versions.
 *
 * Statements name the schema `phasegate`, which a connection replaces by that of its store.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { number, text } from '../sql/rows.ts';
import type { Ask, Place } from './place.ts';

/** The version of the tables that this code uses. */
export const SCHEMA_VERSION = 2;

/**
 * Creates or migrates the tables. Call it within a transaction. The first process does it; others wait, and find it done.
 *
 * @throws `STORE_UNREADABLE` if a later version has created them; `STORE_MISUSED` if the database cannot hold every text.
 */
export async function migrate(ask: Ask, place: Place): Promise<void> {
  await ask("SELECT pg_advisory_xact_lock(hashtextextended('phasegate ' || $1, 0))", [place.schema]);
  const [found = {}] = await ask(FOUND, [place.schema]);
  const encoding = text(found, 'encoding');
  if (encoding !== 'UTF8')
    throw new PhasegateError('STORE_MISUSED', `Cannot store runs in ${place.name} as its encoding is ${encoding}`, {
      hint: "Create a database for them: CREATE DATABASE runs ENCODING 'UTF8' TEMPLATE template0.",
    });
  // A user who may not create schemas can use one that exists.
  if (found['has_schema'] === false) await ask(`CREATE SCHEMA "${place.schema}"`);
  const from = found['has_tables'] === true ? await versionIn(ask) : 0;
  refuseLater(from, place);
  for (const step of MIGRATIONS.slice(from)) for (const statement of step) await ask(statement);
  await ask('UPDATE phasegate.store SET version = $1', [SCHEMA_VERSION]);
}

/** The version of the tables. @throws an error of the database if there are none. */
export async function versionIn(ask: Ask): Promise<number> {
  const [row = {}] = await ask('SELECT version FROM phasegate.store');
  return number(row, 'version');
}

/** Refuses a store of a later version. @throws `STORE_UNREADABLE` */
export function refuseLater(version: number, { name }: Place): void {
  if (version <= SCHEMA_VERSION) return;
  const found = `its tables have version ${version}, and this version knows up to ${SCHEMA_VERSION}`;
  throw new PhasegateError('STORE_UNREADABLE', `Cannot open ${name} as it was created by a later version: ${found}`, {
    hint: 'Update phasegate; or export runs with the later version, and import them into another store.',
  });
}

// --- internal ---

const FOUND = `SELECT current_setting('server_encoding') AS encoding,
  EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS has_schema,
  to_regclass('phasegate.store') IS NOT NULL AS has_tables`;

/**
 * Each migrates version n to version n + 1. Never change a released one: append another.
 *
 * Texts are `text`: `jsonb` would refuse U+0000 and change the order of keys. Times are milliseconds since 1970. Ids are compared by byte,
 * whatever the language of the database.
 */
const MIGRATIONS: readonly (readonly string[])[] = [
  [
    // One row. `posted` is the place of the latest message: a sequence would also count messages that are not committed.
    'CREATE TABLE phasegate.store (version integer NOT NULL, posted bigint NOT NULL)',
    'INSERT INTO phasegate.store VALUES (0, 0)',

    // The lease is in the row of its run, so that one statement checks it and writes. A run with number 0 has a lease, but no record yet.
    // `appended` is the mark of the last append, by which its sender recognizes it. `ready_at` is the time from which on a process may
    // continue it: null if it has ended, infinity if it waits for a message.
    `CREATE TABLE phasegate.runs (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text COLLATE "C" NOT NULL UNIQUE,
      seq bigint NOT NULL DEFAULT 0,
      pipeline text COLLATE "C" NOT NULL DEFAULT '',
      status text COLLATE "C" NOT NULL DEFAULT '',
      started_at float8 NOT NULL DEFAULT 0,
      updated_at float8 NOT NULL DEFAULT 0,
      info text NOT NULL DEFAULT '',
      sum bigint NOT NULL DEFAULT 0,
      appended text COLLATE "C",
      last_message bigint NOT NULL DEFAULT 0,
      ready_at float8,
      holder text,
      token text COLLATE "C",
      expires_at float8,
      ms float8
    ) WITH (fillfactor = 80)`,
    'CREATE INDEX runs_by_start ON phasegate.runs (started_at, key)',
    "CREATE INDEX runs_ready ON phasegate.runs (pipeline, ready_at) WHERE ready_at < 'Infinity'",
    'CREATE INDEX runs_leased ON phasegate.runs (key) WHERE token IS NOT NULL',

    `CREATE TABLE phasegate.records (
      run bigint NOT NULL REFERENCES phasegate.runs ON DELETE CASCADE,
      seq bigint NOT NULL,
      record text NOT NULL,
      sum bigint NOT NULL,
      PRIMARY KEY (run, seq)
    )`,

    `CREATE TABLE phasegate.items (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text COLLATE "C" NOT NULL UNIQUE,
      run bigint NOT NULL REFERENCES phasegate.runs ON DELETE CASCADE,
      opened_at float8 NOT NULL,
      open boolean NOT NULL,
      item text NOT NULL,
      sum bigint NOT NULL
    )`,
    'CREATE INDEX items_of_run ON phasegate.items (run)',
    'CREATE INDEX items_open ON phasegate.items (opened_at, key) WHERE open',

    `CREATE TABLE phasegate.messages (
      id bigint PRIMARY KEY,
      run bigint NOT NULL REFERENCES phasegate.runs ON DELETE CASCADE,
      answers text COLLATE "C" UNIQUE,
      mark text COLLATE "C" NOT NULL UNIQUE,
      message text NOT NULL,
      sum bigint NOT NULL
    )`,
    'CREATE INDEX messages_of_run ON phasegate.messages (run, id)',

    // The reference keeps a value from being removed while another run begins to use it.
    'CREATE TABLE phasegate.artifacts (hash text COLLATE "C" PRIMARY KEY, content text NOT NULL)',
    `CREATE TABLE phasegate.uses (
      run bigint NOT NULL REFERENCES phasegate.runs ON DELETE CASCADE,
      hash text COLLATE "C" NOT NULL REFERENCES phasegate.artifacts,
      PRIMARY KEY (run, hash)
    )`,
    'CREATE INDEX uses_of_artifact ON phasegate.uses (hash)',

    `CREATE TABLE phasegate.memories (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      scope text COLLATE "C" NOT NULL,
      pipeline text COLLATE "C" NOT NULL,
      phase text COLLATE "C" NOT NULL,
      memory text NOT NULL,
      sum bigint NOT NULL
    )`,
    'CREATE INDEX memories_of_phase ON phasegate.memories (scope, pipeline, phase, key)',
  ],
  // The same tables. Records may refer to their plan, which programs of earlier versions do not expect.
  [],
];
