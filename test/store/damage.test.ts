/** Stores whose file was damaged: nothing is given out that was not stored. */
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerItem } from '../../src/inbox.ts';
import {
  definePipeline,
  human,
  PhasegateError,
  phase,
  resumeAll,
  resumeRun,
  startRun,
  submitRun,
  task,
  verifyRun,
} from '../../src/index.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import type { InboxItem } from '../../src/inbox.ts';
import type { RunStore } from '../../src/store.ts';
import { packRecord } from '../../src/model/events/large-values.ts';
import { damaged } from '../../src/store/damage.ts';
import { readRun } from '../../src/store/read-run.ts';
import { connect, prepareWrite } from '../../src/store/sqlite/driver.ts';
import { thisHolder } from '../../src/store/holder.ts';
import { migrateTables } from '../../src/store/sqlite/schema.ts';
import { phasegate } from '../cli/cli.ts';
import { served } from '../server/rig.ts';
import { numberOfRuns } from '../property/number-of-runs.ts';
import { answerTo, batchOf, openItem, recordOf } from '../../src/testing/store/trial.ts';

const folder = mkdtempSync(join(tmpdir(), 'phasegate-damage-'));
const whole = join(folder, 'whole.sqlite');
const file = join(folder, 'damaged.sqlite');
afterAll(() => rmSync(folder, { recursive: true }));

const RUNS = ['a', 'b', 'c', 'd'];

/** The answers of a store, by question. An error is its code. */
type Picture = ReadonlyMap<string, unknown>;

let expected: Picture;

beforeAll(async () => {
  const store = sqliteStore(whole);
  for (const [index, run] of RUNS.entries()) {
    const output = `${run} ${'large '.repeat(4000)}`;
    const event = { type: 'task.completed', phase: 'a', generation: 1, attempt: 1, task: 't', try: 1, output } as const;
    const { record, artifacts } = packRecord({ ...recordOf(run, 1), event });
    const memory = {
      scope: 's',
      pipeline: 'article',
      phase: 'draft',
      runId: run,
      seq: 1,
      time: 1,
      text: `note ${run}`,
    };
    const first = batchOf(run, 1, { artifacts, memories: [memory], items: [openItem(run, 1)] });
    await store.append({ ...first, records: [record] });
    await store.append(batchOf(run, 2, { count: 20 + 60 * index, items: [openItem(run, 3)] }));
    await store.post(answerTo(run, `${run}:1`));
  }
  await store.close();
  copyFileSync(whole, file);
  expected = await pictureOf();
});

/** Asks a store everything that it can be asked. */
async function pictureOf(): Promise<Picture> {
  const picture = new Map<string, unknown>();
  const ask = async (question: string, answer: (store: RunStore) => unknown) => {
    try {
      picture.set(question, await answer(open()));
    } catch (error) {
      // Every other error is a defect, such as a TypeError.
      if (!PhasegateError.is(error)) throw error;
      picture.set(question, error.code);
    }
  };
  let store: RunStore | undefined;
  const open = () => (store ??= sqliteStore(file, { now: () => 0 }));
  await ask('runs', async (all) => (await all.runs()).map((run) => (run.damage === undefined ? run : run.runId)));
  await ask('inbox', async (all) => (await all.inbox()).map((item) => (item.because === DAMAGED ? item.id : item)));
  await ask('memories', (all) => all.memories?.());
  await ask('check', (all) => all.check?.());
  for (const run of RUNS) {
    await ask(`run ${run}`, async (all) => {
      const found = await all.run(run);
      return found?.damage === undefined ? found : DAMAGED;
    });
    await ask(`records of ${run}`, (all) => readRun(all, run));
    await ask(`records of ${run} from 15`, (all) => readRun(all, run, 15));
    await ask(`messages to ${run}`, (all) => all.messages(run));
    await ask(`item of ${run}`, (all) => all.item(`${run}:3`));
  }
  await store?.close();
  return picture;
}

const DAMAGED = 'STORE_UNREADABLE';

/** A place in the file, and what happens there: a bit changes, a page is overwritten or exchanged, or the file is cut off. */
const damages = fc.record({
  type: fc.constantFrom('bit', 'bit', 'bit', 'bit', 'page', 'page', 'swap', 'cut'),
  at: fc.noBias(fc.nat(1_000_000)),
  bit: fc.noBias(fc.nat(255)),
});

const PAGE = 4096;

function damage(list: readonly { readonly type: string; readonly at: number; readonly bit: number }[]): void {
  const bytes = readFileSync(whole);
  let size = bytes.length;
  for (const { type, at, bit } of list) {
    const place = Math.min(bytes.length - 1, Math.floor((at / 1_000_001) * bytes.length));
    const page = place - (place % PAGE);
    if (type === 'bit') bytes[place] = (bytes[place] ?? 0) ^ (1 << (bit % 8));
    else if (type === 'page') bytes.fill(bit, place, page + PAGE);
    else if (type === 'swap')
      bytes.copy(bytes, page, (PAGE * bit) % (bytes.length - PAGE), ((PAGE * bit) % (bytes.length - PAGE)) + PAGE);
    else size = Math.min(size, place);
  }
  for (const part of ['-wal', '-shm']) rmSync(`${file}${part}`, { force: true });
  writeFileSync(file, bytes);
  truncateSync(file, size);
}

/** The problem of an answer; `undefined` if it is right, or says that something is damaged. */
function problemOf(question: string, answer: unknown, isKnown: boolean): string | undefined {
  const right = expected.get(question);
  if (answer === DAMAGED || answer === FAILED || JSON.stringify(answer) === JSON.stringify(right)) return undefined;
  if (answer === undefined) return isKnown ? undefined : `${question}: nothing`;
  if (!isList(answer) || !isList(right)) return `${question}: ${JSON.stringify(answer)}`;
  const texts = new Set(right.map((one) => JSON.stringify(one)));
  const strange = answer.find((one) => typeof one !== 'string' && !texts.has(JSON.stringify(one)));
  if (strange !== undefined) return `${question}: ${JSON.stringify(strange)}`;
  // Memories are left out.
  return answer.length === right.length || isKnown || question === 'memories' ? undefined : `${question}: too few`;
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const FAILED = 'STORE_FAILED';

describe('a damaged file', () => {
  it('gives no answer but the right one, or refuses', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(damages, { minLength: 1, maxLength: 3 }), async (list) => {
        damage(list);
        const found = await pictureOf();
        const isKnown = JSON.stringify(found.get('check')) !== '[]';
        expect([...found].flatMap(([question, answer]) => problemOf(question, answer, isKnown) ?? [])).toEqual([]);
      }),
      numberOfRuns({ seed: 20261126, runs: 100 }),
    );
  });

  it('is needed for a refusal', async () => {
    copyFileSync(whole, file);
    expect(await pictureOf()).toEqual(expected);
    expect([...expected.values()].filter((answer) => answer === DAMAGED || answer === undefined)).toEqual([]);
    expect(expected.get('check')).toEqual([]);
  });
});

const asked = definePipeline({
  name: 'asked',
  phases: [
    phase('draft', { tasks: [task('write', { run: () => 'text' })] }),
    phase('judge', { after: ['draft'], tasks: [task('ask', { run: human({ question: 'Good?' }) })] }),
  ],
});

/** Makes a store of two runs that wait for a person, and changes its file. @returns The path of the file. */
async function waiting(name: string, ...statements: readonly string[]): Promise<string> {
  const path = join(folder, `${name}.sqlite`);
  const store = sqliteStore(path);
  for (const runId of ['one', 'two']) {
    const run = startRun(asked, { store, runId, attended: true });
    for await (const { event } of run) if (event.type === 'task.asked') break;
    run.suspend();
    await run.result;
  }
  await store.close();
  change(path, ...statements);
  return path;
}

function change(path: string, ...statements: readonly string[]): void {
  const db = connect(path, { readOnly: false });
  for (const statement of statements) db.exec(statement);
  db.close();
}

describe('a run whose row was changed', () => {
  it.each([
    ['its text', `UPDATE runs SET info = replace(info, '"approved":1', '"approved":2') WHERE id = 'one'`],
    ['its status', `UPDATE runs SET status = 'completed' WHERE id = 'one'`],
    ['its pipeline', `UPDATE runs SET pipeline = 'other' WHERE id = 'one'`],
    ['its number of records', `UPDATE runs SET seq = seq - 1 WHERE id = 'one'`],
    ['its start', `UPDATE runs SET started_at = started_at + 1 WHERE id = 'one'`],
    [
      'its text, with that of another run',
      `UPDATE runs SET (info, sum) = (SELECT info, sum FROM runs WHERE id = 'two')`,
    ],
  ])('is listed as damaged, and not resumed: %s', async (what, statement) => {
    const store = sqliteStore(await waiting(what, statement));
    const [two, one] = await store.runs();
    expect([two?.runId, two?.damage]).toEqual(['two', undefined]);
    expect(one?.damage).toMatch(/^Cannot read the row of run one as its (text|columns) .*[^.]$/u);
    await expect(resumeRun(store, 'one', asked)).rejects.toMatchObject({ code: 'STORE_UNREADABLE' });
    expect((await verifyRun(store, 'one')).problems).not.toEqual([]);
    expect(await verifyRun(store, 'two')).toMatchObject({ problems: [] });
    await store.close();
  });

  it('is named by its commands, each of which leads on', async () => {
    const path = await waiting('commands', `UPDATE runs SET status = 'rejected' WHERE id = 'one'`);
    const at = ['--store', path];
    const cli = (...args: readonly string[]) => phasegate([...args, ...at], { cwd: folder });
    expect((await cli('ls')).stdout).toMatch(/one +damaged/u);
    expect((await cli('ls', '--status', 'damaged')).stdout).not.toContain('two');
    expect((await cli('show', 'one')).stdout).toContain('damaged');
    const { stdout, code } = await cli('verify');
    expect(code).toBe(1);
    expect(stdout).toContain('✗ one: Cannot read the row of run one as its columns are not those of its text');
    expect(stdout).toContain('✓ two');
    const [, fork = ''] = /phasegate (fork one --at \d+)/u.exec(stdout) ?? [];
    const forked = await cli(...fork.split(' '));
    expect([forked.stderr, forked.code]).toEqual(['', 0]);
    const [, id = ''] = /run (\S+)/u.exec(forked.stdout) ?? [];
    expect((await cli('verify', id)).stdout).toContain(`✓ ${id}`);
  });

  it.each(['resume', 'retry'])('is refused by %s before the pipeline is looked for', async (command) => {
    const path = await waiting(command, `UPDATE runs SET status = 'rejected' WHERE id = 'one'`);
    const refused = await phasegate([command, 'one', '--store', path], { cwd: folder });
    expect(refused.stderr).toMatch(
      new RegExp(
        `^Cannot ${command} run one: Cannot read the row .*\nCheck the run: phasegate verify one\\..*\nThat command needs --store /`,
        'u',
      ),
    );
    const named = await phasegate([command, 'one'], { cwd: folder, env: { PHASEGATE_STORE: path } });
    expect(named.stderr).not.toContain('--store');
  });

  it('is shown by the dashboard among the others', async () => {
    const statement = `UPDATE runs SET info = '' WHERE id = 'one'`;
    const item = `UPDATE items SET item = replace(item, 'Good?', 'Evil?') WHERE id LIKE 'one%'`;
    const store = sqliteStore(await waiting('dashboard', statement, item));
    const { get, post } = await served({ store });
    expect((await get('/api/runs')).body).toMatchObject({
      runs: [
        { runId: 'two', standing: 'waiting' },
        {
          runId: 'one',
          standing: 'damaged',
          damage: 'Cannot read the row of run one as its text does not match its checksum',
        },
      ],
    });
    expect((await get('/api/runs/one')).body).toMatchObject({ standing: 'damaged' });
    const { items } = (await get('/api/inbox')).body as { items: readonly InboxItem[] };
    expect(items.map(({ runId, because }) => [runId, because])).toEqual([
      ['one', DAMAGED],
      ['two', 'asked'],
    ]);
    const [broken] = items;
    const answer = await post(`/api/inbox/${broken?.id ?? ''}/answer`, {
      nonce: '',
      reply: { type: 'skip', reason: 'none' },
    });
    expect(answer.body).toMatchObject({ error: { code: 'STORE_UNREADABLE' } });
    await store.close();
  });

  it('does not keep others from going on', async () => {
    const store = sqliteStore(await waiting('others', `UPDATE runs SET info = '' WHERE id = 'one'`));
    const { runs, failed } = await resumeAll(store, [asked]);
    expect(runs.map(({ id }) => id)).toEqual(['two']);
    expect(failed).toMatchObject([{ runId: 'one', error: { code: 'STORE_UNREADABLE' } }]);
    for (const run of runs) run.suspend();
    await Promise.all(runs.map(({ result }) => result));
    await store.close();
  });
});

describe('a run with a changed record', () => {
  it('has its damage among the alerts of the others', async () => {
    const store = sqliteStore(
      await waiting(
        'alerts',
        `UPDATE records SET record = replace(record, 'Good?', 'Evil?') WHERE run = (SELECT key FROM runs WHERE id = 'one')`,
      ),
    );
    await submitRun(store, asked, { runId: 'three' });
    const { get } = await served({ store });
    const { status, body } = await get('/api/troubles');
    expect(status).toBe(200);
    const run = await store.run('one');
    expect(body).toEqual({
      troubles: [
        expect.objectContaining({ runId: 'three', code: 'QUEUED' }),
        {
          runId: 'one',
          pipeline: 'asked',
          code: 'DAMAGED',
          severity: 'problem',
          phase: null,
          seq: run?.seq,
          since: run?.updatedAt,
          found: expect.stringMatching(
            /^Cannot read record \d+ of run one as its text does not match its checksum/u,
          ) as string,
          advice: expect.stringMatching(/^Check the run: phasegate verify one\. /u) as string,
        },
      ],
    });
    await store.close();
  });

  it('is printed up to that record, and a seal of another text says so', async () => {
    const path = await waiting('printed', `UPDATE records SET record = replace(record, 'text', 'test') WHERE run = 1`);
    const cli = (...args: readonly string[]) => phasegate([...args, '--store', path], { cwd: folder });
    const { stdout, stderr, code } = await cli('events', 'one', '--json');
    const [, good = ''] = /records up to (\d+) can be read/u.exec(stderr) ?? [];
    expect(stdout.split('\n')).toHaveLength(Number(good) + 1);
    expect(code).toBe(2);
    expect(stderr).toContain(`\nThese commands need --store ${path}.\n`);
    expect((await cli('verify', 'two', '--seal', 'a'.repeat(64))).stdout).toMatch(
      /Find a backup or an archive [^\n]*\n$/u,
    );
  });

  it('has commands that a shell takes as they are', () => {
    expect(damaged('record 2', "it's; one", 'it is missing', 1).hint).toMatch(
      /phasegate fork 'it'\\''s; one' --at 1$/u,
    );
  });
});

describe('a damaged run that has started others', () => {
  it('has none of them cancelled', async () => {
    const inner = asked;
    const outer = definePipeline({
      name: 'outer',
      phases: [phase('a', { tasks: [task('t', { pipeline: () => inner })] })],
    });
    const path = join(folder, 'outer.sqlite');
    const store = sqliteStore(path);
    const run = startRun(outer, { store, runId: 'outer', attended: true });
    for await (const { event } of run) if (event.type === 'task.reported') break;
    run.suspend();
    await run.result;
    const [child] = (await store.runs()).filter(({ runId }) => runId !== 'outer');
    expect(child).toMatchObject({ status: 'running' });
    change(path, `UPDATE runs SET status = 'runnin' WHERE id = 'outer'`);
    expect(await resumeAll(store, [outer, inner])).toMatchObject({ runs: [], waiting: [] });
    expect(await store.run(child?.runId ?? '')).toMatchObject({ status: 'running' });
    await store.close();
  });
});

describe('a run whose row was lost', () => {
  it('is found by verify, and its records do not become those of another run', async () => {
    const path = await waiting('lost', `DELETE FROM runs WHERE id = 'two'`);
    const store = sqliteStore(path);
    expect(await store.check?.()).toEqual(['One run has records, but no row']);
    await store.append(batchOf('three', 1, { count: 2 }));
    expect(await store.read('three')).toHaveLength(2);
    await store.close();
    const { stdout, code } = await phasegate(['verify', '--store', path], { cwd: folder });
    expect([code, stdout.includes('One run has records, but no row')]).toEqual([1, true]);
  });
});

describe('a command on all runs', () => {
  const cli = (path: string, ...args: readonly string[]) => phasegate([...args, '--store', path], { cwd: folder });

  it.each([
    ['seq', `UPDATE runs SET seq = 9223372036854775807 WHERE id = 'one'`],
    ['checked_from', `UPDATE runs SET checked_from = 9223372036854775807 WHERE id = 'one'`],
    ['sum', `UPDATE runs SET sum = 9223372036854775807 WHERE id = 'one'`],
    ['sum of an item', `UPDATE items SET sum = 9223372036854775807 WHERE id LIKE 'one%'`],
    ['sum of a record', `UPDATE records SET sum = 9223372036854775807 WHERE run = 1 AND seq = 2`],
  ])('lists the others if a number is too large: %s', async (what, statement) => {
    const path = await waiting(`large ${what}`, statement);
    for (const args of [['ls'], ['verify'], ['inbox'], ['doctor']]) {
      const { stdout, stderr } = await cli(path, ...args);
      expect([args, stderr.includes('JavaScript')]).toEqual([args, false]);
      if (args[0] !== 'doctor') expect(stdout).toContain('two');
    }
  });

  it('removes no damaged run for its age, and cancels none', async () => {
    const path = await waiting('old', `UPDATE runs SET status = 'completed', updated_at = 0 WHERE id = 'one'`);
    expect((await cli(path, 'gc', '--keep', '30d')).stdout).toMatch(/^0 runs removed/u);
    expect((await cli(path, 'ls')).stdout).toMatch(/one +damaged/u);
    expect((await cli(path, 'cancel', 'one')).stderr).toContain(
      'Cannot cancel run one: Cannot read the row of run one',
    );
  });

  it('shows the questions of others if a message is damaged', async () => {
    const path = await waiting('messages');
    const store = sqliteStore(path);
    const [item] = await store.inbox({ runId: 'one' });
    await answerItem(store, item?.id ?? '', { type: 'value', value: 'yes' });
    await store.close();
    change(path, `UPDATE messages SET sum = 7`);
    const { stdout, code } = await cli(path, 'inbox');
    expect([code, stdout.includes('two')]).toEqual([0, true]);
  });

  it('leaves damaged runs out, and names them', async () => {
    const path = await waiting('left out', `UPDATE records SET record = '' WHERE run = 1 AND seq = 3`);
    for (const command of ['doctor', 'coverage']) {
      const all = await cli(path, command);
      expect([command, all.code, all.stderr]).toEqual([command, 1, expect.stringContaining('run one is left out')]);
      expect((await cli(path, command, 'one')).stderr).toContain('Cannot read record 3 of run one');
    }
  });

  it('keeps an archive if the run was damaged since', async () => {
    const path = await waiting('export');
    expect((await cli(path, 'export', 'one', '-o', 'kept.jsonl')).code).toBe(0);
    const before = readFileSync(join(folder, 'kept.jsonl'), 'utf8');
    change(path, `UPDATE records SET record = '' WHERE run = 1 AND seq = 3`);
    expect((await cli(path, 'export', 'one', '-o', 'kept.jsonl')).code).toBe(2);
    expect(readFileSync(join(folder, 'kept.jsonl'), 'utf8')).toBe(before);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });
});

describe('a damaged memory', () => {
  it('can be forgotten', async () => {
    const path = join(folder, 'memory.sqlite');
    const store = sqliteStore(path);
    const memory = { scope: 's', pipeline: 'article', phase: 'draft', runId: 'r', seq: 1, time: 1 };
    await store.append(batchOf('r', 1, { memories: ['one', 'two'].map((text) => ({ ...memory, text })) }));
    change(path, `UPDATE memories SET memory = '{' WHERE key = 1`);
    expect((await store.memories?.())?.map(({ text }) => text)).toEqual(['two']);
    expect(await store.forget?.({ scope: 'other' })).toBe(0);
    expect(await store.forget?.({ scope: 's' })).toBe(2);
    expect(readFileSync(path).includes('"one"')).toBe(false);
    await store.close();
  });
});

describe('verifyRun() of a store', () => {
  it.each([
    ['an item', `UPDATE items SET item = replace(item, 'Good?', 'Evil?') WHERE id LIKE 'one%'`],
    ['an item that is hidden', `UPDATE items SET open = 0 WHERE id LIKE 'one%'`],
    ['an item that is gone', `DELETE FROM items WHERE id LIKE 'one%'`],
    ['an item of the other run', `UPDATE items SET (item, sum) = (SELECT item, sum FROM items WHERE id LIKE 'two%')`],
    ['a record', `UPDATE records SET record = replace(record, 'text', 'test') WHERE key >> 32 = 1`],
    ['the last record', `DELETE FROM records WHERE seq = (SELECT seq FROM runs WHERE id = 'one') AND run = 1`],
  ])('finds a change of %s', async (what, statement) => {
    const store = sqliteStore(await waiting(`verify ${what}`, statement));
    expect((await verifyRun(store, 'one')).problems).toHaveLength(1);
    expect((await verifyRun(store, 'two')).problems).toEqual([]);
    await store.close();
  });

  it('stops a run as a damaged message comes', async () => {
    const path = await waiting('message at work');
    const store = sqliteStore(path);
    const run = await resumeRun(store, 'one', asked, { attended: true });
    const [item] = run.inbox();
    // The damaged answer is stored at once, so that the run never sees the right one.
    change(path, `INSERT INTO messages (run, answers, message, sum) VALUES (1, '${item?.id ?? ''}', '{}', 7)`);
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'STORE_UNREADABLE' } });
    expect((await store.run('one'))?.status).toBe('running');
    await store.close();
  });

  it('finds a change of a message', async () => {
    const path = await waiting('message');
    const store = sqliteStore(path);
    const [item] = await store.inbox({ runId: 'one' });
    await answerItem(store, item?.id ?? '', { type: 'value', value: 'yes' });
    expect((await verifyRun(store, 'one')).problems).toEqual([]);
    change(path, `UPDATE messages SET message = replace(message, 'yes', 'noo')`);
    expect((await verifyRun(store, 'one')).problems).toEqual([
      'Cannot read message 1 of run one as its text does not match its checksum',
    ]);
    await expect(resumeRun(store, 'one', asked, { attended: true })).rejects.toMatchObject({
      code: 'STORE_UNREADABLE',
    });
    expect((await store.run('one'))?.status).toBe('running');
    await store.close();
  });
});

describe('a store of a version without checksums', () => {
  /** Makes one with the same runs. @returns Its path. */
  async function earlier(name: string): Promise<string> {
    const path = join(folder, `${name}-earlier.sqlite`);
    const db = connect(path, { readOnly: false });
    migrateTables(db, 0, 3);
    db.exec(`ATTACH '${await waiting(name)}' AS now`);
    for (const [table, columns] of EARLIER)
      db.exec(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM now.${table}`);
    db.close();
    return path;
  }

  it('is migrated, and says from which record on a run is protected', async () => {
    const path = await earlier('migrated');
    const store = sqliteStore(path);
    const { seq = 0 } = (await store.run('one')) ?? {};
    const before = await verifyRun(store, 'one');
    expect(before).toMatchObject({ problems: [], checkedFrom: seq + 1, records: seq });
    // A worker may continue it.
    expect((await store.ready([asked.name], 9)).map(({ runId }) => runId)).toContain('one');
    const run = await resumeRun(store, 'one', asked, { attended: true });
    const [item] = run.inbox();
    await run.answer(item?.id ?? '', { type: 'value', value: 'yes' });
    await run.result;
    expect((await store.ready([asked.name], 9)).map(({ runId }) => runId)).not.toContain('one');
    const after = await verifyRun(store, 'one', { seal: before.seal });
    expect(after).toMatchObject({ problems: [], checkedFrom: seq + 1, sealed: seq });
    expect(after.records).toBeGreaterThan(seq);
    await store.close();
    const { stdout } = await phasegate(['verify', 'one', '--store', path], { cwd: folder });
    expect(stdout).toContain(
      `Records 1 to ${seq} were stored by an earlier version, and got a checksum when the store was migrated.`,
    );
    change(path, `UPDATE records SET record = replace(record, 'text', 'test') WHERE run = 1`);
    const changed = sqliteStore(path);
    expect((await verifyRun(changed, 'one')).problems).toHaveLength(1);
    await changed.close();
  });

  it('is migrated by a command that reads, but not while a program of that version works on a run', async () => {
    const path = await earlier('read');
    const lease = `INSERT INTO leases VALUES ('one', '${thisHolder()}', 't', ${Date.now() + 1e6}, 1)`;
    change(path, lease);
    const refused = await phasegate(['ls', '--store', path], { cwd: folder });
    expect([refused.stdout, refused.code]).toEqual(['', 2]);
    expect(refused.stderr).toMatch(/Cannot migrate .* as .* an earlier version, works on run one\nEnd that program/u);
    change(path, "UPDATE leases SET run_id = ':worker/article/f00d'");
    const { stderr } = await phasegate(['ls', '--store', path], { cwd: folder });
    expect(stderr).toMatch(/an earlier version, works on runs\nEnd that program/u);
    change(path, 'DELETE FROM leases');
    const { stdout, code } = await phasegate(['ls', '--store', path], { cwd: folder });
    expect([code, stdout.includes('two')]).toEqual([0, true]);
  });

  it('is migrated if a run has a large key', async () => {
    const path = join(folder, 'large-key.sqlite');
    const db = connect(path, { readOnly: false });
    migrateTables(db, 0, 3);
    const { records, info } = batchOf('r', 1, { count: 1500 });
    db.prepare('INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)').run(
      2 ** 31 - 1,
      'r',
      info.seq,
      info.pipeline,
      info.status,
      info.startedAt,
      info.updatedAt,
      JSON.stringify(info),
    );
    const insert = prepareWrite(db, `INSERT INTO records (key, record) VALUES ((${2 ** 31 - 1} << 32) | ?, ?)`);
    for (const record of records) insert.run(record.seq, JSON.stringify(record));
    db.close();
    const store = sqliteStore(path);
    expect(await store.read('r')).toEqual(records);
    const more = batchOf('r', 1501, { count: 2 });
    await store.append(more);
    expect(await store.read('r', 1501)).toEqual(more.records);
    await store.close();
  });

  it('refuses a program of that version that still has it open', async () => {
    const path = await earlier('open');
    const old = connect(path, { readOnly: false });
    old.exec('SELECT 1');
    const store = sqliteStore(path);
    expect(() => old.exec(`INSERT INTO records (key, record) VALUES (1 << 32 | 999, '{}')`)).toThrow('records.sum');
    expect(() => old.exec(`INSERT INTO messages (run, message) VALUES (1, '{}')`)).toThrow(
      'a later version of phasegate',
    );
    old.close();
    expect((await verifyRun(store, 'one')).problems).toEqual([]);
    await store.close();
  });
});

/** The columns of each table of that version. */
const EARLIER = [
  ['runs', 'key, id, seq, pipeline, status, started_at, updated_at, info'],
  ['records', 'key, record'],
  ['items', 'key, id, run, opened_at, open, item'],
  ['messages', 'id, run, answers, message'],
] as const;
