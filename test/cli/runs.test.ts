/** Commands that show, move and remove stored runs. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definePipeline, phase, startRun, task, readRun } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import { fingerprint } from '../../src/model/plan/plan.ts';
import { copyRun } from '../../src/runtime/records/copy-run.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { connect } from '../../src/store/sqlite/driver.ts';
import { migrateTables } from '../../src/store/sqlite/schema.ts';
import { batchOf } from '../../src/testing/store/trial.ts';
import { article, containing, idIn, leftAtWork, matching, put, ran, ranTo, startUntil } from './article.ts';
import { files, phasegate, start, untimed } from './cli.ts';

const STORE = '.phasegate/runs.db';

/** Parses lines of JSON. */
function parsed(text: string): readonly unknown[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

describe('phasegate ls', () => {
  it('lists runs, the latest first, by status and pipeline', async () => {
    const cwd = await article('go', 'ask');
    const waiting = await ranTo(cwd, 3);
    await put(cwd, 'other.yaml', 'name: other\nphases: [{ name: a, tasks: [{ name: t, command: [echo, x] }] }]\n');
    await phasegate(['run', 'other.yaml', '--run-id', 'mine'], { cwd });
    const { code, stdout } = await phasegate(['ls'], { cwd });
    expect(
      stdout
        .replace(/[\d.]+s ago/gu, '0.0s ago')
        .replaceAll(/(?<=ago {2})[\d.]+s {3}/gu, '0.0s   ')
        .trimEnd()
        .split('\n'),
    ).toEqual([
      'run                         status          approved  started   worked  used  pipeline',
      'mine                        completed       1/1       0.0s ago  0.0s          other',
      `${waiting}  waiting: draft  1/2       0.0s ago  0.0s          article`,
    ]);
    expect(code).toBe(0);
    const list = async (...flags: readonly string[]) => {
      const { stdout: text } = await phasegate(['ls', '--json', ...flags], { cwd });
      return parsed(text === '' ? '[]' : text).map((run) => Reflect.get(Object(run), 'runId') as unknown);
    };
    expect(await list()).toEqual(['mine', waiting]);
    expect(await list('--status', 'waiting, running')).toEqual([waiting]);
    expect(await list('--status', 'completed')).toEqual(['mine']);
    expect(await list('--pipeline', 'article')).toEqual([waiting]);
    expect(await list('-n', '1')).toEqual(['mine']);
    expect(await list('--status', 'failed')).toEqual([undefined]);
  });

  it.each([
    [['--status', 'done'], 'Use one of queued, running, waiting, suspended'],
    [['-n', '0'], 'must be a whole number above 0'],
    [['-n', 'x'], 'must be a whole number above 0'],
  ])('refuses %j', async (flags, text) => {
    const cwd = await article('go');
    await ranTo(cwd, 0);
    expect(await phasegate(['ls', ...flags], { cwd })).toMatchObject({ code: 2, stderr: containing(text) });
  });

  it('distinguishes runs with a process from those that were left', async () => {
    const cwd = await article();
    const { child, ended } = await startUntil(['run', 'p.mjs'], 'at work', cwd);
    expect((await phasegate(['ls'], { cwd })).stdout).toContain(' running ');
    child.kill('SIGINT');
    await ended;
    expect((await phasegate(['ls'], { cwd })).stdout).toContain(' suspended ');
  });
});

describe('phasegate show', () => {
  it('shows the tree, every attempt, its decisions, and what changed', async () => {
    const cwd = await files({
      'p.mjs': `import { definePipeline, phase, retry, task } from 'phasegate';
        export default definePipeline({ name: 'list', phases: [phase('draft', {
          tasks: [
            task('write', { run: ({ attempt }) => attempt ? 'one\\ntwo\\nthree' : 'one\\nmany\\nthree' }),
            task('title', { run: () => 'Numbers' }),
          ],
          review: ({ attempt }) => attempt ? 'APPROVE' : retry('Count.'),
        })] });`,
    });
    await phasegate(['run', 'p.mjs', '--run-id', 'r1'], { cwd });
    const { code, stdout, stderr } = await phasegate(['show', 'r1'], { cwd });
    const still = stdout
      .replaceAll(cwd, '<cwd>')
      .replace(/[\d.]+s\b/gu, '0.0s')
      .replace(/\d{4}-.*?Z/u, '<time>')
      .replace(/seal [\da-f]{64}/u, 'seal <seal>');
    expect(`\n${still}`).toMatchInlineSnapshot(`
      "
      run r1 of "list"  completed
        started <time>, last record 18 after 0.0s
        seal <seal>
        definition <cwd>/p.mjs

      list  ✓ 1
      ✓ draft  2 tasks  2 attempts  0.0s
      1/1 approved · 1 correction · 0.0s

      draft
        attempt 1  retrying
          write
            one
            many
            three
          title
            Numbers
          verdict: retry: Count.
        attempt 2  approved
          feedback: Count.
          write
            - many
            + two
          title: as before
          verdict: approve
      "
    `);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const [json] = parsed((await phasegate(['show', 'r1', '--json'], { cwd })).stdout);
    expect(json).toMatchObject({
      runId: 'r1',
      standing: 'completed',
      attempts: [
        { phase: 'draft', attempt: 0, end: 'phase.retrying', outputs: { title: 'Numbers' } },
        { phase: 'draft', attempt: 1, end: 'phase.approved', feedback: 'Count.' },
      ],
    });
  });

  it('shows the reason for a failure, and the pending items', async () => {
    const cwd = await article('go', 'ask');
    const id = await ranTo(cwd, 3);
    expect((await phasegate(['show', id], { cwd })).stdout).toContain(
      '‖ draft waits for a person: Legal must see this.',
    );
    await phasegate(['cancel', id, '--reason', 'Not needed any more'], { cwd });
    expect((await phasegate(['show', id], { cwd })).stdout).toContain('Not needed any more');
  });

  it('obeys nothing in names, outputs or errors', async () => {
    const cwd = await files({
      'p.mjs': `import { definePipeline, phase, task } from 'phasegate';
        export default definePipeline({ name: 'list', phases: [phase('draft', {
          tasks: [task('write', { run: () => 'red \\u001b[31m \\u001b]0;title\\u0007' })],
          review: () => 'REJECT: bell \\u0007 \\u001b[2J',
        })] });`,
    });
    await phasegate(['run', 'p.mjs', '--run-id', 'r1'], { cwd });
    // An earlier version has kept a run with this id.
    const store = sqliteStore(join(cwd, STORE));
    await copyRun(store, 'evil \u001B[31m', await readRun(store, 'r1'), { startedAt: Date.now() });
    await store.close();
    for (const args of [['ls'], ['show', 'latest'], ['events', 'latest']]) {
      const { code, stdout } = await phasegate(args, { cwd });
      expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
      expect(code).toBe(0);
    }
  });
});

describe('phasegate events', () => {
  it('prints the output of the run', async () => {
    const cwd = await article('go');
    const run = await phasegate(['run', 'p.mjs'], { cwd });
    const { stdout } = await phasegate(['events', 'latest'], { cwd });
    expect(run.stdout.startsWith(stdout)).toBe(true);
    expect(untimed(stdout).at(-1)).toBe('run completed');
  });

  it('prints records after a number, the same as the run did', async () => {
    const cwd = await article('go');
    const run = await phasegate(['run', 'p.mjs', '--json'], { cwd });
    const records = parsed(run.stdout);
    expect(parsed((await phasegate(['events', 'latest', '--json'], { cwd })).stdout)).toEqual(records);
    expect(parsed((await phasegate(['events', 'latest', '--json', '--from', '5'], { cwd })).stdout)).toEqual(
      records.slice(4),
    );
    expect(await phasegate(['events', 'latest', '--from', '1000'], { cwd })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect(await phasegate(['events', 'latest', '--from', '0'], { cwd })).toMatchObject({ code: 2 });
  });

  it('follows a run of another process until it ends', async () => {
    const cwd = await article();
    const { child, ended } = await startUntil(['run', 'p.mjs', '--json'], 'at work', cwd);
    const follower = await startUntil(['events', 'latest', '--follow', '--json'], 'at work', cwd);
    child.kill('SIGINT');
    const first = await ended;
    await put(cwd, 'go');
    const second = await phasegate(['resume', 'latest', '--json'], { cwd });
    const { code, stdout } = await follower.ended;
    expect(stdout).toBe(first.stdout + second.stdout);
    expect(code).toBe(0);
  });

  it('says that no process works on the run that it follows', async () => {
    const cwd = await article();
    const { child, ended } = await startUntil(['run', 'p.mjs'], 'at work', cwd);
    child.kill('SIGKILL');
    const id = idIn(await ended);
    const follower = start(['events', 'latest', '--follow'], { cwd });
    const [told] = (await once(follower.child.stderr ?? child, 'data')) as [string];
    expect(told).toBe(`phasegate: no process works on the run now; resume with: phasegate resume ${id}\n`);
    await put(cwd, 'go');
    await phasegate(['resume', 'latest'], { cwd });
    expect(await follower.ended).toMatchObject({ code: 0, stderr: told });
  });
});

describe('a huge run', () => {
  const COUNT = 30_000;
  let cwd = '';

  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'phasegate-'));
    const { plan } = definePipeline({ name: 'huge', phases: [phase('p', { tasks: [task('t', { run: () => 1 })] })] });
    const at = { phase: 'p', generation: 0, attempt: 0 };
    const events: readonly RunRecord['event'][] = [
      { type: 'run.started', plan, fingerprint: fingerprint(plan), input: null },
      { type: 'phase.started', ...at },
      { type: 'task.started', ...at, task: 't', try: 1 },
      ...Array.from({ length: COUNT }, (_, index) => ({
        type: 'task.reported' as const,
        ...at,
        task: 't',
        reviewer: false,
        progress: `step ${index}`,
      })),
    ];
    const store = sqliteStore(join(cwd, 'runs.db'));
    const records = events.map((event, index) => ({ runId: 'huge', seq: index + 1, time: index, event }));
    await copyRun(store, 'huge', records, {});
    await store.close();
  });

  afterAll(() => rm(cwd, { recursive: true, force: true }));

  it.each([['events', '--json'], ['events'], ['export']])(
    'is not read to its end if the reader closes the output: %s %s',
    async (...args) => {
      const [name = '', ...flags] = args;
      const { child, ended } = start([name, 'huge', ...flags, '--store', 'runs.db'], { cwd });
      await new Promise((resolve) => child.stdout?.once('data', resolve));
      child.stdout?.destroy();
      const { code, stdout, stderr } = await ended;
      expect(stderr).toBe('');
      expect(stdout.split('\n').length).toBeLessThan(COUNT);
      expect(code).toBe(141);
    },
  );

  it('is shown and exported whole', async () => {
    const flags = ['--store', 'runs.db'];
    const told = await phasegate(['events', 'huge', '--json', ...flags], { cwd });
    expect(told.stdout.trimEnd().split('\n')).toHaveLength(COUNT + 3);
    expect(await phasegate(['show', 'huge', ...flags], { cwd })).toMatchObject({
      code: 0,
      stdout: containing('step 29999'),
    });
    expect(await phasegate(['export', 'huge', '-o', 'huge.jsonl', ...flags], { cwd })).toMatchObject({ code: 0 });
    expect(await phasegate(['import', 'huge.jsonl', ...flags], { cwd })).toMatchObject({ code: 0 });
  });
});

describe('phasegate fork', () => {
  it('makes a run that continues from before a phase', async () => {
    const cwd = await article('go');
    const id = await ranTo(cwd, 0);
    const { code, stdout } = await phasegate(['fork', id, '--at', 'draft'], { cwd });
    const [, fork = ''] = /^run (\w+) is a fork of run /u.exec(stdout) ?? [];
    expect(stdout).toBe(`run ${fork} is a fork of run ${id}\n  resume with: phasegate resume ${fork}\n`);
    expect(code).toBe(0);
    expect((await phasegate(['ls'], { cwd })).stdout.split('\n')[1]).toContain(fork.slice(-8));
    expect(await phasegate(['resume', fork], { cwd })).toMatchObject({ code: 0, stdout: containing('✓ completed') });
    expect(await ran(cwd)).toEqual(['read', 'write', 'write']);
    expect((await phasegate(['show', fork], { cwd })).stdout).toContain(`fork of run ${id}, made `);
  });

  it('may run it at once', async () => {
    const cwd = await article('go');
    await ranTo(cwd, 0);
    const { code, stdout } = await phasegate(['fork', 'latest', '--at', '1', '--run'], { cwd });
    expect(stdout).toContain('2 of 2 phases approved');
    expect(code).toBe(0);
    expect(await ran(cwd)).toEqual(['read', 'write', 'read', 'write']);
  });

  it.each([
    ['0', 'at record 0 as it has no such point'],
    ['999', 'It has records 1 to '],
    ['nope', 'at phase "nope" as it has no such point'],
    ['resaerch', 'Did you mean "research"? Its phases are research, '],
  ])('refuses --at %s', async (at, text) => {
    const cwd = await article('go');
    await ranTo(cwd, 0);
    expect(await phasegate(['fork', 'latest', '--at', at], { cwd })).toMatchObject({
      code: 2,
      stderr: containing(text),
    });
    expect(parsed((await phasegate(['ls', '--json'], { cwd })).stdout)).toHaveLength(1);
  });
});

describe('phasegate cancel', () => {
  it('ends a run that was left, without its pipeline', async () => {
    const cwd = await article();
    const id = await leftAtWork(cwd);
    await put(cwd, 'p.mjs', 'not even JavaScript');
    expect(await phasegate(['cancel', id, '--reason', 'Enough.'], { cwd })).toEqual({
      code: 0,
      stdout: `run ${id} cancelled\n`,
      stderr: '',
    });
    expect(untimed((await phasegate(['events', id], { cwd })).stdout).slice(-3)).toEqual([
      `run ${id} resumed`,
      'draft: cancelled: Enough.',
      'run cancelled: Enough.',
    ]);
    expect(await ran(cwd)).toEqual(['read', 'write', 'aborted']);
    expect(await phasegate(['cancel', id], { cwd })).toMatchObject({
      code: 2,
      stderr: containing('it has ended: cancelled'),
    });
  });

  it('leaves a run that can be retried', async () => {
    const cwd = await article();
    const id = await leftAtWork(cwd);
    await phasegate(['cancel', id], { cwd });
    await put(cwd, 'go');
    expect(await phasegate(['retry', id], { cwd })).toMatchObject({ code: 0, stdout: containing('✓ completed') });
  });

  it('stops the process of the run', async () => {
    const cwd = await article();
    const { child, ended } = await startUntil(['run', 'p.mjs'], 'at work', cwd);
    const { code, stdout, stderr } = await phasegate(['cancel', 'latest', '--reason', 'Enough.'], { cwd });
    expect(stderr).toContain(`process ${child.pid} on `);
    expect(stdout).toMatch(/^run \w+ cancelled\n$/u);
    expect(code).toBe(0);
    expect(await ended).toMatchObject({ code: 1, stdout: containing('run cancelled: Enough.') });
  });

  it('ends a run whose process was killed', async () => {
    const cwd = await article();
    const { child, ended } = await startUntil(['run', 'p.mjs'], 'at work', cwd);
    child.kill('SIGKILL');
    await ended;
    expect(await phasegate(['cancel', 'latest'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('phasegate rm and gc', () => {
  it('remove runs, all or none', async () => {
    const cwd = await article('go');
    const first = await ranTo(cwd, 0);
    const second = await ranTo(cwd, 0);
    expect(await phasegate(['rm', first, 'nope'], { cwd })).toMatchObject({ code: 2, stdout: '' });
    expect(await phasegate(['rm', first, second, first], { cwd })).toEqual({
      code: 0,
      stdout: `removed run ${first} of "article"\nremoved run ${second} of "article"\n`,
      stderr: '',
    });
    expect(await phasegate(['ls'], { cwd })).toMatchObject({ code: 0, stdout: 'no runs\n' });
  });

  it('do not remove a run that a process works on', async () => {
    const cwd = await article();
    const { child, ended } = await startUntil(['run', 'p.mjs'], 'at work', cwd);
    expect(await phasegate(['rm', 'latest'], { cwd })).toMatchObject({
      code: 2,
      stderr: containing(`process ${child.pid} on`),
    });
    child.kill('SIGINT');
    await ended;
  });

  it('remove runs that ended long ago, and list them first', async () => {
    const cwd = await article('go');
    const ended = await ranTo(cwd, 0);
    await put(cwd, 'ask');
    const waiting = await ranTo(cwd, 3);
    expect(await phasegate(['gc', '--keep', '1h'], { cwd })).toMatchObject({ code: 0, stdout: '0 runs removed\n' });
    const dry = await phasegate(['gc', '--keep', '0s', '--dry-run'], { cwd });
    expect(dry.stdout).toContain(ended);
    expect(dry.stdout).not.toContain(waiting);
    expect(dry.stdout).toContain('1 run would be removed\n');
    const wet = await phasegate(['gc', '--keep', '0s'], { cwd });
    expect(wet.stdout).toMatch(
      new RegExp(`^removed run ${ended} of "article"\\n1 run removed(?:, \\d+ kB freed on the disk)?\\n$`, 'u'),
    );
    expect((await phasegate(['ls'], { cwd })).stdout).toContain(waiting);
  });

  it.each(['gc --keep 0s', 'rm large'])('return the space to the disk: %s', async (command) => {
    const cwd = await article('go', 'ask');
    const waiting = await ranTo(cwd, 3);
    const file = join(cwd, STORE);
    const store = sqliteStore(file);
    const artifacts = [{ hash: 'h', content: JSON.stringify('x'.repeat(3_000_000)) }];
    await store.append(batchOf('large', 1, { info: { status: 'completed' }, artifacts }));
    await store.close();
    expect((await stat(file)).size).toBeGreaterThan(3_000_000);
    const { stdout, code } = await phasegate(command.split(' '), { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      command.startsWith('rm')
        ? /^removed run large of "article"\n$/u
        : /^removed run large of "article"\n1 run removed, 3\.\d MB freed on the disk\n$/u,
    );
    expect((await stat(file)).size).toBeLessThan(300_000);
    expect((await phasegate(['ls'], { cwd })).stdout).toContain(waiting);
  });

  it('name the space in a store of an earlier version that was not returned, with the reason', async () => {
    const cwd = await article('ask');
    const file = join(cwd, STORE);
    await mkdir(dirname(file));
    const db = connect(file, { readOnly: false });
    migrateTables(db, 0);
    db.close();
    const store = sqliteStore(file);
    const artifacts = [{ hash: 'h', content: JSON.stringify('x'.repeat(3_000_000)) }];
    await store.append(batchOf('large', 1, { info: { status: 'completed' }, artifacts }));
    const lease = await store.acquire('other', 'somebody', 60_000);
    const { stdout, code } = await phasegate(['gc', '--keep', '0s'], { cwd });
    expect(code).toBe(0);
    expect(stdout.replace(/\d\.\d MB/u, '3.0 MB')).toBe(
      'removed run large of "article"\n1 run removed\n3.0 MB of the store are unused but were not freed: ' +
        'an earlier version created the store, so run gc again while no process works on a run\n',
    );
    await store.release(lease);
    expect((await phasegate(['gc', '--keep', '0s'], { cwd })).stdout).toMatch(
      /^0 runs removed, 3\.\d MB freed on the disk\n$/u,
    );
    await store.close();
  });

  it.each(['', '30', 'd', '-1d', '1y', 'soon'])('refuse the duration %j', async (keep) => {
    const cwd = await article('go');
    await ranTo(cwd, 0);
    const { code, stderr } = await phasegate(['gc', `--keep=${keep}`], { cwd });
    expect(stderr).toMatch(/must be a duration|argument missing/u);
    expect(code).toBe(2);
  });
});

describe('a run whose times are not dates', () => {
  it('is listed and shown', async () => {
    const cwd = await files({});
    const store = sqliteStore(join(cwd, 'odd.db'));
    const pipeline = definePipeline({ name: 'odd', phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });
    await startRun(pipeline, { store, runId: 'r' }).result;
    const records = await readRun(store, 'r');
    await copyRun(
      store,
      'odd',
      records.map((record) => ({ ...record, time: 1e300 })),
      {},
    );
    await store.close();
    for (const command of [['show', 'odd'], ['show', 'odd', '--json'], ['ls'], ['events', 'odd'], ['doctor']]) {
      const { code, stderr } = await phasegate([...command, '--store', 'odd.db'], { cwd });
      expect([command, code, stderr]).toEqual([command, 0, '']);
    }
    const { stdout } = await phasegate(['show', 'odd', '--store', 'odd.db'], { cwd });
    expect(stdout).toContain('started 1e+300, ');
  });
});

describe('phasegate export and import', () => {
  /** Creates a run with an output that is stored apart from its records, and exports it. */
  async function exported(): Promise<{ readonly cwd: string; readonly id: string; readonly text: string }> {
    const cwd = await files({
      'p.mjs': `import { definePipeline, escalate, phase, task } from 'phasegate';
        export default definePipeline({ name: 'big', phases: [
          phase('a', { tasks: [task('t', { run: () => 'x'.repeat(50000) })] }),
          phase('b', { after: ['a'], tasks: [task('t', { run: ({ inputs }) => inputs.a.t + '!' })], review: () => escalate('See.') }),
        ] });`,
    });
    const id = idIn(await phasegate(['run', 'p.mjs'], { cwd }));
    expect(await phasegate(['export', id, '-o', 'run.jsonl'], { cwd })).toMatchObject({ code: 0 });
    return { cwd, id, text: await readFile(join(cwd, 'run.jsonl'), 'utf8') };
  }

  it('move a run to another store, where it continues', async () => {
    const { cwd, id, text } = await exported();
    expect((await stat(join(cwd, 'run.jsonl'))).mode & 0o777).toBe(0o600);
    expect((await phasegate(['export', id], { cwd })).stdout).toBe(text);
    const lines = (await phasegate(['events', id, '--json'], { cwd })).stdout;
    const seal = createHash('sha256').update(lines).digest('hex');
    expect(text).toContain(`"seal":"${seal}"}`);
    expect(await phasegate(['import', 'run.jsonl', '--store', 'other.db'], { cwd })).toEqual({
      code: 0,
      stdout: `run ${id} of "big" imported\nseal ${seal}\n`,
      stderr: '',
    });
    const here = sqliteStore(join(cwd, STORE), { readOnly: true });
    const there = sqliteStore(join(cwd, 'other.db'), { readOnly: true });
    expect(await readRun(there, id)).toEqual(await readRun(here, id));
    expect(await there.inbox()).toEqual(await here.inbox());
    // The path of the definition is not exported. The user names it after the import.
    expect(await there.run(id)).toEqual({ ...(await here.run(id)), source: undefined });
    await here.close();
    await there.close();
    expect(await phasegate(['resume', id, '--store', 'other.db'], { cwd })).toMatchObject({
      code: 2,
      stderr: containing(`Name the file: phasegate resume ${id} <pipeline>`),
    });
    expect(await phasegate(['resume', id, 'p.mjs', '--store', 'other.db'], { cwd })).toMatchObject({ code: 3 });
  });

  it('keep text that looks like the end of a line', async () => {
    const cwd = await files({});
    const text = 'a\u2028b\u2029c\r\nd\u0085e';
    const pipeline = definePipeline({
      name: 'ends',
      phases: [phase('a', { tasks: [task('t', { run: () => text })] })],
    });
    const store = sqliteStore(join(cwd, 'here.db'));
    await startRun(pipeline, { store, runId: 'r' }).result;
    expect(await phasegate(['export', 'r', '-o', 'r.jsonl', '--store', 'here.db'], { cwd })).toMatchObject({ code: 0 });
    expect(await phasegate(['import', 'r.jsonl', '--store', 'there.db'], { cwd })).toMatchObject({ code: 0 });
    const there = sqliteStore(join(cwd, 'there.db'), { readOnly: true });
    expect(await readRun(there, 'r')).toEqual(await readRun(store, 'r'));
    await there.close();
    await store.close();
  });

  it('run nothing that the file names', async () => {
    const { cwd, id, text } = await exported();
    await put(cwd, 'evil.mjs', `import { writeFileSync } from 'node:fs'; writeFileSync('evil', '');`);
    const named = text.replace('"version":2,', `"version":2,"source":${JSON.stringify(join(cwd, 'evil.mjs'))},`);
    await put(cwd, 'named.jsonl', withChecksum(named));
    expect(await phasegate(['import', 'named.jsonl', '--store', 'other.db'], { cwd })).toMatchObject({ code: 0 });
    expect(await phasegate(['resume', id, '--store', 'other.db'], { cwd })).toMatchObject({ code: 2, stdout: '' });
    await expect(stat(join(cwd, 'evil'))).rejects.toThrow('ENOENT');
  });

  it('give a run another id if its own is taken, and read standard input', async () => {
    const { cwd, id, text } = await exported();
    const { code, stdout } = await phasegate(['import', '-'], { cwd, input: text });
    const said = new RegExp(
      `^run (\\w{26}) of "big" imported, as the store has a run ${id} already\nseal (\\w{64})\n$`,
      'u',
    );
    expect(stdout).toMatch(said);
    expect(code).toBe(0);
    const [, copy = '', seal] = said.exec(stdout) ?? [];
    expect((await phasegate(['verify', copy], { cwd })).stdout).toContain(`seal ${seal}`);
    expect(parsed((await phasegate(['ls', '--json'], { cwd })).stdout)).toHaveLength(2);
  });

  it('refuse an incomplete or altered run', async () => {
    const { cwd, text } = await exported();
    const lines = text.trimEnd().split('\n');
    const changed = (at: number, change: (line: string) => string) =>
      lines.map((line, index) => (index === at ? change(line) : line)).join('\n');
    const cases: readonly (readonly [text: string, problem: string])[] = [
      ['', 'it is empty'],
      ['Dear diary', 'line 1 is no JSON'],
      ['{}', 'line 1 is not the header of a run'],
      [changed(0, (line) => line.replace('"version":2', '"version":3')), 'line 1 is not the header of a run'],
      [lines.slice(0, -1).join('\n'), 'the last line, which has its checksum, is missing'],
      [lines.toSpliced(-2, 1).join('\n'), `it ends after ${lines.length - 5} of ${lines.length - 4} records`],
      [text.slice(0, -20), 'is no JSON'],
      [`${text}\n{}`, 'comes after its end'],
      [text.replace('See.', 'Fine.'), 'its checksum does not match'],
      [changed(2, (line) => line.replace(/"time":\d+/u, '"time":1')), 'its checksum does not match'],
      [withChecksum(changed(2, (line) => line.replace(/"time":\d+/u, '"time":1e300'))), 'is no record: time'],
      [lines.toSpliced(2, 1).join('\n'), 'has record 3 where record 2 is due'],
      [changed(lines.length - 2, (line) => line.replace(/"seq":\d+/u, '"seq":1')), 'has record 1 where record'],
      [changed(lines.length - 2, (line) => line.replace(/"runId":"\w+"/u, '"runId":"x"')), 'is of another run'],
      [changed(lines.length - 2, (line) => line.replace(/"type":"[\w.]+"/u, '"type":"phase.eaten"')), 'is no record'],
      [text.replace('xxxxx', 'xxyxx'), 'does not match its hash'],
      [lines.filter((line) => !line.startsWith('{"hash"')).join('\n'), 'which is not there'],
      [withContent(text, 'no JSON'), 'the content in line 5 is no JSON'],
      [
        withChecksum(text.replaceAll('"concurrency":"unlimited"', '"concurrency":7')),
        'the plan in record 1 does not match its fingerprint',
      ],
      [withChecksum(text, 2), 'it has no seal'],
      [
        withChecksum(text.replace('See.', 'Fine.'), 2, /"seal":"(\w+)"/u.exec(text)?.[1]),
        'its records do not have its seal',
      ],
      [
        withChecksum(text.replace('"type":"run.started"', '"more":1,"type":"run.started"')),
        'has fields of a later version',
      ],
      [withChecksum(text.replace('"because":"unreviewed"', '"because":"approved"')), 'no run can have written these'],
    ];
    for (const [content, problem] of cases) {
      await writeFile(join(cwd, 'bad.jsonl'), content);
      const { code, stdout, stderr } = await phasegate(['import', 'bad.jsonl', '--store', 'new.db'], { cwd });
      expect([problem, stderr]).toEqual([problem, containing(problem)]);
      expect(stderr).not.toContain('    at ');
      expect([stdout, code]).toEqual(['', 2]);
    }
    await expect(stat(join(cwd, 'new.db'))).rejects.toThrow('ENOENT');
    expect(await phasegate(['import', 'nope.jsonl'], { cwd })).toMatchObject({
      code: 2,
      stderr: containing('Cannot read "nope.jsonl"'),
    });
    expect(await phasegate(['export', 'latest', '-o', '.'], { cwd })).toMatchObject({
      code: 2,
      stderr: containing('Cannot write "."'),
    });
    const missing = await phasegate(['export', 'latest', '-o', 'no/r.jsonl'], { cwd });
    expect(missing.stderr).toMatch(/^Cannot write "no\/r\.jsonl": ENOENT.*no\/r\.jsonl'\n/u);
    expect(missing.stderr).not.toContain('.part');
  });
});

describe('every command for runs', () => {
  const COMMANDS = [
    ['resume', 'none'],
    ['retry', 'none'],
    ['show', 'none'],
    ['events', 'none'],
    ['fork', 'none', '--at', '1'],
    ['cancel', 'none'],
    ['rm', 'none'],
    ['export', 'none'],
  ] as const;

  it('refuses an unknown run', { timeout: 120_000 }, async () => {
    const cwd = await article('go');
    await ranTo(cwd, 0);
    for (const command of COMMANDS) {
      const { code, stdout, stderr } = await phasegate(command, { cwd });
      expect([command, stderr]).toEqual([
        command,
        matching(/^Cannot find run "none" as no id in the store .* is that/u),
      ]);
      expect([stdout, code]).toEqual(['', 2]);
    }
  });

  it('refuses a missing store, and creates none', { timeout: 120_000 }, async () => {
    const cwd = await article('go');
    await ranTo(cwd, 0);
    await truncate(join(cwd, STORE), 3000);
    for (const command of [...COMMANDS, ['ls'], ['gc', '--keep', '1d']]) {
      const broken = await phasegate(command, { cwd });
      expect([command, broken.stderr]).toEqual([command, matching(/^Cannot .*\n.*\nDocs: /su)]);
      expect(broken.stderr).not.toContain('    at ');
      expect([broken.stdout, broken.code]).toEqual(['', 2]);
      const missing = await phasegate([...command, '--store', 'none.db'], { cwd });
      expect([command, missing.stderr]).toEqual([command, containing('there is no such file')]);
      expect(missing.code).toBe(2);
    }
    await expect(stat(join(cwd, 'none.db'))).rejects.toThrow('ENOENT');
  });
});

/** Recomputes the checksum of a file, as a forger would. */
function withChecksum(text: string, version = 1, seal?: string): string {
  const lines = text
    .replace('"version":2', `"version":${version}`)
    .trimEnd()
    .split('\n')
    .slice(0, -1)
    .map((line) => `${line}\n`);
  const sha256 = createHash('sha256').update(lines.join('')).digest('hex');
  return `${lines.join('')}${JSON.stringify({ sha256, seal })}\n`;
}

/** Puts another content under a hash of its own in place of the first one, as a forger would. */
function withContent(text: string, content: string): string {
  const old = /"hash":"(\w+)"/u.exec(text)?.[1] ?? '';
  const hash = createHash('sha256').update(content).digest('hex');
  const lines = text
    .split('\n')
    .map((line) => (line.startsWith(`{"hash":"${old}"`) ? JSON.stringify({ hash, content }) : line));
  return withChecksum(lines.join('\n').replaceAll(old, hash));
}
