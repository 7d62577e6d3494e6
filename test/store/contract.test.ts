import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { runStoreContract } from '../../src/testing.ts';

describe('memoryStore()', () => {
  runStoreContract(({ now }) => memoryStore({ now }), { describe, it });
});

describe('sqliteStore()', () => {
  const folder = mkdtempSync(join(tmpdir(), 'phasegate-store-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  runStoreContract(({ id, now }) => sqliteStore(join(folder, `${id}.sqlite`), { now }), { describe, it, shared: true });
});
