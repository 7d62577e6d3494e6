/** Checks of a working folder, on real repositories. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { definePipeline, phase, startRun, task, type Check, type RunResult } from '../src/index.ts';
import { noMergeConflicts, nonEmptyDiff } from '../src/node.ts';

const run = promisify(execFile);

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phasegate-git-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const IDENTITY = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false'];

/** A repository in a temporary folder. */
class Repository {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  async git(...args: readonly string[]): Promise<string> {
    const { stdout } = await run('git', [...IDENTITY, ...args], { cwd: this.path });
    return stdout.trim();
  }

  async put(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.path, name)), { recursive: true });
    await writeFile(join(this.path, name), text);
  }

  async commit(name: string, text: string): Promise<void> {
    await this.put(name, text);
    await this.git('add', '-A');
    await this.git('commit', '-q', '-m', `Put ${name}`);
  }
}

async function repository(): Promise<Repository> {
  const made = new Repository(await mkdtemp(join(folder, 'repository-')));
  await made.git('init', '-q', '-b', 'main');
  return made;
}

async function runOf(check: Check<unknown, unknown>, work: () => unknown = () => 'x'): Promise<RunResult> {
  const build = phase('build', {
    tasks: [task('make', { run: work })],
    review: { checks: [check], maxRetries: 0, maxReviewErrors: 0, onExhausted: 'reject' },
  });
  return startRun(definePipeline({ name: 'p', phases: [build] })).result;
}

/** Runs a check. @returns Undefined if it passes, its change and details if it fails, or its error. */
async function foundBy(check: Check<unknown, unknown>): Promise<unknown> {
  const { phases } = await runOf(check);
  const verdict = phases['build']?.decisions[0]?.verdict;
  if (verdict?.type === 'retry') return [verdict.requiredChange, verdict.feedback];
  return verdict?.type === 'unavailable' ? verdict.error.message.split('\n')[0] : verdict?.type;
}

const CONFLICT = '<<<<<<< HEAD\nmine\n=======\nyours\n>>>>>>> other\n';

describe('noMergeConflicts()', () => {
  it('passes without conflicts', async () => {
    const one = await repository();
    await one.commit('a.txt', 'a\n');
    await one.put('b.txt', 'b\n');
    expect(await foundBy(noMergeConflicts({ cwd: one.path }))).toBe('approve');
  });

  it('names files with a merge conflict, from any folder of the tree', async () => {
    const one = await repository();
    await one.commit('src/a.txt', 'base\n');
    await one.git('checkout', '-q', '-b', 'other');
    await one.commit('src/a.txt', 'theirs\n');
    await one.git('checkout', '-q', 'main');
    await one.commit('src/a.txt', 'ours\n');
    await one.put('docs/x', '');
    await one.git('merge', 'other').catch(() => undefined);
    const found = [
      'Resolve the merge conflicts in src/a.txt.',
      'Check "merge conflicts" failed:\nMerge conflicts, or their markers, are in:\nsrc/a.txt',
    ];
    expect(await foundBy(noMergeConflicts({ cwd: one.path }))).toEqual(found);
    expect(await foundBy(noMergeConflicts({ cwd: join(one.path, 'docs') }))).toEqual(found);
    // A conflict without markers still counts until `git add`.
    await one.put('src/a.txt', 'both\n');
    expect(await foundBy(noMergeConflicts({ cwd: one.path }))).toEqual(found);
    await one.git('add', 'src/a.txt');
    expect(await foundBy(noMergeConflicts({ cwd: one.path }))).toBe('approve');
  });

  it('finds remaining markers in tracked and new files, and quotes their names', async () => {
    const one = await repository();
    await one.commit('tracked.txt', `top\n${CONFLICT}`);
    await one.put('sub dir/ünïcode "x".txt', CONFLICT.replaceAll('\n', '\r\n'));
    await one.put('three.txt', CONFLICT.replace('=======', '||||||| base\nold\n======='));
    expect(await foundBy(noMergeConflicts({ cwd: one.path, name: 'conflicts' }))).toEqual([
      'Resolve the merge conflicts in 3 files.',
      'Check "conflicts" failed:\nMerge conflicts, or their markers, are in:\nsub dir/ünïcode "x".txt\nthree.txt\ntracked.txt',
    ]);
  });

  it('finds markers if the process has literal paths', async () => {
    const one = await repository();
    await one.commit('a.txt', CONFLICT);
    vi.stubEnv('GIT_LITERAL_PATHSPECS', '1');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await foundBy(noMergeConflicts({ cwd: one.path }))).toEqual([
      'Resolve the merge conflicts in a.txt.',
      expect.stringContaining('a.txt'),
    ]);
  });

  it('does not take headings for conflicts, and skips ignored and binary files', async () => {
    const one = await repository();
    await one.commit('readme.rst', 'Title\n=======\n\n>>>>>>> quoted\n');
    await one.commit('.gitignore', 'dist/\n');
    await one.put('dist/a.txt', CONFLICT);
    await one.put('image.bin', `\0${CONFLICT}`);
    await one.put('indented.txt', CONFLICT.replaceAll(/^/gmu, '  '));
    expect(await foundBy(noMergeConflicts({ cwd: one.path }))).toBe('approve');
  });

  it('limits the names, and removes terminal codes', async () => {
    const one = await repository();
    for (let index = 10; index < 35; index++) await one.put(`f${index}\u001B[2J\n`, CONFLICT);
    const [change, log] = (await foundBy(noMergeConflicts({ cwd: one.path }))) as readonly string[];
    expect(change).toBe('Resolve the merge conflicts in 25 files.');
    expect(log?.split('\n').slice(2, 4)).toEqual(['f10 ', 'f11 ']);
    expect(log?.split('\n').at(-1)).toBe('and 5 more');
  });

  it('blames a phase only for new findings, by name', async () => {
    const one = await repository();
    await one.put('old.txt', CONFLICT);
    const check = noMergeConflicts({ cwd: one.path, baseline: true });
    expect((await runOf(check)).warnings.map(({ code }) => code)).toEqual(['CHECK_PREEXISTING']);
    const result = await runOf(check, () => one.put('new.txt', CONFLICT).then(() => null));
    expect(result.phases['build']?.decisions[0]?.verdict).toMatchObject({
      requiredChange: 'Fix what check "merge conflicts" finds and did not find before this phase began: new.txt.',
    });
  });

  it('is a review error if git cannot run', async () => {
    const cwd = await mkdtemp(join(folder, 'plain-'));
    expect(await foundBy(noMergeConflicts({ cwd }))).toMatch(
      /^Cannot finish `git diff --name-only .*` for check "merge conflicts" as it ended with exit code 1\d\d/u,
    );
  });
});

describe('nonEmptyDiff()', () => {
  const NOTHING = 'Change at least one file.';

  it('finds that nothing was changed', async () => {
    const one = await repository();
    await one.commit('a.txt', 'a\n');
    await one.put('.git/info/exclude', 'log\n');
    await one.put('log', 'ignored');
    // The file is touched, with the same content.
    await one.put('a.txt', 'a\n');
    expect(await foundBy(nonEmptyDiff({ cwd: one.path }))).toEqual([
      NOTHING,
      expect.stringMatching(
        /^Check "diff" failed: No file of the working folder differs from HEAD \([\da-f]{12}\), and none is new\.$/u,
      ),
    ]);
  });

  it.each<readonly [string, (one: Repository) => Promise<unknown>]>([
    ['changed', (one) => one.put('a.txt', 'b\n')],
    ['changed and staged', (one) => one.put('a.txt', 'b\n').then(() => one.git('add', 'a.txt'))],
    ['new', (one) => one.put('sub/new.txt', '')],
    ['removed', (one) => unlink(join(one.path, 'a.txt'))],
    ['made executable', (one) => chmod(join(one.path, 'a.txt'), 0o755)],
  ])('passes if a file was %s, also from another folder', async (_, change) => {
    const one = await repository();
    await one.commit('a.txt', 'a\n');
    await one.commit('docs/b.txt', 'b\n');
    await change(one);
    expect(await foundBy(nonEmptyDiff({ cwd: join(one.path, 'docs') }))).toBe('approve');
  });

  it('compares with the merge base of a branch, if the tasks commit', async () => {
    const one = await repository();
    await one.commit('a.txt', 'a\n');
    await one.git('checkout', '-q', '-b', 'work');
    await one.git('checkout', '-q', 'main');
    await one.commit('others.txt', 'of others\n');
    await one.git('checkout', '-q', 'work');
    expect(await foundBy(nonEmptyDiff({ cwd: one.path, base: 'main' }))).toEqual([
      NOTHING,
      expect.stringMatching(/differs from main \([\da-f]{12}\), and none is new\.$/u),
    ]);
    await one.commit('mine.txt', 'mine\n');
    expect(await foundBy(nonEmptyDiff({ cwd: one.path, base: 'main' }))).toBe('approve');
    expect(await foundBy(nonEmptyDiff({ cwd: one.path }))).toMatchObject([NOTHING, expect.any(String)]);
  });

  it('works before the first commit', async () => {
    const one = await repository();
    expect(await foundBy(nonEmptyDiff({ cwd: one.path }))).toEqual([
      NOTHING,
      'Check "diff" failed: No file of the working folder differs from HEAD, and none is new.',
    ]);
    await one.put('a.txt', 'a\n');
    expect(await foundBy(nonEmptyDiff({ cwd: one.path }))).toBe('approve');
    await one.git('add', 'a.txt');
    expect(await foundBy(nonEmptyDiff({ cwd: one.path }))).toBe('approve');
  });

  it('is a review error without such a base, or without a repository', async () => {
    const one = await repository();
    await one.commit('a.txt', 'a\n');
    expect(await foundBy(nonEmptyDiff({ cwd: one.path, base: 'nowhere' }))).toMatch(
      /^Cannot finish `git merge-base nowhere HEAD` for check "diff" as it ended with exit code 128/u,
    );
    expect(await foundBy(nonEmptyDiff({ cwd: await mkdtemp(join(folder, 'plain-')) }))).toMatch(
      /^Cannot finish `git [^`]*` for check "diff" as it ended with exit code 128/u,
    );
    expect(await foundBy(nonEmptyDiff({ cwd: join(one.path, 'nowhere') }))).toMatch(/^Cannot start `git /u);
  });

  it.each(['--output=x', ''])('refuses %j as a base', (base) => {
    expect(() => nonEmptyDiff({ base })).toThrow(
      `Cannot compare a working folder with "${base}" as it names no commit`,
    );
  });

  it('leaves the index unchanged, even if it is locked', async () => {
    const one = await repository();
    await one.commit('a.txt', 'a\n');
    await one.put('a.txt', 'b\n');
    await one.put('.git/index.lock', '');
    expect(await foundBy(nonEmptyDiff({ cwd: one.path }))).toBe('approve');
    expect(await foundBy(noMergeConflicts({ cwd: one.path }))).toBe('approve');
  });
});
