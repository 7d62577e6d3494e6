/** `phasegate move`: runs from a file into another one, and into a database. */
import { link, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { approve, readRun } from '../../src/index.ts';
import { answerItem } from '../../src/inbox.ts';
import { postgresStore } from '../../src/postgres.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { connect } from '../../src/store/sqlite/driver.ts';
import type { RunStore } from '../../src/store.ts';
import { serverMissing, startServer } from '../postgres/server.ts';
import { files, phasegate } from './cli.ts';

const PIPELINE = `
import { definePipeline, human, phase, task } from 'phasegate';
const draft = phase('draft', { tasks: [task('write', { run: async () => 'a text '.repeat(9000) })], review: human({ question: 'Good?' }) });
const print = phase('print', { after: [draft], tasks: [task('set', { run: async () => 'set' })] });
export default definePipeline({ name: 'essay', phases: [draft, print] });
`;

const missing = serverMissing();

describe('phasegate move', () => {
  /** A store with a run that is completed, one that waits, and one that waits with an answer. */
  async function filled() {
    const cwd = await files({ 'p.mjs': PIPELINE });
    for (const id of ['done', 'waits', 'answered']) await phasegate(['run', 'p.mjs', '--run-id', id], { cwd });
    const store = sqliteStore(join(cwd, '.phasegate/runs.db'));
    onTestFinished(async () => store.close());
    for (const id of ['done', 'answered']) {
      const [item] = await store.inbox({ runId: id, open: true });
      await answerItem(store, item?.id ?? '', { type: 'decide', decision: approve() }, { by: 'ada' });
      if (id === 'done') expect((await phasegate(['resume', 'done'], { cwd })).code).toBe(0);
    }
    return { cwd, store };
  }

  async function contents(store: RunStore) {
    const runs = await store.runs();
    return Promise.all(
      runs.map(async (run) => ({
        run: { ...run, lease: undefined },
        records: await readRun(store, run.runId),
        items: await store.inbox({ runId: run.runId }),
        // A run that has ended needs no messages.
        messages: run.status === 'running' ? (await store.messages(run.runId)).map((one) => ({ ...one, id: 0 })) : [],
      })),
    );
  }

  async function expectMoved(target: RunStore, name: string, env: Readonly<Record<string, string>> = {}) {
    const { cwd, store } = await filled();
    const before = await contents(store);
    expect(await phasegate(['move', name], { cwd })).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^3 runs moved to /u) as string,
      stderr: '',
    });
    expect(await store.runs()).toEqual([]);
    expect(await contents(target)).toEqual(before);
    expect((await phasegate(['resume', 'answered', '--store', name], { cwd, env })).code).toBe(0);
    expect((await phasegate(['verify', '--store', name], { cwd, env })).code).toBe(0);
    expect((await phasegate(['move', name], { cwd })).stdout).toMatch(/^0 runs moved/u);
  }

  it('moves runs with their items and answers into another file', async () => {
    const folder = await files({});
    const file = join(folder, 'other.db');
    const target = sqliteStore(file);
    onTestFinished(async () => target.close());
    await expectMoved(target, file);
  }, 60_000);

  it('moves the wait of a run for a person, which an answer ends', async () => {
    const { cwd } = await filled();
    expect((await phasegate(['move', 'other.db'], { cwd })).code).toBe(0);
    const { stdout } = await phasegate(['doctor', '--store', 'other.db'], { cwd });
    expect(stdout).toMatch(/UNCLAIMED[^]*See answered\./u);
  }, 60_000);

  it.skipIf(missing)(
    `moves them into a database${missing === undefined ? '' : ` (${missing})`}`,
    async () => {
      const server = await startServer();
      onTestFinished(() => server.remove());
      const target = postgresStore({ connectionString: server.address });
      await expectMoved(target, server.address);
      await target.close();
    },
    60_000,
  );

  it('completes a move that was interrupted after a run was copied', async () => {
    const { cwd, store } = await filled();
    const other = join(cwd, 'other.db');
    const records = await readRun(store, 'waits');
    const copy = await phasegate(['export', 'waits', '-o', 'waits.jsonl'], { cwd });
    expect(copy.code).toBe(0);
    expect((await phasegate(['import', 'waits.jsonl', '--store', other], { cwd })).code).toBe(0);
    expect((await phasegate(['move', other], { cwd })).stdout).toMatch(/^3 runs moved/u);
    const target = sqliteStore(other);
    onTestFinished(async () => target.close());
    expect((await target.runs()).length).toBe(3);
    expect(await readRun(target, 'waits')).toEqual(records);
    expect(await store.runs()).toEqual([]);
  }, 60_000);

  it('moves a run together with the runs that its tasks have started, which go on there', async () => {
    const cwd = await files({
      'p.mjs': `${PIPELINE.replace('export default', 'const essay =')}
        export default definePipeline({ name: 'outer', phases: [phase('all', { tasks: [task('write', { pipeline: () => essay })] })] });`,
    });
    await phasegate(['run', 'p.mjs', '--run-id', 'r'], { cwd });
    const store = sqliteStore(join(cwd, '.phasegate/runs.db'));
    onTestFinished(async () => store.close());
    const before = await contents(store);
    expect(before.length).toBe(2);
    // The open item is that of the run of the task, and its answer goes with it.
    const [item] = await store.inbox({ open: true });
    expect(item?.runId).toMatch(/^r\/.+/u);
    await answerItem(store, item?.id ?? '', { type: 'decide', decision: approve() });
    const other = join(cwd, 'other.db');
    // A move that is cut off leaves no run without the one above.
    const file = connect(join(cwd, '.phasegate/runs.db'), { readOnly: false });
    onTestFinished(() => file.close());
    file.exec("CREATE TRIGGER cut BEFORE DELETE ON runs WHEN old.id <> 'r' BEGIN SELECT RAISE(ABORT, 'cut off'); END");
    expect((await phasegate(['move', other], { cwd })).code).not.toBe(0);
    expect((await store.runs()).length).toBe(2);
    file.exec('DROP TRIGGER cut');
    expect((await phasegate(['move', other], { cwd })).stdout).toMatch(/^2 runs moved/u);
    expect(await store.runs()).toEqual([]);
    const target = sqliteStore(other);
    onTestFinished(async () => target.close());
    expect((await contents(target)).map(({ run, records }) => ({ run, records }))).toEqual(
      before.map(({ run, records }) => ({ run, records })),
    );
    expect((await phasegate(['resume', 'r', '--store', other], { cwd })).code).toBe(0);
    expect((await target.runs({ status: ['completed'] })).length).toBe(2);
  }, 60_000);

  it('leaves a run that the other store has with other records', async () => {
    const { cwd, store } = await filled();
    const other = join(cwd, 'other.db');
    await phasegate(['run', 'p.mjs', '--run-id', 'waits', '--store', other], { cwd });
    const { code, stdout, stderr } = await phasegate(['move', other], { cwd });
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringMatching(/^2 runs moved to .*; 1 run could not be moved\n$/u) as string,
    });
    expect(stderr).toContain('Cannot move run waits as the other store has a run with that id, and other records');
    expect((await store.runs()).map(({ runId, lease }) => [runId, lease])).toEqual([['waits', undefined]]);
  }, 60_000);

  it('leaves a run that a process works on', async () => {
    const { cwd, store } = await filled();
    await store.acquire('waits', 'process 1 on elsewhere', 60_000);
    const { code, stdout, stderr } = await phasegate(['move', 'other.db'], { cwd });
    expect([code, stdout]).toEqual([1, '2 runs moved to other.db; 1 run could not be moved\n']);
    expect(stderr).toContain('Cannot move run waits as process 1 on elsewhere works on it');
  }, 60_000);

  it('gives one error for a store that cannot be used, however many runs there are', async () => {
    const { cwd, store } = await filled();
    const { code, stderr } = await phasegate(['move', 'postgres://ada:secret@127.0.0.1:1/runs'], { cwd });
    expect(code).toBe(2);
    expect(stderr.match(/cannot be reached/gu)).toHaveLength(1);
    expect(stderr).not.toContain('secret');
    expect((await store.runs({ leased: false })).length).toBe(3);
  }, 60_000);

  it('refuses to move runs to where they are', async () => {
    const { cwd, store } = await filled();
    await symlink('.phasegate/runs.db', join(cwd, 'link.db'));
    await link(join(cwd, '.phasegate/runs.db'), join(cwd, 'hard.db'));
    const refused = async (name: string, ...from: readonly string[]) => {
      const { code, stderr } = await phasegate(['move', name, ...from], { cwd });
      return [code, stderr.split('\n', 1)[0]];
    };
    const own = '.phasegate/runs.db';
    const cannot = (from: string, to: string, why: string) => [2, `Cannot move runs from ${from} to ${to} as ${why}`];
    expect(await refused(own)).toEqual(cannot(own, own, 'both are the same store'));
    expect(await refused('link.db')).toEqual(cannot(own, 'link.db', 'both are the same store'));
    expect(await refused('hard.db')).toEqual(cannot(own, 'hard.db', 'both are the same store'));
    expect(await refused(own, '--store', 'link.db')).toEqual(cannot('link.db', own, 'both are the same store'));
    expect(await refused('memory')).toEqual(cannot(own, 'memory', 'that is no store'));
    expect((await store.runs({ leased: false })).length).toBe(3);
  }, 60_000);
});
