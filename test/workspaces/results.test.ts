/** Results of workspaces: integration, differences, the branch of a run, and its hand-over. */
import { existsSync } from 'node:fs';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { applyRun } from '../../src/workspaces/operations/apply-run.ts';
import { shareOut } from '../../src/workspaces/operations/difference.ts';
import type { IntegrationPart } from '../../src/workspaces/port.ts';
import { makeDirty, makeLab, pictureOf, placeOf, put, shell, signal, useFolder, workAt, type Lab } from './rig.ts';

const folder = useFolder();

/** Starts a run, and has agents work on its base, each by a line of the shell. */
async function runOf(lab: Lab, lines: readonly string[], options: Parameters<Lab['workspaces']>[0] = {}) {
  const workspaces = lab.workspaces(options);
  const { base } = await workspaces.start({ run: 'run', signal });
  const parts: IntegrationPart[] = [];
  for (const [index, line] of lines.entries()) {
    const name = `t${index}`;
    const { snapshot } = await workAt(workspaces, base, placeOf(name), (path) => shell(path, line));
    parts.push({ name, title: `Title ${index}`, commit: snapshot.commit });
  }
  const merge = (attempt = 0, some = parts, from = base) =>
    workspaces.integrate({ place: placeOf('integrate', attempt), base: from, parts: some, signal });
  return { workspaces, base, parts, merge };
}

/** Finishes a run with one change. */
async function finished(lab: Lab, line: string, options: Parameters<Lab['workspaces']>[0] = {}) {
  const { workspaces, merge, base } = await runOf(lab, [line], options);
  const { commit } = await merge();
  await workspaces.publish({ run: 'run', commit, signal });
  return { commit, workspaces, base };
}

describe('integrate()', () => {
  it('leaves a part out that conflicts, names its paths, and goes on', async () => {
    const lab = await makeLab(folder.path);
    const lines = [
      'echo 1 > a.txt; echo 1 > same',
      "echo 2 > a.txt; echo 2 > $'new\\nline'",
      'rm a.txt',
      'echo 3 > c',
      'true',
    ];
    const { merge, parts, base } = await runOf(lab, lines);
    const { commit, conflicts } = await merge();
    expect(conflicts).toEqual([
      { name: 't1', paths: ['a.txt'] },
      { name: 't2', paths: ['a.txt'] },
    ]);
    expect(
      await lab.git(
        'log',
        '--format=%s|%an|%(trailers:key=Phasegate-Task,valueonly,separator=)|%(trailers:key=Phasegate-Attempt,valueonly,separator=)',
        '--first-parent',
        `${base}..${commit}`,
      ),
    ).toBe('phasegate(build): Title 3|phasegate|t3|0.0\nphasegate(build): Title 0|phasegate|t0|0.0');
    expect(await lab.git('rev-parse', `${commit}^2`)).toBe(parts[3]?.commit);
    // The next round begins at the integrated commit, and takes in what was reworked there.
    const again = await merge(1, parts.slice(0, 1), commit);
    expect(again).toEqual({ commit, conflicts: [] });
  });

  it('merges lines as a union if the base says so, and runs no merge driver of the user', async () => {
    const lab = await makeLab(folder.path);
    const trace = `${lab.root}-trace`;
    await lab.git('config', 'merge.own.driver', `touch ${trace}`);
    await lab.put('.gitattributes', 'LOG merge=union\n*.own merge=own\n');
    await lab.put('LOG', 'begin\n');
    await lab.put('x.own', '1\n2\n3\n4\n5\n');
    await shell(lab.user, 'git add -A; git commit -qm Log');
    const lines = [
      'echo one >> LOG; sed -i s/1/one/ x.own',
      'echo two >> LOG; sed -i s/5/five/ x.own',
      'sed -i s/1/uno/ x.own',
    ];
    const { merge } = await runOf(lab, lines);
    const { commit, conflicts } = await merge();
    expect(conflicts).toEqual([{ name: 't2', paths: ['x.own'] }]);
    expect(await lab.git('show', `${commit}:LOG`)).toBe('begin\none\ntwo');
    expect(await lab.git('show', `${commit}:x.own`)).toBe('one\n2\n3\n4\nfive');
    expect(existsSync(trace)).toBe(false);
  });

  it('refuses a commit that the repository does not have', async () => {
    const lab = await makeLab(folder.path);
    const { merge } = await runOf(lab, []);
    for (const commit of ['0'.repeat(40), '--all', 'HEAD', '']) {
      await expect(merge(0, [{ name: 'x', title: 'x', commit }])).rejects.toMatchObject({ code: 'WORKSPACE_REFUSED' });
    }
  });
});

describe('diff()', () => {
  it('lists files, and shows what attributes would hide', async () => {
    const lab = await makeLab(folder.path);
    await lab.put('old', 'a\nb\nc\nd\n');
    await shell(lab.user, 'git add -A; git commit -qm Old');
    const line = `git mv old new; echo '* -diff' > .gitattributes; echo 2 > a.txt; rm src/b.txt; printf 'x\\0' > binary; echo 1 > $'l\\n1'`;
    const { workspaces, base, parts } = await runOf(lab, [line]);
    const to = parts[0]?.commit ?? '';
    const { text, files, fileCount, isCut } = await workspaces.diff({ from: base, to, signal });
    const none = { added: 0, deleted: 0, isBinary: false };
    expect(files).toEqual([
      { ...none, path: '.gitattributes', status: 'added', added: 1 },
      { ...none, path: 'a.txt', status: 'modified', added: 1, deleted: 1 },
      { ...none, path: 'binary', status: 'added', isBinary: true },
      { ...none, path: 'l\n1', status: 'added', added: 1 },
      { ...none, path: 'new', from: 'old', status: 'renamed' },
      { ...none, path: 'src/b.txt', status: 'deleted', deleted: 1 },
    ]);
    expect([fileCount, isCut]).toEqual([6, false]);
    expect(text).toContain('@@ -1 +1 @@\n-a\n+2\n');
    const some = await workspaces.diff({ from: base, to, paths: ['a.txt', 'sr*'], signal });
    expect(some.files.map(({ path }) => path)).toEqual(['a.txt']);
  });

  it('gives each file a fair share of a limited size', async () => {
    const lab = await makeLab(folder.path);
    const { workspaces, base, parts } = await runOf(lab, ['seq 100000 > large; seq 90000 > also; echo 2 > a.txt']);
    const { text, isCut } = await workspaces.diff({ from: base, to: parts[0]?.commit ?? '', maxBytes: 10_000, signal });
    expect(isCut).toBe(true);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(10_000);
    expect(text).toContain('\n-a\n+2\n');
    expect(text.match(/^diff --git .*$/gmu)).toHaveLength(3);
    const [, large] = /^\[… (\d+) lines left out …\]$/mu.exec(text.slice(text.indexOf('diff --git a/large'))) ?? [];
    const shown = text
      .slice(text.indexOf('diff --git a/large'))
      .split('\n')
      .filter((one) => /^\+\d/u.test(one)).length;
    expect(Number(large) + shown).toBe(100_000);
  });

  it.each([
    [['aa\n', 'bb\n'], 6, 'aa\nbb\n', false],
    [['aa\n', 'bb\n'], 5, '', true],
    [[], 5, '', false],
    [[`x\n${'é'.repeat(400)}\n`, 'b\n'], 300, 'x\n[… 1 lines left out …]\nb\n', true],
    [['é'.repeat(400)], 250, `[… ${'é'.repeat(120)}: 0 lines left out …]\n`, true],
  ] as const)('by shareOut(), case %#', (parts, max, text, isCut) => {
    expect(shareOut(parts, max)).toEqual({ text, isCut });
  });
});

describe('publish()', () => {
  it('moves the branch to and fro, and creates it again', async () => {
    const lab = await makeLab(folder.path);
    const { commit, workspaces, base } = await finished(lab, 'echo 1 > 1');
    await workspaces.publish({ run: 'run', commit, signal });
    await workspaces.publish({ run: 'run', commit: base, signal });
    await lab.git('branch', '-D', 'phasegate/run');
    await workspaces.publish({ run: 'run', commit, signal });
    expect(await lab.git('rev-parse', 'phasegate/run')).toBe(commit);
  });

  it('leaves a branch alone that someone has moved or checked out', async () => {
    const lab = await makeLab(folder.path);
    const { commit, workspaces, base } = await finished(lab, 'echo 1 > 1');
    await lab.git('checkout', '-q', 'phasegate/run');
    const publish = (to: string, run = 'run') => workspaces.publish({ run, commit: to, signal });
    await expect(publish(base)).rejects.toThrow('Cannot move branch "phasegate/run" as it is checked out');
    await lab.git('commit', '-q', '--allow-empty', '-m', 'Mine');
    await expect(publish(commit)).rejects.toThrow('as someone else has moved it');
    await expect(publish(commit, 'other')).rejects.toThrow('as the run has not been started here');
    expect(await lab.git('log', '-1', '--format=%s', 'phasegate/run')).toBe('Mine');
  });
});

describe('start()', () => {
  it.each(['phasegate', 'phasegate/run'])('refuses a branch %s of the user', async (branch) => {
    const lab = await makeLab(folder.path);
    await lab.git('branch', branch);
    await expect(lab.workspaces().start({ run: 'run', signal })).rejects.toThrow(
      `as there is a branch "${branch}" already`,
    );
  });

  it('refuses folders that are no repository, and a root in the repository', async () => {
    const lab = await makeLab(folder.path);
    await shell(folder.path, 'mkdir -p plain; git init -q --bare bare');
    const start = (options: object) => lab.workspaces(options).start({ run: 'run', signal });
    await expect(start({ repository: join(folder.path, 'plain') })).rejects.toMatchObject({
      code: 'REPOSITORY_UNUSABLE',
    });
    await expect(start({ repository: join(folder.path, 'bare') })).rejects.toThrow('has a bare repository');
    await expect(start({ root: join(lab.user, 'sub') })).rejects.toThrow('is in the repository');
  });

  it.skipIf(process.platform === 'win32').each(['git version 2.37.7', 'git version 1.99.0', 'hub 3'])(
    'refuses "%s", as it cannot merge without a working tree',
    async (version) => {
      const lab = await makeLab(folder.path);
      await lab.put('../bin/git', `#!/bin/sh\necho ${version}\n`);
      await chmod(join(lab.user, '../bin/git'), 0o755);
      vi.stubEnv('PATH', `${join(lab.user, '../bin')}:${process.env['PATH']}`);
      onTestFinished(() => void vi.unstubAllEnvs());
      await expect(lab.workspaces().start({ run: 'run', signal })).rejects.toMatchObject({
        code: 'REPOSITORY_UNUSABLE',
        message: expect.stringContaining(`as git 2.38 or later is needed: ${version}`) as string,
      });
    },
  );
});

describe('applyRun()', () => {
  const apply = (lab: Lab) => applyRun({ repository: lab.user, root: lab.root, run: 'run', signal });

  it('moves the branch and the files of the user forward, and keeps uncommitted work in other files', async () => {
    const lab = await makeLab(folder.path);
    await makeDirty(lab);
    const { commit } = await finished(lab, 'echo 1 > 1; echo 2 > src/b.txt');
    const before = await pictureOf(lab.user);
    const from = await lab.git('rev-parse', 'HEAD');
    const status = await lab.git('status', '--porcelain');
    expect(await apply(lab)).toEqual({ applied: true, from, to: commit });
    expect(await lab.git('rev-parse', 'main')).toBe(commit);
    expect(await lab.git('status', '--porcelain')).toBe(status);
    const after = await pictureOf(lab.user);
    for (const name of ['u/dirty.txt', 'u/half.txt', 'new.txt', 'ignored/cache', '.env.local', '.git/refs/stash']) {
      expect(after[name], name).toBe(before[name]);
    }
    expect(await readFile(join(lab.user, 'src/b.txt'), 'utf8')).toBe('2\n');
    expect(await apply(lab)).toEqual({ applied: true, from: commit, to: commit });
  });

  it.each<readonly [string, string, (lab: Lab) => Promise<unknown>]>([
    ['a changed file', 'would be overwritten', (lab) => lab.put('a.txt', 'mine\n')],
    ['a staged file', 'would be overwritten', (lab) => lab.put('a.txt', 'mine\n').then(() => lab.git('add', '-A'))],
    ['an untracked file', 'would be overwritten', (lab) => lab.put('1', 'mine\n')],
    ['an ignored file', 'would be overwritten', (lab) => lab.put('.env.local', 'mine\n')],
    [
      'a commit',
      'The branch "main" has commits that the run does not have.',
      (lab) => lab.git('commit', '-q', '--allow-empty', '-m', 'Mine'),
    ],
    ['a lock', 'has left a lock', (lab) => lab.put('.git/index.lock', '')],
    ['a detached HEAD', 'HEAD is on no branch.', (lab) => lab.git('checkout', '-q', '--detach')],
    [
      'a merge',
      'A merge is in progress. End it first: git merge --continue, or git merge --abort.',
      (lab) => lab.git('rev-parse', 'HEAD').then((id) => put(lab.user, '.git/MERGE_HEAD', `${id}\n`)),
    ],
    [
      'a bisection',
      'A bisection is in progress. End it first: git bisect reset.',
      (lab) => put(lab.user, '.git/BISECT_LOG', ''),
    ],
  ])('leaves all as it is with %s in the way', async (_, reason, prepare) => {
    const lab = await makeLab(folder.path);
    await finished(
      lab,
      'echo 1 > 1; echo 2 > a.txt; echo 3 > .env.local; git add -f .env.local; sed -i /env/d .gitignore',
    );
    await prepare(lab);
    const before = await pictureOf(lab.user);
    const result = await apply(lab);
    const first = /first: ([^,.]+)/u.exec(reason)?.slice(1) ?? [];
    expect(result).toMatchObject(
      reason === 'would be overwritten'
        ? { applied: false, paths: [expect.stringMatching(/^(?:a\.txt|1|\.env\.local)$/u)] }
        : { applied: false, command: [...first, 'git merge phasegate/run'].join(' && ') },
    );
    expect('reason' in result && result.reason).toContain(reason);
    expect('reason' in result && result.reason).not.toContain('user');
    expect(await pictureOf(lab.user)).toEqual(before);
  });

  it('names a command that adds only the work of agents to uncommitted work', async () => {
    const lab = await makeLab(folder.path);
    await makeDirty(lab);
    await finished(lab, 'echo 1 > 1; echo more >> new.txt', { base: 'head+dirty' });
    const result = await apply(lab);
    expect('reason' in result && result.reason).toContain('would be overwritten');
    await shell(lab.user, result.applied ? 'false' : (result.command ?? 'false'));
    expect(await readFile(join(lab.user, 'new.txt'), 'utf8')).toBe('untracked\nmore\n');
    expect(await readFile(join(lab.user, '1'), 'utf8')).toBe('1\n');
  });

  it('hands over the work of a branch that someone has deleted', async () => {
    const lab = await makeLab(folder.path);
    const { commit } = await finished(lab, 'echo 1 > 1');
    await lab.git('branch', '-D', 'phasegate/run');
    await lab.put('1', 'mine\n');
    const result = await apply(lab);
    expect(result).toMatchObject({ applied: false, paths: ['1'] });
    await shell(lab.user, 'rm 1');
    expect(await apply(lab)).toMatchObject({ applied: true, to: commit });
  });

  it('does not put a file in the place of an ignored folder', async () => {
    const lab = await makeLab(folder.path);
    await shell(lab.user, 'rm -rf ignored; mkdir ignored; echo mine > ignored/x');
    await finished(lab, 'rm -rf .gitignore ignored; echo out > ignored');
    expect(await apply(lab)).toMatchObject({ applied: false });
    expect(await readFile(join(lab.user, 'ignored/x'), 'utf8')).toBe('mine\n');
  });

  it('refuses an unknown run', async () => {
    const lab = await makeLab(folder.path);
    await expect(apply(lab)).rejects.toThrow('Cannot hand over the run as there is no branch "phasegate/run"');
  });
});
