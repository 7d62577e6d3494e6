/** Runs that outlive their process: stopped, killed, waiting, resumed, retried. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  article,
  containing,
  containingFields,
  idIn,
  leftAtWork,
  put,
  ran,
  ranTo,
  startUntil,
  matching,
  untilExists,
} from './article.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { main, phasegate, untimed } from './cli.ts';

describe('a run that is stopped', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('by %s is left in good order, and resumed', async (signal, expected) => {
    const cwd = await article();
    const { child, ended } = await startUntil(['run', 'p.mjs'], 'at work', cwd);
    child.kill(signal);
    const { code, stdout, stderr } = await ended;
    const id = idIn({ stdout });
    expect(stdout.trimEnd().split('\n').slice(-3)).toEqual([
      matching(/^◌ suspended in .*: 1 of 2 phases approved, 2 attempts {2}run /u),
      '  stored in .phasegate/runs.db',
      `  resume with: phasegate resume ${id}`,
    ]);
    expect(stderr).toBe('');
    expect(code).toBe(expected);
    expect(await ran(cwd)).toEqual(['read', 'write', 'aborted']);

    await put(cwd, 'go');
    const resumed = await phasegate(['resume', id], { cwd });
    expect(untimed(resumed.stdout)).toEqual([
      `run ${id} resumed`,
      'draft: write started',
      'draft: write at work',
      'draft: write done',
      'draft: review',
      'draft: verdict: approve',
      'draft: approved',
      'run completed',
      matching(/^✓ completed in .*: 2 of 2 phases approved, 2 attempts(?:, \S+ at work)? {2}run /u),
      '  draft / write',
      '    text',
      '  stored in .phasegate/runs.db',
    ]);
    expect(resumed.code).toBe(0);
    expect(await ran(cwd)).toEqual(['read', 'write', 'aborted', 'write']);
  });

  it('twice ends at once, and can be resumed at once', async () => {
    const cwd = await article();
    // The command ignores its signal, so the first Ctrl-C has to wait.
    await put(cwd, 'deaf.yaml', DEAF);
    const { child, ended } = await startUntil(['run', 'deaf.yaml'], 'write started', cwd);
    await untilExists(cwd, 'deaf');
    const told = untilExists(cwd, 'told');
    child.kill('SIGINT');
    await told;
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect(stdout).not.toContain('suspended');
    expect(code).toBe(130);
    await put(cwd, 'go');
    expect(await phasegate(['resume', 'latest'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  });

  it('by kill -9 is resumed at once, although it did not release its lease', async () => {
    const cwd = await article();
    const { child, ended } = await startUntil(['run', 'p.mjs'], 'at work', cwd);
    child.kill('SIGKILL');
    const { stdout } = await ended;
    await put(cwd, 'go');
    const resumed = await phasegate(['resume', idIn({ stdout })], { cwd });
    expect(resumed).toMatchObject({ code: 0, stderr: '' });
    expect(await ran(cwd)).toEqual(['read', 'write', 'write']);
  });

  it('by a closed output is left as well, and says so on the error stream', async () => {
    const cwd = await article();
    await put(
      cwd,
      'chatty.mjs',
      `import { definePipeline, phase, task } from 'phasegate';
      export default definePipeline({ name: 'chatty', phases: [phase('talk', { tasks: [task('talk', {
        run: ({ report, signal }) => new Promise((_, no) => {
          const talk = setInterval(() => report({ progress: 'blah' }), 1);
          signal.addEventListener('abort', () => { clearInterval(talk); no(signal.reason); });
        }),
      })] })] });`,
    );
    const shell = `"${process.execPath}" "${main}" run chatty.mjs | head -n 1; exit \${PIPESTATUS[0]}`;
    const ended = await new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      const child = execFile(
        'bash',
        ['-c', shell],
        { cwd, env: { ...process.env, PHASEGATE_STORE: undefined } },
        (_, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
      );
    });
    expect(ended.stderr).toContain(`resume with: phasegate resume ${idIn(ended)}`);
    expect(ended.code).toBe(141);
  });

  it('prints only records with --json, and old ones once', async () => {
    const cwd = await article();
    const { child, ended } = await startUntil(['run', 'p.mjs', '--json'], 'at work', cwd);
    child.kill('SIGINT');
    const first = await ended;
    await put(cwd, 'go');
    const second = await phasegate(['resume', 'latest', '--json'], { cwd });
    const records = (first.stdout + second.stdout)
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(records).toEqual(records.map((_, index) => containingFields({ seq: index + 1 })));
    expect(records[0]).toMatchObject({ runId: matching(/^\w{26}$/u), event: { type: 'run.started' } });
    expect(first.stderr).toContain('resume with: phasegate resume ');
  });
});

describe('a run without a store', () => {
  it.each([
    ['--no-store', '--store', 'f.db'],
    ['--store', 'f.db', '--no-store'],
    ['--memory', 'team', '--no-memory'],
  ])('is refused with flags that contradict each other: %s %s %s', async (...flags) => {
    const cwd = await article('go');
    const { code, stderr } = await phasegate(['run', 'p.mjs', ...flags], { cwd });
    const [name] = /store|memory/u.exec(flags.join(' ')) ?? [];
    expect(code).toBe(2);
    expect(stderr).toMatch(
      new RegExp(`^error: option '--(?:no-)?${name}' cannot be used with option '--(?:no-)?${name}'`, 'u'),
    );
    expect(await readdir(cwd)).not.toContain('f.db');
    const env = { PHASEGATE_STORE: 'f.db' };
    expect((await phasegate(['run', 'p.mjs', '--no-store'], { cwd, env })).code).toBe(0);
    expect(await readdir(cwd)).not.toContain('f.db');
  });

  it.each([
    ['--no-store', ['--no-store'], {}],
    ['--store memory', ['--store', 'memory'], {}],
  ])('is cancelled by Ctrl-C: %s', async (_, flags) => {
    const cwd = await article();
    const { child, ended } = await startUntil(['run', 'p.mjs', ...flags], 'at work', cwd);
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect(stdout).toContain('⊘ cancelled');
    expect(stdout).not.toContain('stored in');
    expect(code).toBe(130);
    expect(await phasegate(['ls'], { cwd })).toMatchObject({
      code: 2,
      stderr: containing('no run was stored in this folder yet'),
    });
  });
});

describe('a run that waits for a person if nobody can be asked', () => {
  it('is left, prints the command that answers, and waits again when it is resumed', async () => {
    const cwd = await article('go', 'ask');
    const { code, stdout, stderr } = await phasegate(['run', 'p.mjs'], { cwd });
    const id = idIn({ stdout });
    expect(stdout.trimEnd().split('\n').slice(-4)).toEqual([
      '  ‖ draft waits for a person: Legal must see this.',
      matching(new RegExp(`^    answer with: phasegate inbox answer ${id}:\\d+$`, 'u')),
      '  stored in .phasegate/runs.db',
      `  resume with: phasegate resume ${id}`,
    ]);
    expect(stderr).toBe('');
    expect(code).toBe(3);
    const again = await phasegate(['resume', id], { cwd });
    expect(untimed(again.stdout)[0]).toBe(`run ${id} resumed`);
    expect(again.code).toBe(3);
    expect(await ran(cwd)).toEqual(['read', 'write']);
  });

  it('finishes all other work first', async () => {
    const cwd = await article();
    await put(
      cwd,
      'both.mjs',
      `import { definePipeline, escalate, phase, task } from 'phasegate';
      const slow = task('work', { run: () => new Promise((done) => setTimeout(done, 300, 'done')) });
      export default definePipeline({ name: 'both', phases: [
        phase('asks', { tasks: [task('work', { run: () => 1 })], review: () => escalate('See.') }),
        phase('works', { tasks: [slow] }),
      ] });`,
    );
    const { code, stdout } = await phasegate(['run', 'both.mjs'], { cwd });
    expect(untimed(stdout)).toContain('works: approved without review');
    expect(stdout).toContain('1 of 2 phases approved');
    expect(code).toBe(3);
  });

  it('continues with --wait as soon as another process answers', async () => {
    const cwd = await article('go', 'ask');
    const { child, ended } = await startUntil(['run', 'p.mjs', '--wait'], 'waits for a person', cwd);

    const store = sqliteStore(join(cwd, '.phasegate/runs.db'));
    const [item] = await store.inbox({ open: true });
    expect(item?.about).toBe('draft');
    await store.post({
      runId: item?.runId ?? '',
      kind: 'answer',
      item: item?.id,
      body: { reply: { type: 'decide', decision: { type: 'approve' } } },
      by: 'legal',
      time: Date.now(),
    });
    await store.close();
    expect(await ended).toMatchObject({ code: 0, stdout: containing('✓ completed') });
    expect(child.exitCode).toBe(0);
  });
});

describe('phasegate retry', () => {
  it('runs phases again that were not approved', async () => {
    const cwd = await article('go', 'no');
    const ended = await phasegate(['run', 'p.mjs'], { cwd });
    const id = idIn(ended);
    expect(ended.stdout).toContain(`  retry unapproved phases with: phasegate retry ${id}\n`);
    expect(ended.code).toBe(1);
    await rm(join(cwd, 'no'));
    const { code, stdout } = await phasegate(['retry', id], { cwd });
    expect(stdout).toContain('✓ completed');
    expect(code).toBe(0);
    expect(await ran(cwd)).toEqual(['read', 'write', 'write']);
  });

  it('refuses a run that was left unfinished, which resume continues', async () => {
    const cwd = await article();
    const id = await leftAtWork(cwd);
    expect(await phasegate(['retry', id], { cwd })).toMatchObject({
      code: 2,
      stderr: containing(`Cannot try run ${id} again as it has not ended\nResume it: phasegate resume ${id}.`),
    });
    await put(cwd, 'go');
    expect((await phasegate(['resume', id], { cwd })).code).toBe(0);
  });

  it('and resume refuse runs that they cannot continue, and name the command that can', async () => {
    const cwd = await article('go');
    await ranTo(cwd, 0);
    expect(await phasegate(['resume', 'latest'], { cwd })).toMatchObject({
      code: 2,
      stderr: matching(
        /run (\S+) as it was completed\nRun a part of it again in a fork: phasegate fork \1 --at <phase>\n/u,
      ),
    });
    expect(await phasegate(['retry', 'latest'], { cwd })).toMatchObject({
      code: 2,
      stderr: containing('as it was completed\nRun a part of it again in a fork'),
    });
    expect((await phasegate(['fork', 'latest', '--at', 'draft', '--run'], { cwd })).code).toBe(0);
  });

  it('and resume refuse a run that was cancelled before it began, and name neither of them', async () => {
    const cwd = await article();
    await phasegate(['run', 'p.mjs', '--detach', '--run-id', 'r'], { cwd });
    await phasegate(['cancel', 'r'], { cwd });
    for (const command of ['resume', 'retry']) {
      expect(await phasegate([command, 'r'], { cwd })).toMatchObject({
        code: 2,
        stderr: containing('as it ended before it began: cancelled\nIts input was not recorded. Start another run.\n'),
      });
    }
  });

  it.each(['failed', 'rejected', 'cancelled'])('is what resume names for a run that has ended: %s', async (status) => {
    const cwd = await article('go', ...(status === 'rejected' ? ['no'] : ['ask']));
    if (status === 'failed')
      await put(
        cwd,
        'p.mjs',
        (await readFile(join(cwd, 'p.mjs'), 'utf8')).replace(
          "ran('write');",
          "if (!has('well')) throw new Error('ill');",
        ),
      );
    await phasegate(['run', 'p.mjs', '--run-id', 'r'], { cwd });
    if (status === 'cancelled') await phasegate(['cancel', 'r'], { cwd });
    const { stderr } = await phasegate(['resume', 'r'], { cwd });
    expect(stderr).toContain(
      `as it has ended: ${status}\nRun the phases that were not approved again with \`phasegate retry\``,
    );
    await Promise.all([put(cwd, 'well'), rm(join(cwd, 'no'), { force: true }), rm(join(cwd, 'ask'), { force: true })]);
    expect((await phasegate(['retry', 'r'], { cwd })).code).toBe(0);
  });
});

describe('the pipeline of a resumed run', () => {
  it('is the file that the run started with, from any folder', async () => {
    const cwd = await article();
    const id = await leftAtWork(cwd);
    await mkdir(join(cwd, 'below'));
    await put(cwd, 'go');
    const resumed = await phasegate(['resume', id, '--store', '../.phasegate/runs.db'], { cwd: join(cwd, 'below') });
    expect(resumed).toMatchObject({ code: 0, stderr: '' });
  });

  it('may be another file, which is remembered', async () => {
    const cwd = await article();
    const id = await leftAtWork(cwd);
    await put(cwd, 'ask');
    await put(cwd, 'go');
    const text = await readFile(join(cwd, 'p.mjs'), 'utf8');
    await writeFile(join(cwd, 'moved.mjs'), text);
    await rm(join(cwd, 'p.mjs'));
    const { code, stderr } = await phasegate(['resume', id], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(`the file of its pipeline is not there any more: ${join(cwd, 'p.mjs')}\n`);
    const [, command = ''] = /^Name the file: phasegate (.*)$/mu.exec(stderr) ?? [];
    const named = command.replace('<pipeline>', 'moved.mjs').split(' ');
    expect(named).toEqual(['resume', id, 'moved.mjs']);
    expect(await phasegate(named, { cwd })).toMatchObject({ code: 3 });
    expect(await phasegate(['resume', id], { cwd })).toMatchObject({ code: 3 });
  });

  it('must be unchanged, unless a flag permits a change that fits the records', async () => {
    const cwd = await article();
    const id = await leftAtWork(cwd);
    await put(cwd, 'go');
    const text = await readFile(join(cwd, 'p.mjs'), 'utf8');
    await writeFile(
      join(cwd, 'p.mjs'),
      text.replace(
        'phases: [research, draft]',
        `phases: [research, draft, phase('print', { after: [draft], tasks: [task('press', { run: () => 'paper' })] })]`,
      ),
    );
    const refused = await phasegate(['resume', id], { cwd });
    expect(refused.stderr).toContain('the definition of "article" has changed:\n  phase "print" is new\n');
    expect(refused.stderr).toContain('--allow-changed');
    expect(refused.code).toBe(2);
    const { code, stdout } = await phasegate(['resume', id, '--allow-changed'], { cwd });
    expect(untimed(stdout)).toContain(`run ${id} resumed with a changed definition`);
    expect(stdout).toContain('3 of 3 phases approved');
    expect(code).toBe(0);
  });

  it('must not be another pipeline', async () => {
    const cwd = await article();
    const id = await leftAtWork(cwd);
    await put(cwd, 'deaf.yaml', DEAF);
    for (const flags of [[], ['--allow-changed']]) {
      const { code, stderr } = await phasegate(['resume', id, 'deaf.yaml', ...flags], { cwd });
      expect(stderr).toContain('Cannot');
      expect(code).toBe(2);
    }
    await put(cwd, 'go');
    expect(await phasegate(['resume', id], { cwd })).toMatchObject({ code: 0 });
  });
});

describe('two processes', () => {
  it('cannot work on one run: the second gets an error that names the first', async () => {
    const cwd = await article();
    const { child, ended } = await startUntil(['run', 'p.mjs'], 'at work', cwd);
    const { code, stderr } = await phasegate(['resume', 'latest'], { cwd });
    expect(stderr).toMatch(new RegExp(`process ${child.pid} on `, 'u'));
    expect(code).toBe(2);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130 });
  });

  it('that resume at once: one wins, and no task runs twice', async () => {
    const cwd = await article();
    const id = await leftAtWork(cwd);
    const [one, other] = await Promise.all([
      startUntil(['resume', id], 'at work', cwd).catch(String),
      startUntil(['resume', id], 'at work', cwd).catch(String),
    ]);
    const won = typeof one === 'string' ? other : one;
    const lost = typeof one === 'string' ? one : other;
    expect(lost).toMatch(/Cannot .* as process \d+ on /u);
    if (typeof won === 'string') throw new Error(`Both have lost: ${won}`);
    won.child.kill('SIGINT');
    await won.ended;
    expect(await ran(cwd)).toEqual(['read', 'write', 'aborted', 'write', 'aborted']);
  });
});

describe('the run argument', () => {
  it('matches the beginning or the end of an id, or is the latest', async () => {
    const cwd = await article('go', 'ask');
    const first = await ranTo(cwd, 3);
    const second = await ranTo(cwd, 3);
    for (const [name, id] of [
      [first, first],
      [first.slice(-6), first],
      [second.slice(-6).toLowerCase(), second],
      ['latest', second],
    ] as const) {
      const { code, stdout } = await phasegate(['resume', name], { cwd });
      expect(stdout).toContain(`run ${id} resumed`);
      expect(code).toBe(3);
    }
    const ambiguous = await phasegate(['resume', first.slice(0, 4)], { cwd });
    expect(ambiguous.stderr).toContain(`as 2 ids begin or end with it:\n  ${second}  article\n  ${first}  article\n`);
    expect(ambiguous.code).toBe(2);
  });

  it.each(['nope', '', '%'])('matches nothing with %j', async (name) => {
    const cwd = await article('go');
    await ranTo(cwd, 0);
    const { code, stdout, stderr } = await phasegate(['resume', name], { cwd });
    expect(stderr).toMatch(/^Cannot find /u);
    expect(stderr).toContain('phasegate ls');
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });
});

describe('a store', () => {
  it('is named by an option or a variable, which the advice repeats', async () => {
    const cwd = await article('go', 'ask');
    const { stdout } = await phasegate(['run', 'p.mjs', '--store', "my run's.db"], { cwd });
    expect(stdout).toContain(
      `  stored in my run's.db\n  resume with: phasegate resume ${idIn({ stdout })} --store 'my run'\\''s.db'\n`,
    );
    expect(await phasegate(['resume', 'latest', '--store', "my run's.db"], { cwd })).toMatchObject({ code: 3 });
  });

  it.each([
    ['not there', () => Promise.resolve(), 'there is no such file'],
    ['a folder', (file: string) => mkdir(file), 'as it is a folder'],
    ['no database', (file: string) => writeFile(file, 'Dear diary\n'.repeat(1000)), 'is not an SQLite database'],
    ['an empty file', (file: string) => writeFile(file, ''), 'Cannot'],
  ])('that is %s is refused by every command', async (_, make, text) => {
    const cwd = await article();
    await make(join(cwd, 'runs.db'));
    for (const command of [['ls'], ['resume', 'latest']]) {
      const { code, stdout, stderr } = await phasegate([...command, '--store', 'runs.db'], { cwd });
      expect(stderr).toContain(text);
      expect(stderr).not.toContain('    at ');
      expect(stdout).toBe('');
      expect(code).toBe(2);
    }
  });

  it('that is truncated is refused', async () => {
    const cwd = await article('go');
    await ranTo(cwd, 0);
    await truncate(join(cwd, '.phasegate/runs.db'), 5000);
    const { code, stderr } = await phasegate(['ls'], { cwd });
    expect(stderr).toContain('Cannot');
    expect(stderr).not.toContain('    at ');
    expect(code).toBe(2);
  });

  it.skipIf(process.getuid?.() === 0)('that is read-only is reported before anything runs', async () => {
    const cwd = await article('go');
    await chmod(cwd, 0o500);
    const { code, stderr } = await phasegate(['run', 'p.mjs'], { cwd });
    expect(stderr).toContain('--no-store');
    expect(code).toBe(2);
  });

  it('is not opened if it is switched off', async () => {
    const { code, stderr } = await phasegate(['ls', '--store', 'memory'], { cwd: await article() });
    expect(stderr).toContain('the command has no store');
    expect(code).toBe(2);
  });
});

const DEAF = `
name: deaf
phases:
  - name: draft
    tasks: [{ name: write, command: [sh, -c, "trap 'touch told' TERM; touch deaf; while ! test -e go; do sleep 0.05; done; echo text"] }]
`;
