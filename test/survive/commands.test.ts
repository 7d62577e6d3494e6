/** Commands that move records between stores, killed at their steps. The same command again ends as if none had been killed. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { postgresStore } from '../../src/postgres.ts';
import { describeWithServer } from '../postgres/with-server.ts';
import {
  contentOf,
  contentOfFile,
  differences,
  makeGround,
  STORE,
  type Content,
  type Ground,
} from './command/ground.ts';
import { sweepCommand } from './command/sweep.ts';

/** Sweeps a move into another store. @param read Reads that one. */
async function sweepMove(ground: Ground, other: string, read: () => Promise<Content>) {
  const from = join(ground.cwd, STORE);
  const before = await contentOfFile(from);
  return sweepCommand(ground, ['move', other], {
    async examine() {
      const [here, there] = [await contentOfFile(from), await read()];
      const parts = ['records', 'items', 'memories'] as const;
      // Messages are copied after the records.
      return [
        ...differences({ ...before, ...here, ...there }, before, parts),
        ...differences({ ...there, ...here }, before, [...parts, 'messages']),
      ];
    },
    end: async () => [...differences(await contentOfFile(from), {}), ...differences(await read(), before)],
  });
}

describe('a command that is killed at a step, and starts again', () => {
  it('is move, and each run is whole in one of the stores', async () => {
    const ground = await makeGround();
    const report = await sweepMove(ground, 'other.db', () => contentOfFile(join(ground.cwd, 'other.db')));
    expect(report.problems).toEqual([]);
    expect(report.kills).toBeGreaterThan(9);
  }, 600_000);

  it('is import, and the run is there only with those below it', async () => {
    const ground = await makeGround();
    const to = join(ground.cwd, 'other.db');
    const before = await contentOfFile(join(ground.cwd, STORE));
    const family = Object.fromEntries(Object.entries(before).filter(([id]) => /^r(?:[%/]|$)/u.test(id)));
    // An archive has neither memories nor the path of the definition.
    const parts = ['records', 'items', 'messages', 'isReady'] as const;
    const isThere = async () => 'r' in (await contentOfFile(to));
    const report = await sweepCommand(ground, ['import', 'r.jsonl', '--store', 'other.db'], {
      async examine() {
        const found = await contentOfFile(to);
        return differences((await isThere()) ? found : { ...family, ...found }, family, ['records', 'items']);
      },
      // Another import makes a copy with another id.
      isDone: isThere,
      end: async () => differences(await contentOfFile(to), family, parts),
    });
    expect(report.problems).toEqual([]);
    expect(report.kills).toBeGreaterThan(9);
  }, 600_000);

  it('is export, and the file is the earlier one or whole', async () => {
    const ground = await makeGround();
    const file = join(ground.cwd, 'r.jsonl');
    const [whole, store] = [readFileSync(file, 'utf8'), await contentOfFile(join(ground.cwd, STORE))];
    const problemsIn = async (allowed: readonly string[]) => [
      ...(allowed.includes(readFileSync(file, 'utf8')) ? [] : ['the file is not whole']),
      ...differences(await contentOfFile(join(ground.cwd, STORE)), store),
    ];
    const earlier = 'an earlier file\n';
    const restore = async () => {
      await ground.restore();
      writeFileSync(file, earlier);
    };
    await restore();
    const report = await sweepCommand({ ...ground, restore }, ['export', 'r', '-o', 'r.jsonl'], {
      examine: () => problemsIn([earlier, whole]),
      end: () => problemsIn([whole]),
    });
    expect(report.problems).toEqual([]);
    expect(report.kills).toBeGreaterThan(5);
  }, 600_000);

  it('is backup, and the copy is not there or whole', async () => {
    const ground = await makeGround();
    const [from, to] = [join(ground.cwd, STORE), join(ground.cwd, 'copy.db')];
    const before = await contentOfFile(from);
    const report = await sweepCommand(ground, ['backup', 'copy.db', '--replace'], {
      examine: async () => (existsSync(to) ? differences(await contentOfFile(to), before) : []),
      async end() {
        const [here, there] = [await contentOfFile(from), await contentOfFile(to)];
        return [...differences(here, before), ...differences(there, before)];
      },
    });
    expect(report.problems).toEqual([]);
    expect(report.kills).toBeGreaterThan(3);
  }, 600_000);

  it('is gc, and the runs that have not ended stay as they were', async () => {
    const ground = await makeGround();
    const file = join(ground.cwd, STORE);
    const before = await contentOfFile(file);
    const left = Object.fromEntries(Object.entries(before).filter(([id]) => /^(?:r|answered)(?:[%/]|$)/u.test(id)));
    const report = await sweepCommand(ground, ['gc', '--keep', '0s'], {
      // Those that have ended are removed one by one, each whole.
      examine: async () => differences({ ...before, ...(await contentOfFile(file)) }, before),
      async end() {
        const fleets = readdirSync(join(ground.cwd, '.phasegate/fleets'));
        return [...differences(await contentOfFile(file), left), ...fleets.map((name) => `${name} is left`)];
      },
    });
    expect(report.problems).toEqual([]);
    expect(report.kills).toBeGreaterThan(5);
  }, 600_000);
});

describeWithServer('a move into a database that is killed at a step, and starts again', (server) => {
  it('leaves each run whole in one of the stores', async () => {
    const ground = await makeGround();
    const read = async () => {
      const store = postgresStore({ connectionString: server.address });
      try {
        return await contentOf(store);
      } finally {
        await store.close();
      }
    };
    const restore = async () => {
      await ground.restore();
      await server.ask('DROP SCHEMA IF EXISTS phasegate CASCADE');
    };
    const report = await sweepMove({ ...ground, restore }, server.address, read);
    expect(report.problems).toEqual([]);
    expect(report.kills).toBeGreaterThan(9);
  }, 600_000);
});
