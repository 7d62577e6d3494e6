/** Agents that do in a workspace what they should not. The user's repository and files stay as they are, and no work is lost. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Isolation } from '../../src/workspaces/isolation.ts';
import type { Snapshot } from '../../src/workspaces/port.ts';
import { makeDirty, makeLab, openAt, pictureOf, placeOf, shell, signal, useFolder, type Lab } from './rig.ts';

const folder = useFolder();

/** A program that leaves a trace if it is run. */
const BAIT = 'printf run >> "TRACE"';

interface Deed {
  readonly name: string;
  /** Line of the shell that the agent runs. */
  readonly line: string;
  /** Names of the files that the snapshot has as changed, with the first letter of the status. */
  readonly files: readonly string[];
  readonly notes?: readonly Snapshot['notes'][number]['code'][];
  /** Reason for leaving the folder. */
  readonly left?: RegExp;
  /** Expected content of files of the snapshot. */
  readonly content?: Readonly<Record<string, string>>;
  readonly isolations?: readonly Isolation[];
}

const BOTH: readonly Isolation[] = ['clone', 'worktree'];
const CLONE: readonly Isolation[] = ['clone'];

const DEEDS: readonly Deed[] = [
  {
    name: 'commits',
    line: 'echo x > x; git add -A; git commit -qm Mine; echo y > y',
    files: ['a x', 'a y'],
    notes: ['ownCommits'],
  },
  {
    name: 'commits on branches, and detaches HEAD',
    line: 'git checkout -q -b fix/one; git commit -q --allow-empty -m One; git checkout -q --detach HEAD~; git commit -q --allow-empty -m Two',
    files: [],
    notes: ['ownCommits'],
    isolations: CLONE,
  },
  {
    name: 'starts a history of its own',
    line: 'git checkout -q --orphan other; git commit -qm Other; git tag -a -m v v',
    files: [],
    notes: ['ownCommits'],
    isolations: CLONE,
  },
  {
    name: 'packs its refs',
    line: 'git commit -q --allow-empty -m X; git branch y; git pack-refs --all; git gc -q',
    files: [],
    notes: ['ownCommits'],
    isolations: CLONE,
  },
  {
    name: 'deletes .git',
    line: 'rm -rf .git; echo x > x',
    files: ['a x'],
    notes: ['ownCommitsLeft'],
    left: /^Commits in it may not be kept, as its `\.git` is no longer/u,
    isolations: CLONE,
  },
  {
    name: 'deletes the link of a working tree',
    line: 'rm -rf .git; echo x > x',
    files: ['a x'],
    isolations: ['worktree'],
  },
  {
    name: 'replaces .git by that of the user',
    line: 'rm -rf .git; echo "gitdir: $USER_REPOSITORY/.git" > .git; echo x > x',
    files: ['a x'],
    notes: ['ownCommitsLeft'],
    left: /^Commits in it may not be kept/u,
    isolations: CLONE,
  },
  {
    name: 'puts a pipe in place of HEAD',
    line: 'rm .git/HEAD; mkfifo .git/HEAD; echo x > x',
    files: ['a x'],
    notes: ['ownCommitsLeft'],
    left: /refs cannot all be read/u,
    isolations: CLONE,
  },
  {
    name: 'sets programs that git would run',
    line: `for key in core.fsmonitor diff.external core.pager core.sshCommand core.alternateRefsCommand uploadpack.packObjectsHook filter.x.clean filter.x.smudge diff.x.textconv diff.x.command merge.x.driver; do git config "$key" '${BAIT}'; done
      mkdir -p .git/hooks; for hook in post-index-change reference-transaction pre-commit post-checkout pre-auto-gc; do printf '#!/bin/sh\\n%s' '${BAIT}' > .git/hooks/$hook; chmod +x .git/hooks/$hook; done
      echo '* filter=x diff=x merge=x' > .gitattributes; echo x > x`,
    files: ['a .gitattributes', 'a x'],
    isolations: CLONE,
  },
  {
    name: 'chooses a filter of the user',
    line: `echo '* filter=own merge=own' > .gitattributes; echo x > x`,
    files: ['a .gitattributes', 'a x'],
    content: { x: 'x\n' },
  },
  {
    name: 'pops a stash',
    line: 'git stash pop || true; git stash clear; echo x > x',
    files: ['a x'],
    isolations: CLONE,
  },
  {
    name: 'stashes',
    line: 'echo 2 > a.txt; git stash -q; echo x > x',
    files: ['a x'],
    notes: ['ownCommits'],
    isolations: CLONE,
  },
  {
    name: 'leaves locks',
    line: 'touch "$(git rev-parse --git-dir)/index.lock" "$(git rev-parse --git-dir)/HEAD.lock"; echo x > x',
    files: ['a x'],
  },
  {
    name: 'makes repositories inside, with and without commits',
    line: `mkdir -p n/deep/er; cd n; git init -q; echo modules > .gitignore; mkdir modules; echo m > modules/m; echo 1 > 1
      cd deep/er; git init -q; echo 2 > 2; git add 2; git commit -qm X`,
    files: ['a n/.gitignore', 'a n/1', 'a n/deep/er/2'],
    notes: ['nested'],
    left: /history of a repository/u,
    content: { 'n/deep/er/2': '2\n' },
  },
  {
    name: 'makes a repository of a folder of the commit',
    line: 'cd src; git init -q; echo n > new; echo 2 > b.txt',
    files: ['a src/new', 'm src/b.txt'],
  },
  {
    name: 'makes symbolic links to outside',
    line: 'ln -s /etc/passwd link; ln -s "$USER_REPOSITORY" repository; rm -r src; ln -s "$USER_REPOSITORY/u" src; rm a.txt; ln -s /nowhere a.txt',
    files: ['a link', 'a repository', 'a src', 'd src/b.txt', 't a.txt'],
    content: { link: '/etc/passwd' },
  },
  {
    name: 'writes by absolute paths, inside and outside',
    line: 'echo x > "$PWD/x"; echo o > "$(dirname "$USER_REPOSITORY")/outside"; echo o >> "$USER_REPOSITORY/ignored/outside"; rm "$USER_REPOSITORY/ignored/outside"',
    files: ['a x'],
  },
  {
    name: 'uses names that look like options, or have line ends, quotes and wrong bytes',
    line: String.raw`echo 1 > -rf; echo 2 > ./--help; echo 3 > $'two\nlines'; echo 4 > 'q"uo\te'; echo 5 > $'\xff'; echo 6 > ':(top)x'; echo 7 > ' '`,
    files: ['a  ', 'a --help', 'a -rf', 'a :(top)x', 'a q"uo\\te', 'a two\nlines', 'a \uFFFD'],
    content: { '-rf': '1\n', 'two\nlines': '3\n', ':(top)x': '6\n' },
  },
  {
    name: 'uses names that git refuses',
    line: 'mkdir .GIT; echo 1 > .GIT/x; echo x > x',
    files: ['a x'],
    notes: ['notTaken'],
    left: /^Paths that git refuses/u,
  },
  {
    name: 'swaps files, folders and pipes',
    line: 'rm -r src a.txt; echo s > src; mkdir a.txt; echo 1 > a.txt/1; rm u/half.txt; mkfifo u/half.txt',
    files: ['a a.txt/1', 'a src', 'd a.txt', 'd src/b.txt', 'd u/half.txt'],
  },
  {
    name: 'deletes everything',
    line: 'rm -rf -- * .gitignore',
    files: [
      'd .gitignore',
      'd a.txt',
      'd src/b.txt',
      'd u/dirty.txt',
      'd u/gone.txt',
      'd u/half.txt',
      'd u/staged.txt',
    ],
  },
  {
    name: 'changes modes',
    line: 'chmod +x a.txt; mkdir -p r/o; echo x > r/o/x; chmod 555 r/o r',
    files: ['a r/o/x', 'm a.txt'],
  },
  {
    name: 'ignores its own work',
    line: `echo '*' >> .gitignore; echo x > x; echo 2 > a.txt`,
    files: ['m .gitignore', 'm a.txt'],
  },
  {
    name: 'marks files as unchanged',
    line: 'git update-index --assume-unchanged a.txt; git update-index --skip-worktree src/b.txt; echo 2 > a.txt; rm src/b.txt; git config core.sparseCheckout true; git config core.worktree /',
    files: ['d src/b.txt', 'm a.txt'],
    isolations: CLONE,
  },
];

const CASES = DEEDS.flatMap((deed) => (deed.isolations ?? BOTH).map((isolation) => ({ ...deed, isolation })));

describe('an agent that', () => {
  it.each(CASES)('$name, in a $isolation', async ({ line, files, notes = [], left, content = {}, isolation }) => {
    const lab = await makeLab(folder.path);
    await makeDirty(lab);
    const trace = `${lab.root}-trace`;
    for (const key of ['filter.own.clean', 'filter.own.smudge', 'filter.own.process', 'merge.own.driver']) {
      await lab.git('config', key, BAIT.replace('TRACE', trace));
    }
    await lab.git('config', 'filter.own.required', 'true');
    const before = await pictureOf(lab.user);
    const workspaces = lab.workspaces({ isolation });
    const { base } = await workspaces.start({ run: 'run', signal });
    const workspace = await openAt(workspaces, base);
    const env = { ...workspace.env, USER_REPOSITORY: lab.user };
    await shell(workspace.path, line.replaceAll(BAIT, BAIT.replace('TRACE', trace)), env);
    const snapshot = await workspace.keep({ title: 'Do it', signal });
    expect(snapshot.files.map(({ path, status }) => `${status.slice(0, 1)} ${path}`).toSorted()).toEqual(
      files.toSorted(),
    );
    expect(snapshot.notes.map(({ code }) => code)).toEqual(notes);
    for (const [name, text] of Object.entries(content)) {
      expect(await contentOf(lab, snapshot.commit, name)).toBe(text);
    }
    const place = placeOf('integrate');
    const parts = [{ name: 'task', title: 'Do it', commit: snapshot.commit }];
    const merged = await workspaces.integrate({ place, base, parts, signal });
    expect(merged.conflicts).toEqual([]);
    await workspaces.diff({ from: base, to: merged.commit, signal });
    expect(await lab.git('rev-parse', `${merged.commit}^{tree}`)).toBe(snapshot.tree);
    await workspaces.publish({ run: 'run', commit: merged.commit, signal });
    const closed = await workspace.close();
    expect(closed.removed).toBe(left === undefined);
    if (left) expect(closed.reason).toMatch(left);
    expect(existsSync(workspace.path)).toBe(left !== undefined);
    expect(existsSync(trace) ? await readFile(trace, 'utf8') : '').toBe('');
    expect(await pictureOf(lab.user)).toEqual(before);
    expect(existsSync(join(lab.user, '.git/worktrees'))).toBe(isolation === 'worktree' && left !== undefined);
  });
});

describe('commits of an agent', () => {
  it('are kept as they are, by ref', async () => {
    const lab = await makeLab(folder.path);
    const workspaces = lab.workspaces();
    const { base } = await workspaces.start({ run: 'run', signal });
    const workspace = await openAt(workspaces, base);
    await shell(
      workspace.path,
      'git checkout -q -b fix; echo 1 > 1; git add -A; git commit -qm First; echo 2 > 1; git commit -qam Second',
    );
    const tip = await shell(workspace.path, 'git rev-parse HEAD');
    await workspace.keep({ title: 'Do it', signal });
    const refs = await lab.git('for-each-ref', '--format=%(objectname) %(refname)', 'refs/phasegate/run/commits');
    expect(refs.split('\n').map((one) => one.slice(0, 40))).toEqual([tip, tip]);
    expect(await lab.git('log', '--format=%an %s', `${base}..${tip}`)).toBe('Agent Second\nAgent First');
    expect(await workspace.close()).toEqual({ removed: true });
  });

  it.each([
    // A file of the tree that was committed, and that the snapshot does not have.
    [
      'damaged',
      'o=$(git rev-parse HEAD^{tree}); f=.git/objects/${o:0:2}/${o:2}; chmod +w $f; echo damaged > $f; echo 2 > 1',
    ],
    [
      'malicious',
      String.raw`t=$( (printf '40000 .git\0'; node -e 'process.stdout.write(Buffer.from(process.argv[1], "hex"))' $(git rev-parse HEAD^{tree})) | git hash-object -t tree -w --stdin --literally); git reset -q --soft $(git commit-tree -m Evil $t -p HEAD)`,
    ],
  ])('are refused if their objects are %s, and stay in the folder', async (_, line) => {
    const lab = await makeLab(folder.path);
    const workspaces = lab.workspaces();
    const { base } = await workspaces.start({ run: 'run', signal });
    const workspace = await openAt(workspaces, base);
    await shell(workspace.path, `echo 1 > 1; git add -A; git commit -qm First; ${line}`);
    const snapshot = await workspace.keep({ title: 'Do it', signal });
    expect(snapshot.files).toEqual([{ path: '1', status: 'added' }]);
    expect(snapshot.notes.map(({ text }) => text)).toEqual([
      'Commits of the agent, if any, are not kept, as git refuses to copy its commits.',
    ]);
    expect(await workspace.close()).toEqual({ removed: false, reason: 'Commits in it are not kept.' });
    await lab.git('fsck', '--strict');
  });
});

// --- internal ---

/** A file of a commit. The dash keeps the line ends in front of it. */
async function contentOf(lab: Lab, commit: string, name: string): Promise<string> {
  const text = await shell(lab.user, 'git cat-file blob "$SPEC"; echo -', { SPEC: `${commit}:${name}` });
  return text.slice(0, -1);
}
