import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { connect } from '../../src/store/sqlite/driver.ts';
import { runStoreContract, type StorePlace } from '../../src/testing.ts';
import { STORED_TEXTS } from './stored-texts.ts';

describe('memoryStore()', () => {
  runStoreContract(({ now }) => memoryStore({ now }), { describe, it });
});

describe('sqliteStore()', () => {
  const folder = mkdtempSync(join(tmpdir(), 'phasegate-store-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const fileOf = (id: string) => join(folder, `${id}.sqlite`);
  function hold({ id }: StorePlace): () => void {
    const other = connect(fileOf(id), { readOnly: false });
    other.exec('BEGIN IMMEDIATE');
    return () => other.close();
  }
  function damage({ id }: StorePlace, text: string, other: string): void {
    const db = connect(fileOf(id), { readOnly: false });
    for (const [table, column] of STORED_TEXTS)
      db.prepare(`UPDATE ${table} SET ${column} = replace(${column}, ?, ?)`).run(text, other);
    db.close();
  }
  function holds({ id }: StorePlace, text: string): boolean {
    const own = readdirSync(folder).filter((name) => name.startsWith(`${id}.sqlite`));
    return own.some((name) => readFileSync(join(folder, name)).includes(text));
  }
  const options = { describe, it, shared: true, hold, holds, damage };
  runStoreContract(({ id, now }) => sqliteStore(fileOf(id), { now }), options);
});
