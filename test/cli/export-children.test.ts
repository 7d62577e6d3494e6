/** `phasegate export` and `phasegate import` of a run together with those that its tasks have started. */
import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished, describe, expect, it } from 'vitest';
import { readRun } from '../../src/index.ts';
import { restoreRuns } from '../../src/runtime/records/restore-runs.ts';
import { postgresStore } from '../../src/postgres.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { readArchive } from '../../src/cli/load/read-archive.ts';
import { connect } from '../../src/store/sqlite/driver.ts';
import { serverMissing, startServer } from '../postgres/server.ts';
import { containing, idIn, matching } from './article.ts';
import { files, phasegate } from './cli.ts';

const PIPELINE = `
import { appendFileSync } from 'node:fs';
import { definePipeline, human, phase, task } from 'phasegate';
const pay = phase('pay', { tasks: [task('bill', { run: () => { appendFileSync(new URL('paid', import.meta.url), 'x'); return 1; } })] });
const ask = phase('ask', { after: [pay], tasks: [task('who', { run: human({ question: 'Who?' }) })] });
const inner = definePipeline({ name: 'inner', phases: [pay, ask] });
const middle = definePipeline({ name: 'middle', phases: [phase('m', { tasks: [task('in', { pipeline: () => inner })] })] });
export default definePipeline({ name: 'outer', phases: [phase('o', { tasks: [task('in', { pipeline: () => middle })] })] });
`;

const MIDDLE = 'r/o/0/0/task/in';
const missing = serverMissing();
const INNER = 'r%2Fo%2F0%2F0%2Ftask%2Fin/m/0/0/task/in';

describe('an archive of a run whose tasks have started others', () => {
  /** A run that waits in a run two levels below it, and its archive. */
  async function exported() {
    const cwd = await files({
      'p.mjs': PIPELINE,
      'middle.mjs': `${PIPELINE.split('\nexport')[0] ?? ''}\nexport default middle;`,
    });
    await phasegate(['run', 'p.mjs', '--run-id', 'r'], { cwd });
    // Another run, whose id begins alike, is no part of it.
    await phasegate(['run', 'p.mjs', '--run-id', 'r2'], { cwd });
    const said = await phasegate(['export', 'r', '-o', 'r.jsonl'], { cwd });
    expect(said).toMatchObject({
      code: 0,
      stdout: containing('of "outer", with 2 runs of its tasks, is in r.jsonl\n'),
    });
    const text = await readFile(join(cwd, 'r.jsonl'), 'utf8');
    const opened = (name: string) => {
      const store = sqliteStore(join(cwd, name));
      onTestFinished(async () => store.close());
      return store;
    };
    return { cwd, text, opened };
  }

  /** Answers the question of the run below one in a store, and resumes that one to its end. */
  async function finish(cwd: string, item: string, root: string, store: string, pipeline = 'p.mjs') {
    await phasegate(['inbox', 'answer', item, '--value', '"ada"', '--store', store], { cwd });
    return phasegate(['resume', root, pipeline, '--store', store], { cwd });
  }

  it('has the runs of all levels, and the run goes on in another store with what they have done', async () => {
    const { cwd, text, opened } = await exported();
    expect((await phasegate(['export', 'r'], { cwd })).stdout).toBe(text);
    expect(await phasegate(['import', 'r.jsonl', '--store', 'other.db'], { cwd })).toMatchObject({
      code: 0,
      stdout: matching(/^run r of "outer", with 2 runs of its tasks, imported\nseal \w{64}\n$/u),
      stderr: '',
    });
    const [here, there] = [opened('.phasegate/runs.db'), opened('other.db')];
    expect((await there.runs()).map(({ runId }) => runId).toSorted()).toEqual(['r', MIDDLE, INNER].toSorted());
    for (const id of ['r', MIDDLE, INNER]) {
      expect(await readRun(there, id)).toEqual(await readRun(here, id));
      expect(await there.inbox({ runId: id })).toEqual(await here.inbox({ runId: id }));
    }
    const [item] = await there.inbox({ open: true });
    expect((await finish(cwd, item?.id ?? '', 'r', 'other.db')).code).toBe(0);
    // Each of the two runs has paid once, before the export.
    expect(await readFile(join(cwd, 'paid'), 'utf8')).toBe('xx');
    expect((await phasegate(['verify', '--store', 'other.db'], { cwd })).code).toBe(0);
  }, 60_000);

  it.each([
    ['the run', 'r'],
    ['a run of its tasks', INNER],
  ])(
    'gives all of them other ids if another run has the id of %s',
    async (_name, kept) => {
      const { cwd, opened } = await exported();
      const store = opened('.phasegate/runs.db');
      const [open] = await store.inbox({ runId: INNER });
      await phasegate(['inbox', 'answer', open?.id ?? '', '--value', '"bob"'], { cwd });
      await phasegate(['resume', 'r', 'p.mjs'], { cwd });
      for (const id of ['r', MIDDLE, INNER]) if (id !== kept) await store.remove(id);
      const said = await phasegate(['import', 'r.jsonl'], { cwd });
      expect(said.stdout).toContain(`, with 2 runs of its tasks, imported, as the store has a run ${kept} already\n`);
      const copy = idIn(said);
      const [item] = (await store.inbox({ open: true })).filter(({ runId }) => runId.startsWith(`${copy}%2F`));
      expect((await finish(cwd, item?.id ?? '', copy, '.phasegate/runs.db')).code).toBe(0);
      expect(await readFile(join(cwd, 'paid'), 'utf8')).toBe('xx');
      const named = await phasegate(['import', 'r.jsonl', '--run-id', 'r'], { cwd });
      expect(named).toMatchObject({ code: 2, stderr: containing(`Cannot import run ${kept} as the store has a run`) });
      expect(await phasegate(['import', 'r.jsonl', '--run-id', 'mine'], { cwd })).toMatchObject({ code: 0 });
      expect(await store.run(MIDDLE.replace('r/', 'mine/'))).toMatchObject({ pipeline: 'middle' });
      expect((await phasegate(['verify'], { cwd })).code).toBe(0);
    },
    60_000,
  );

  it('is stored from below, and the same import completes one that was cut off', async () => {
    const { cwd, text, opened } = await exported();
    const runs = await readArchive('r.jsonl', linesOf(text));
    const store = opened('other.db');
    const cut = { ...store };
    const seen: unknown[] = [];
    const append: typeof store.append = async (batch, lease) => {
      const { runId } = batch;
      if (runId === 'r') {
        for (const id of [INNER, MIDDLE]) seen.push((await store.run(id))?.lease !== undefined);
        throw new Error('cut off');
      }
      seen.push(runId);
      await store.append(batch, lease);
    };
    await expect(restoreRuns({ ...cut, append }, runs, 'r', false)).rejects.toThrow('cut off');
    // Nobody can continue a run before the one above is there.
    expect(seen).toEqual([INNER, MIDDLE, true, true]);
    expect(await store.runs({ leased: true })).toEqual([]);
    expect(await store.run('r')).toBeUndefined();
    expect(await phasegate(['import', 'r.jsonl', '--store', 'other.db', '--run-id', 'r'], { cwd })).toMatchObject({
      code: 0,
      stdout: matching(/^run r of "outer", with 2 runs of its tasks, imported\n/u),
    });
    expect((await store.runs()).map(({ runId }) => runId).toSorted()).toEqual(['r', MIDDLE, INNER].toSorted());
    const [item] = await store.inbox({ open: true });
    expect((await finish(cwd, item?.id ?? '', 'r', 'other.db')).code).toBe(0);
    expect(await readFile(join(cwd, 'paid'), 'utf8')).toBe('xx');
  }, 60_000);

  it('is completed by the same import under the other ids that it had got', async () => {
    const { cwd, text, opened } = await exported();
    const runs = await readArchive('r.jsonl', linesOf(text));
    const store = opened('.phasegate/runs.db');
    const before = new Set((await store.runs()).map(({ runId }) => runId));
    let count = 0;
    const append: typeof store.append = (batch, lease) => {
      count += 1;
      if (count > 1) throw new Error('cut off');
      return store.append(batch, lease);
    };
    await expect(restoreRuns({ ...store, append }, runs, 'r', false)).rejects.toThrow('cut off');
    const idsOfImport = async () => {
      const said = await phasegate(['import', 'r.jsonl'], { cwd });
      expect(said).toMatchObject({ code: 0, stdout: containing('imported, as the store has a run r already\n') });
      return idIn(said);
    };
    const [first, second] = [await idsOfImport(), await idsOfImport()];
    // A further import is a further copy.
    expect(first).not.toBe(second);
    const added = (await store.runs()).map(({ runId }) => runId).filter((id) => !before.has(id));
    const copies = [first, second].flatMap((id) => ['r', MIDDLE, INNER].map((one) => one.replace(/^r\b/u, id)));
    expect(added.toSorted()).toEqual(copies.toSorted());
  }, 60_000);

  it('gets other ids if another import takes its own meanwhile, or is refused if it is named', async () => {
    const { text, opened } = await exported();
    const runs = await readArchive('r.jsonl', linesOf(text));
    const store = opened('other.db');
    /** Stores the same archive just before the first lease of an import. */
    const overtaken = (id: string) => {
      let isFirst = true;
      const acquire: typeof store.acquire = async (...lease) => {
        if (isFirst) {
          isFirst = false;
          await restoreRuns(store, runs, id, false);
        }
        return store.acquire(...lease);
      };
      return { ...store, acquire };
    };
    const { runId, taken } = await restoreRuns(overtaken('r'), runs, 'r', false);
    expect(taken).toBe('r');
    await expect(restoreRuns(overtaken('named'), runs, 'named', true)).rejects.toMatchObject({ code: 'RUN_EXISTS' });
    const ids = ['r', runId, 'named'].flatMap((id) => [id, MIDDLE.replace('r', id), INNER.replace('r', id)]);
    expect((await store.runs()).map((run) => run.runId).toSorted()).toEqual(ids.toSorted());
    expect(await store.runs({ leased: true })).toEqual([]);
  });

  it('keeps of which run each is a fork, by its new id', async () => {
    const { text, opened } = await exported();
    const [root, middle, inner] = await readArchive('r.jsonl', linesOf(text));
    if (!middle || !inner) throw new Error('a run is missing');
    const forks = [root, { ...middle, origin: { forkOf: INNER } }, { ...inner, origin: { forkOf: 'other' } }] as const;
    const store = opened('other.db');
    await restoreRuns(store, forks, 'x', true);
    const [newMiddle, newInner] = [MIDDLE.replace('r', 'x'), INNER.replace('r', 'x')];
    expect(await store.run(newMiddle)).toMatchObject({ forkOf: newInner });
    expect(await store.run(newInner)).toMatchObject({ forkOf: 'other' });
  });

  it('of one of these runs has those below it', async () => {
    const { cwd, opened } = await exported();
    await phasegate(['export', MIDDLE, '-o', 'm.jsonl'], { cwd });
    expect((await phasegate(['import', 'm.jsonl', '--run-id', 'm', '--store', 'm.db'], { cwd })).code).toBe(0);
    const store = opened('m.db');
    expect((await store.runs()).map(({ runId }) => runId).toSorted()).toEqual(['m', 'm/m/0/0/task/in']);
    const [item] = await store.inbox({ open: true });
    expect((await finish(cwd, item?.id ?? '', 'm', 'm.db', 'middle.mjs')).code).toBe(0);
    expect(await readFile(join(cwd, 'paid'), 'utf8')).toBe('xx');
  }, 60_000);

  it('is as in earlier versions without such runs', async () => {
    const { cwd } = await exported();
    const { stdout } = await phasegate(['export', INNER], { cwd });
    const [header = '', ...rest] = stdout.trimEnd().split('\n');
    const records = Number(/"records":(\d+)/u.exec(header)?.[1]);
    const startedAt = /\d+\}$/u.exec(header)?.[0] ?? '';
    expect(header).toBe(
      `{"phasegate":"run","version":2,"runId":"${INNER}","pipeline":"inner","records":${records},"startedAt":${startedAt}`,
    );
    expect(rest.filter((line) => line.startsWith('{"sha256"'))).toEqual([rest.at(-1)]);
  }, 60_000);

  it('is not made if one of these runs is damaged, and names it', async () => {
    const { cwd } = await exported();
    for (const [change, found] of [
      [
        `UPDATE records SET record = '' WHERE seq = 3 AND run = (SELECT key FROM runs WHERE id = '${INNER}')`,
        'read record 3 of',
      ],
      [`UPDATE runs SET status = 'completed' WHERE id = '${INNER}'`, 'export'],
    ] as const) {
      const db = connect(join(cwd, '.phasegate/runs.db'), { readOnly: false });
      db.exec(change);
      db.close();
      const { code, stderr } = await phasegate(['export', 'r', '-o', 'bad.jsonl'], { cwd });
      expect({ code, stderr }).toEqual({ code: 2, stderr: containing(`Cannot ${found} run ${INNER}`) });
      await expect(stat(join(cwd, 'bad.jsonl'))).rejects.toThrow('ENOENT');
    }
  }, 60_000);

  it.skipIf(missing !== undefined)(
    'is the same from a database, which takes it, too',
    async () => {
      const { cwd, text } = await exported();
      const server = await startServer();
      const store = postgresStore({ connectionString: server.address });
      onTestFinished(async () => {
        await store.close();
        await server.remove();
      });
      const on = ['--store', server.address];
      expect((await phasegate(['import', 'r.jsonl', ...on], { cwd })).code).toBe(0);
      expect((await phasegate(['export', 'r', ...on], { cwd })).stdout).toBe(text);
      expect((await phasegate(['import', 'r.jsonl', '--run-id', 'copy', ...on], { cwd })).code).toBe(0);
      const [item] = (await store.inbox({ open: true })).filter(({ runId }) => runId.startsWith('copy%2F'));
      expect((await finish(cwd, item?.id ?? '', 'copy', server.address)).code).toBe(0);
      expect(await readFile(join(cwd, 'paid'), 'utf8')).toBe('xx');
    },
    120_000,
  );

  it('is refused if a run is missing, twice there, or of another one', async () => {
    const { cwd, text } = await exported();
    const parts = text.split(/(?<=\n)(?=\{"phasegate")/u);
    expect(parts).toHaveLength(3);
    const [root = '', middle = '', inner = ''] = parts;
    await phasegate(['export', 'r2', '-o', 'r2.jsonl'], { cwd });
    const other = (await readFile(join(cwd, 'r2.jsonl'), 'utf8')).split(/(?<=\n)(?=\{"phasegate")/u)[1] ?? '';
    const cases: readonly (readonly [text: string, problem: string])[] = [
      [root, 'it ends after 1 of 3 runs'],
      [root + middle, 'it ends after 2 of 3 runs'],
      [root + middle + inner.slice(0, inner.trimEnd().lastIndexOf('\n')), 'which has its checksum, is missing'],
      [root + middle + inner.replace('Who?', 'Why?'), 'its checksum does not match'],
      [text + middle, 'comes after its end'],
      [root + middle + middle, `run "${MIDDLE}" is there twice`],
      [root + middle + other, 'no task of its run has started run "r2/o/0/0/task/in"'],
    ];
    for (const [content, problem] of [...cases, ...forged(root, middle)]) {
      await writeFile(join(cwd, 'bad.jsonl'), content);
      const { code, stdout, stderr } = await phasegate(['import', 'bad.jsonl', '--store', 'new.db'], { cwd });
      expect([problem, stderr]).toEqual([problem, containing(problem)]);
      expect([stdout, code]).toEqual(['', 2]);
    }
    await expect(stat(join(cwd, 'new.db'))).rejects.toThrow('ENOENT');
  }, 60_000);
});

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.split('\n');
}

/** Changes the header of one run of an archive, and computes its checksum again, as a forger would. Another id has no seal. */
function under(part: string, header: Readonly<Record<string, unknown>>): string {
  const lines = part.trimEnd().split('\n');
  const seal = /"seal":"(\w+)"\}$/u.exec(lines.pop() ?? '')?.[1];
  const first = JSON.stringify({ ...(JSON.parse(lines.shift() ?? '') as object), ...header });
  const { runId } = header;
  const records = lines.map((line) =>
    typeof runId === 'string' ? line.replace(/"runId":"[^"]*"/u, () => `"runId":${JSON.stringify(runId)}`) : line,
  );
  const text = `${[first, ...records].join('\n')}\n`;
  const sha256 = createHash('sha256').update(text).digest('hex');
  return `${text}${JSON.stringify({ sha256, ...(runId === undefined && { seal }) })}\n`;
}

/** Archives whose counts or ids no export has written. */
function forged(root: string, middle: string): readonly (readonly [text: string, problem: string])[] {
  const noHeader = 'line 1 is not the header of a run';
  const notOfIt = (id: string) => `no task of its run has started run ${JSON.stringify(id)}`;
  const second = (runId: string) => root + middle + under(middle, { runId, version: 1 });
  return [
    ...[0, -1, 1.5, '2', null, 1e99].map((below) => [under(root, { below }), noHeader] as const),
    [under(root, { below: undefined }), noHeader],
    [under(root, { version: 2 }) + middle, noHeader],
    [under(root, { version: 4 }), noHeader],
    [under(root, { below: 2 ** 53 - 1 }), 'it ends after 1 of 9007199254740992 runs'],
    [under(root, { below: 1 }) + middle + middle, 'comes after its end'],
    [under(root, { below: undefined, version: 2 }) + middle, 'comes after its end'],
    [under(middle, { runId: 'r/\uD800/0/0/task/x', version: 1 }), noHeader],
    [second('r%2F\uD800%2F0%2F0%2Ftask%2Fx/o/0/0/task/in'), 'is not the header of a run'],
    [second('r'.repeat(100_001)), 'is not the header of a run'],
    [second('%72/o/0/0/task/in'), 'run "%72/o/0/0/task/in" is there twice'],
    [second('r'), notOfIt('r')],
    [second('r/../../task/x/'), notOfIt('r/../../task/x/')],
    [second('r/o/%30/0/task/in'), notOfIt('r/o/%30/0/task/in')],
    [second(`r/\u001B[2J/0/0/task/${'x'.repeat(50_000)}`), `${'x'.repeat(181)}"\n`],
  ];
}
