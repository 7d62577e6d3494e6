/** Folders of workspaces: their preparation, their limits, and their removal. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, readlink, rename, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runRefs, slug } from '../../src/workspaces/git/names.ts';
import { discardTry } from '../../src/workspaces/marker/trash.ts';
import { readOptions } from '../../src/workspaces/options.ts';
import { choosePorts } from '../../src/workspaces/place/ports.ts';
import type { Workspaces } from '../../src/workspaces/port.ts';
import { git, makeDirty, makeLab, openAt, pictureOf, placeOf, put, shell, signal, useFolder, workAt } from './rig.ts';

const folder = useFolder();

async function baseOf(workspaces: Workspaces): Promise<string> {
  return (await workspaces.start({ run: 'run', signal })).base;
}

describe('options', () => {
  it.each([
    { isolation: 'container' },
    { base: 'main' },
    { include: ['../x'] },
    { include: ['/etc/passwd'] },
    { include: ['a/.git/config'] },
    { include: [''] },
    { include: 'x' },
    { ports: -1 },
    { maxCount: 0 },
    { setup: [] },
    { teardown: '  ' },
    { author: { name: 'A\nB', email: 'x' } },
    { author: { name: 'A', email: '<x>' } },
    { timeout: 0.5 },
  ])('refuses %j', (options) => {
    expect(() => readOptions(options as never)).toThrow(expect.objectContaining({ code: 'DEFINITION_INVALID' }));
  });
});

describe('slug()', () => {
  it.each(['run', '01JDXYZ0123456789ABCDEFGHJ', 'a-b_c', '2a'])('keeps %s', (id) => {
    expect(slug(id)).toBe(id);
  });

  it('gives any other id a name that git accepts, and different ids different names', async () => {
    const odd = [
      '',
      'Run',
      'run',
      'RUN',
      '.',
      '..',
      'a..b',
      'a/b',
      'a-b',
      'x.lock',
      '-rf',
      '@',
      '@{',
      'a b',
      'ü',
      '😀',
      '\n',
      '\uD800',
      'a'.repeat(63),
      'a'.repeat(64),
      'A'.repeat(64),
      'a'.repeat(300),
      '__proto__',
      '01jdxyz0123456789abcdefghj',
      '01JDXYZ0123456789ABCDEFGHJ',
      `a-${'0'.repeat(20)}`,
    ];
    const all = [...odd, ...odd.map((one) => slug(one)).filter((one) => !odd.includes(one))];
    const names = all.map((one) => slug(one));
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(new Set(all).size);
    for (const one of all) {
      expect(slug(one)).toMatch(/^[\w][\w-]{0,62}$/u);
      await git(folder.path, 'check-ref-format', runRefs(one).branchRef);
    }
  });
});

describe('open()', () => {
  it('copies included files, which no snapshot has, runs the setup and gives ports', async () => {
    const lab = await makeLab(folder.path);
    await makeDirty(lab);
    await lab.put('src/secret/key', 'KEY');
    await symlink('key', join(lab.user, 'src/secret/link'));
    const setup = 'echo "$PHASEGATE_PORT $PHASEGATE_PORTS $PHASEGATE_WORKSPACE" > ignored; cat .env.local >> ignored';
    const workspaces = lab.workspaces({
      include: ['.env.local', 'src/secret/', 'missing', 'a.txt'],
      setup: `mkdir ignored; cd ignored; ${setup.replaceAll('.env', '../.env')}`,
      ports: 2,
    });
    const base = await baseOf(workspaces);
    await lab.put('a.txt', 'changed by the user\n');
    const workspace = await openAt(workspaces, base);
    expect(workspace.notes).toEqual([
      {
        code: 'includeMissing',
        text: `The file "missing" was not copied to this workspace, as it is not in the user's folder.`,
      },
    ]);
    expect(await readFile(join(workspace.path, 'ignored/ignored'), 'utf8')).toMatch(
      new RegExp(String.raw`^\d{5} 2 ${workspace.path}\nSECRET=1\n$`, 'u'),
    );
    expect(await readlink(join(workspace.path, 'src/secret/link'))).toBe('key');
    expect(await readFile(join(workspace.path, 'a.txt'), 'utf8')).toBe('a\n');
    await put(workspace.path, 'src/secret/more', 'x');
    expect((await workspace.keep({ title: 'X', signal })).files).toEqual([]);
    expect(await workspace.close()).toEqual({ removed: true });
  });

  it('does not copy through links that lead out of the folders', async () => {
    const lab = await makeLab(folder.path);
    const outside = join(lab.root, '../outside');
    await mkdir(outside);
    await writeFile(join(outside, 'x'), 'theirs');
    await symlink(outside, join(lab.user, 'out'));
    await lab.git('add', '-A');
    await lab.git('commit', '-qm', 'Link');
    const workspaces = lab.workspaces({ include: ['out/x', 'out/y'] });
    const workspace = await openAt(workspaces, await baseOf(workspaces));
    expect(workspace.notes).toHaveLength(2);
    expect(await readdir(outside)).toEqual(['x']);
  });

  it('has no remote, no way up, and no access by links to the objects of the user', async () => {
    const lab = await makeLab(folder.path);
    const workspace = await openAt(lab.workspaces(), await baseOf(lab.workspaces()));
    expect(await git(workspace.path, 'remote')).toBe('');
    expect(await shell(workspace.path, 'find .git -type f -links +1; find .git -name alternates')).toBe('');
    await shell(workspace.path, 'rm -rf .git');
    await shell(workspace.path, 'cd src; ! git rev-parse', { ...workspace.env });
    expect(workspace.path.startsWith(lab.user)).toBe(false);
  });

  it('removes the folder if the setup fails, and says what failed', async () => {
    const lab = await makeLab(folder.path);
    const workspaces = lab.workspaces({ setup: ['node', '-e', 'console.error("no network"); process.exit(3)'] });
    await expect(openAt(workspaces, await baseOf(workspaces))).rejects.toThrow(
      /as setup of a workspace as it ended with exit code 3:\nno network/u,
    );
    expect(await workspaces.list(signal)).toEqual([]);
  });

  it('says so if the setup changes files', async () => {
    const lab = await makeLab(folder.path);
    const workspaces = lab.workspaces({ setup: 'echo 2 > a.txt' });
    const workspace = await openAt(workspaces, await baseOf(workspaces));
    expect(workspace.notes.map(({ code }) => code)).toEqual(['setupChanged']);
  });

  it('removes a half-made folder after an abort', async () => {
    const lab = await makeLab(folder.path);
    const controller = new AbortController();
    const workspaces = lab.workspaces({ setup: 'echo begun > begun; sleep 600' });
    const base = await baseOf(workspaces);
    const opening = workspaces.open(placeOf(), { base, signal: controller.signal });
    const settled = opening.then(
      () => 'opened',
      (error: unknown) => error,
    );
    const home = join(lab.root, (await readdir(lab.root))[0] ?? '');
    const begun = async () => {
      const tries = (await readdir(home)).filter((name) => !name.startsWith('.'));
      return tries.some((name) => existsSync(join(home, name, 'user', 'begun')));
    };
    await expect.poll(begun).toBe(true);
    controller.abort();
    expect(await settled).toMatchObject({ code: 'COMMAND_FAILED' });
    expect(await workspaces.list(signal)).toEqual([]);
  });

  it('keeps to a number of workspaces and to a size, and removes those that are not needed first', async () => {
    const lab = await makeLab(folder.path);
    const workspaces = lab.workspaces({ maxCount: 2, maxBytes: 5_000_000 });
    const base = await baseOf(workspaces);
    const [one] = [await openAt(workspaces, base, placeOf('one')), await openAt(workspaces, base, placeOf('two'))];
    await expect(openAt(workspaces, base, placeOf('three'))).rejects.toThrow(
      'there are 2 already, and at most 2 may be',
    );
    await put(one.path, 'x', 'x'.repeat(6_000_000));
    expect(await one.close()).toEqual({ removed: false, reason: 'Its files are not kept.' });
    await expect(openAt(workspaces, base, placeOf('three'))).rejects.toMatchObject({ code: 'WORKSPACE_REFUSED' });
    await expect(openAt(lab.workspaces({ maxBytes: 5_000_000 }), base, placeOf('three'))).rejects.toThrow(
      /they take \d{7} bytes/u,
    );
    await put(one.path, 'x', '');
    await shell(one.path, 'rm x');
    await openAt(workspaces, base, placeOf('three'));
    expect(existsSync(one.path)).toBe(false);
  });

  it('stops git after the timeout, such as when it waits for a pipe, and leaves the folder', async () => {
    const lab = await makeLab(folder.path);
    const base = await baseOf(lab.workspaces());
    const workspace = await openAt(lab.workspaces({ timeout: 3000 }), base);
    await shell(workspace.path, 'rm .gitignore; mkfifo .gitignore; echo x > x');
    await expect(workspace.keep({ title: 'X', signal })).rejects.toThrow(
      /^Cannot finish `git ls-files .* as it took longer than 3000 ms/u,
    );
    const controller = new AbortController();
    const keeping = workspace.keep({ title: 'X', signal: controller.signal });
    controller.abort();
    await expect(keeping).rejects.toThrow('as it was stopped');
    await shell(workspace.path, 'rm .gitignore');
    expect((await workspace.keep({ title: 'X', signal })).fileCount).toBe(2);
    expect(await workspace.close()).toEqual({ removed: true });
  });

  it('leaves no trace of a working tree in the repository if it is not completed', async () => {
    const lab = await makeLab(folder.path);
    const workspaces = lab.workspaces({ isolation: 'worktree', setup: ['false'] });
    const base = await baseOf(workspaces);
    await expect(openAt(workspaces, base)).rejects.toMatchObject({ code: 'COMMAND_FAILED' });
    expect(await lab.git('worktree', 'list', '--porcelain')).not.toContain(lab.root);
  });

  it('refuses to keep more bytes than allowed, and leaves the folder', async () => {
    const lab = await makeLab(folder.path);
    const workspaces = lab.workspaces({ maxChangedBytes: 1000 });
    const workspace = await openAt(workspaces, await baseOf(workspaces));
    await put(workspace.path, 'x', 'x'.repeat(1001));
    await expect(workspace.keep({ title: 'X', signal })).rejects.toThrow('exceed 1000 bytes: 1001 so far');
    const closed = await workspace.close();
    expect(closed.removed).toBe(false);
    expect(closed.reason).toContain('exceed 1000 bytes');
    expect(existsSync(join(workspace.path, 'x'))).toBe(true);
  });

  it('chooses ports that are free and not taken', async () => {
    const { first } = await choosePorts(2, [], 'key');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(first + 1, '127.0.0.1', resolve));
    const next = await choosePorts(2, [], 'key');
    await new Promise((resolve) => server.close(resolve));
    expect(next.first).toBeGreaterThan(first + 1);
    expect((await choosePorts(2, [next, { first, count: 1 }], 'key')).first).toBeGreaterThan(next.first + 1);
  });
});

describe('close()', () => {
  it('runs the teardown, and leaves the folder if that fails', async () => {
    const lab = await makeLab(folder.path);
    const trace = `${lab.root}-trace`;
    const good = lab.workspaces({
      teardown: ['node', '-e', `fs.writeFileSync(${JSON.stringify(trace)}, process.env.PHASEGATE_WORKSPACE)`],
    });
    const base = await baseOf(good);
    const { closed, path } = await workAt(good, base, placeOf('good'), (work) => put(work, 'x', 'x'));
    expect([closed, await readFile(trace, 'utf8')]).toEqual([{ removed: true }, path]);
    const bad = await workAt(lab.workspaces({ teardown: ['false'] }), base, placeOf('bad'), (work) =>
      put(work, 'x', 'x'),
    );
    expect(bad.closed.removed).toBe(false);
    expect(bad.closed.reason).toMatch(/^Its teardown failed: Cannot finish `false`/u);
  });

  it('removes nothing but the folder itself, whatever an agent puts in its place', async () => {
    const lab = await makeLab(folder.path);
    await makeDirty(lab);
    const before = await pictureOf(lab.user);
    const workspaces = lab.workspaces();
    const workspace = await openAt(workspaces, await baseOf(workspaces));
    const own = join(workspace.path, '..');
    await rename(own, `${own}-moved`);
    await symlink(lab.user, own);
    await put(lab.user, 'workspace.json', await readFile(join(`${own}-moved`, 'workspace.json'), 'utf8'));
    await workspace.close().catch(() => undefined);
    await workspaces.prune({ rescue: true, signal });
    const { 'workspace.json': marker, ...after } = await pictureOf(lab.user);
    expect(marker).toBeDefined();
    expect(after).toEqual(before);
  });
});

describe('discardTry()', () => {
  it('refuses folders that are not of this home, links to them, and folders without a marker', async () => {
    const own = await mkdtemp(join(folder.path, 'home-'));
    const home = { path: own, trash: join(own, '.trash'), scratch: join(own, '.scratch'), name: 'x' };
    for (const name of ['.trash', 'bare', 'deep/try', 'try', '../outside'])
      await mkdir(join(own, name), { recursive: true });
    for (const name of ['deep/try', 'try', '../outside']) await put(own, `${name}/workspace.json`, '{}');
    await symlink(join(own, '../outside'), join(own, 'link'));
    for (const name of ['bare', 'deep/try', '../outside', 'link', '.']) {
      await expect(discardTry(home, join(own, name)), name).rejects.toMatchObject({ code: 'WORKSPACE_REFUSED' });
    }
    await discardTry(home, join(own, 'try'));
    expect((await readdir(own)).toSorted()).toEqual(['.trash', 'bare', 'deep', 'link']);
    expect(await readdir(join(own, '../outside'))).toEqual(['workspace.json']);
  });
});

describe('list() and prune()', () => {
  it('tell workspaces in use from those that can go and those that cannot', async () => {
    const lab = await makeLab(folder.path);
    const workspaces = lab.workspaces();
    const base = await baseOf(workspaces);
    const used = await openAt(workspaces, base, placeOf('used'));
    const left = await openAt(workspaces, base, placeOf('left'));
    await put(left.path, 'only-here', 'x');
    await left.close();
    const kept = await openAt(workspaces, base, placeOf('kept'));
    await put(kept.path, 'x', 'x');
    await kept.keep({ title: 'X', signal });
    const read = await workspaces.open(placeOf('read'), { base, disposable: true, signal });
    await put(read.path, 'x', 'x');
    for (const { path } of [kept, read]) {
      const marker = join(path, '../workspace.json');
      const facts = JSON.parse(await readFile(marker, 'utf8')) as { owner: object };
      // As if its process had been killed.
      await writeFile(marker, JSON.stringify({ ...facts, owner: { ...facts.owner, pid: 2 ** 30 } }));
    }
    const found = await workspaces.list(signal);
    expect(Object.fromEntries(found.map(({ place, state }) => [place.task, state]))).toEqual({
      used: 'inUse',
      left: 'left',
      kept: 'removable',
      read: 'removable',
    });
    expect(found.every(({ bytes }) => bytes > 1000)).toBe(true);
    const pruned = await workspaces.prune({ signal });
    expect(pruned.removed.toSorted()).toEqual([kept.path, read.path].toSorted());
    expect(pruned.left.map(({ path }) => path).toSorted()).toEqual([left.path, used.path].toSorted());
    const rescued = await workspaces.prune({ rescue: true, signal });
    expect([rescued.removed, rescued.left.map(({ path }) => path)]).toEqual([[left.path], [used.path]]);
    const [ref = ''] = (await lab.git('for-each-ref', '--format=%(refname)', 'refs/phasegate/run/left')).split('\n');
    expect(rescued.rescued).toEqual([{ path: left.path, ref }]);
    expect(await lab.git('ls-tree', '--name-only', ref, 'only-here')).toBe('only-here');
    await used.close();
    expect(await workspaces.list(signal)).toEqual([]);
  });

  it('ignore what is no workspace', async () => {
    const lab = await makeLab(folder.path);
    const workspaces = lab.workspaces();
    await workAt(workspaces, await baseOf(workspaces), placeOf(), (path) => put(path, 'x', 'x'));
    const home = join(lab.root, (await readdir(lab.root))[0] ?? '');
    await put(home, 'mine/file', 'x');
    await put(home, 'broken/workspace.json', '{"version":1}');
    expect(await workspaces.prune({ rescue: true, signal })).toEqual({ removed: [], left: [], rescued: [] });
    expect(existsSync(join(home, 'mine/file'))).toBe(true);
  });
});

describe('work in place', () => {
  it('uses the folder of the user, and sets it back for the next attempt without losing anything', async () => {
    const lab = await makeLab(folder.path);
    await makeDirty(lab);
    const index = await readFile(join(lab.user, '.git/index'));
    const workspaces = lab.workspaces({ isolation: 'inPlace' });
    const { base } = await workspaces.start({ run: 'run', signal });
    const work = async (attempt: number, line: string) =>
      workAt(workspaces, base, placeOf('task', attempt), (path) => shell(path, line));
    const before = await pictureOf(lab.user);
    const first = await work(
      0,
      'echo 1 > deep-1; mkdir -p n/m; echo 1 > n/m/1; rm new.txt; echo 3 > u/dirty.txt; rm -r src; echo 3 > src',
    );
    expect(first.path).toBe(lab.user);
    expect(first.closed).toEqual({ removed: false, reason: "It is the user's own folder." });
    expect(first.snapshot.files.map(({ path }) => path)).toEqual([
      'deep-1',
      'n/m/1',
      'new.txt',
      'src',
      'src/b.txt',
      'u/dirty.txt',
    ]);
    const second = await openAt(workspaces, base, placeOf('task', 1));
    expect(second.notes.map(({ code }) => code)).toEqual(['restored']);
    expect(await pictureOf(lab.user)).toEqual(before);
    await expect(openAt(workspaces, base, placeOf('other'))).rejects.toThrow('another task works in the same folder');
    await put(second.path, '2', '2');
    expect((await second.keep({ title: 'X', signal })).files).toEqual([{ path: '2', status: 'added' }]);
    await second.close();
    expect(await readFile(join(lab.user, '.git/index'))).toEqual(index);
    expect(await workspaces.list(signal)).toEqual([]);
  });
});
