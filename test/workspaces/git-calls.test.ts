/** The processes of git of one workspace, and its index that is compared with the files while the agent works. */
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeLab, openAt, placeOf, put, shell, signal, useFolder, workAt, type Lab } from './rig.ts';

const folder = useFolder();
const { PATH = '' } = process.env;
let log = '';

/** Puts a program in front of git that lists each call, then does the given line around a comparison, then calls git. */
async function replaceGit(before = ':', after = ':'): Promise<void> {
  const real = await shell(folder.path, 'command -v git');
  const bin = join(folder.path, 'bin');
  const lines = [
    '#!/bin/bash',
    `printf '%s\\n' "$*" >> '${log}'`,
    `if [ "$*" != 'update-index -q --refresh' ] || [ -e '${log}.done' ]; then exec '${real}' "$@"; fi`,
    `cd "$GIT_WORK_TREE"; ${before}`,
    `'${real}' "$@"; code=$?`,
    `${after}; : > '${log}.done'; exit $code`,
  ];
  await put(bin, 'git', `${lines.join('\n')}\n`);
  await chmod(join(bin, 'git'), 0o755);
  process.env['PATH'] = `${bin}${delimiter}${PATH}`;
}

/** Calls of git since the last look. */
async function calls(): Promise<readonly string[]> {
  const text = await readFile(log, 'utf8').catch(() => '');
  await writeFile(log, '');
  return text.split('\n').filter((line) => line !== '');
}

/** A line that ends when the comparison has, or after ten seconds. */
const COMPARED = () => `for _ in {1..500}; do if [ -e '${log}.done' ]; then break; fi; sleep 0.02; done`;

let lab: Lab;

beforeEach(async () => {
  lab = await makeLab(folder.path);
  log = join(lab.root, '..', 'calls');
});

afterEach(() => {
  process.env['PATH'] = PATH;
});

describe('the start of a run', () => {
  it('walks through the folder of the user once, for its changes and for repositories inside of it', async () => {
    await shell(lab.user, 'mkdir inner; cd inner; git init -q; echo 1 > 1');
    await lab.put('new/1.txt', '1');
    await lab.put('new/2.txt', '2');
    await replaceGit();
    const { notes } = await lab.workspaces({ isolation: 'clone' }).start({ run: 'run', signal });
    expect(names(await calls()).filter((name) => ['status', 'ls-files'].includes(name))).toEqual(['status']);
    expect(notes.map(({ text }) => text)).toEqual([
      "The user's uncommitted work is not part of the run: 0 changed files and 3 untracked paths. Nobody may assume that it is there.",
      "Repositories inside of the user's folder are left out: inner/.",
    ]);
  });
});

describe('a workspace', () => {
  it('starts no more processes of git than it needs, and compares no file when the agent has ended', async () => {
    await replaceGit();
    const workspaces = lab.workspaces({ isolation: 'clone' });
    const { base } = await workspaces.start({ run: 'run', signal });
    await calls();
    await workspaces.kept(placeOf(), signal);
    const workspace = await openAt(workspaces, base);
    await shell(workspace.path, `echo new > new.txt; ${COMPARED()}`);
    expect(names(await calls())).toEqual([
      'config',
      'rev-parse',
      'config',
      'clone',
      'remote',
      'checkout',
      'update-index',
    ]);
    await workspace.keep({ title: 'Work', signal });
    expect(names(await calls())).toEqual([
      'config',
      'rev-parse',
      'ls-files',
      'update-index',
      'write-tree',
      'commit-tree',
      'hash-object',
      'update-ref',
      'diff-tree',
    ]);
    expect(await workspace.close()).toEqual({ removed: true });
    expect(names(await calls())).toEqual(['config', 'rev-parse', 'ls-files']);
  });

  it('of which nobody needs the files is not compared', async () => {
    await replaceGit();
    const workspaces = lab.workspaces({ isolation: 'clone' });
    const { base } = await workspaces.start({ run: 'run', signal });
    const workspace = await workspaces.open(placeOf(), { base, disposable: true, signal });
    await calls();
    await workspace.close();
    expect(names(await calls())).toEqual(['config']);
  });
});

describe('the merge of the first subtask of a level', () => {
  it('is its own files, without a merge by git', async () => {
    const workspaces = lab.workspaces({ isolation: 'clone' });
    const { base } = await workspaces.start({ run: 'run', signal });
    const parts = [];
    for (const name of ['one', 'two']) {
      const work = (path: string) => shell(path, `echo ${name} > ${name}.txt`);
      const { snapshot } = await workAt(workspaces, base, placeOf(name), work);
      parts.push({ name, title: name, commit: snapshot.commit, start: base });
    }
    await replaceGit();
    const { commit } = await workspaces.integrate({ place: placeOf('all'), base, parts, signal });
    expect(names(await calls()).filter((name) => name.startsWith('merge'))).toEqual(['merge-base', 'merge-tree']);
    expect(await lab.git('show', `${commit}:one.txt`, `${commit}:two.txt`)).toBe('one\ntwo');
  });
});

describe('a snapshot after the comparison', () => {
  const SAME_SIZE = 'printf "A\\n" > a.txt';
  it.each([
    ['before it', SAME_SIZE, ':'],
    [
      'after it, in a second that git may take for that of the comparison',
      'touch a.txt',
      `${SAME_SIZE}; touch -d '3 seconds' "$GIT_INDEX_FILE"`,
    ],
    ['after it, with the time of before', 'touch -r a.txt ../time', `${SAME_SIZE}; touch -r ../time a.txt`],
  ])('has a change of %s', async (_, before, after) => {
    await replaceGit(before, after);
    const workspaces = lab.workspaces({ isolation: 'clone' });
    const { base } = await workspaces.start({ run: 'run', signal });
    const { snapshot, closed } = await workAt(workspaces, base, placeOf(), (path) => shell(path, COMPARED()));
    expect(snapshot.files).toEqual([{ path: 'a.txt', status: 'modified' }]);
    expect(await lab.git('show', `${snapshot.commit}:a.txt`)).toBe('A');
    expect(closed).toEqual({ removed: true });
  });
});

function names(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.split(' ')[0] ?? '');
}
