/** Workspaces of a git repository: the way of work through them. */
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDirty, makeLab, openAt, pictureOf, placeOf, put, signal, useFolder, workAt } from './rig.ts';

const folder = useFolder();

describe('gitWorkspace()', () => {
  it('takes work of agents by clones into commits, integrates and publishes them, and leaves the user alone', async () => {
    const lab = await makeLab(folder.path);
    await makeDirty(lab);
    const before = await pictureOf(lab.user);
    const workspaces = lab.workspaces();
    const { base, branch, notes } = await workspaces.start({ run: 'run', signal });
    expect(base).toBe(await lab.git('rev-parse', 'HEAD'));
    expect(branch).toBe('phasegate/run');
    expect(notes.map(({ code }) => code)).toEqual(['uncommitted']);
    const one = await workAt(workspaces, base, placeOf('one'), (path) => put(path, 'one.txt', 'one\n'));
    const two = await workAt(workspaces, base, placeOf('two'), (path) => put(path, 'src/b.txt', 'two\n'));
    expect([one.closed, two.closed]).toEqual([{ removed: true }, { removed: true }]);
    expect(one.snapshot).toMatchObject({
      base,
      files: [{ path: 'one.txt', status: 'added' }],
      fileCount: 1,
      notes: [],
    });
    const place = placeOf('integrate');
    const parts = [
      { name: 'one', title: 'Do one', commit: one.snapshot.commit },
      { name: 'two', title: 'Do two', commit: two.snapshot.commit },
    ];
    const { commit, conflicts } = await workspaces.integrate({ place, base, parts, signal });
    expect(conflicts).toEqual([]);
    expect(await workspaces.publish({ run: 'run', commit, signal })).toEqual({ branch, commit });
    expect(await lab.git('log', '--first-parent', '--format=%s', branch)).toBe(
      'phasegate(build): Do two\nphasegate(build): Do one\nAdd files of the user\nBegin',
    );
    expect(await lab.git('show', `${branch}:src/b.txt`)).toBe('two');
    expect(await pictureOf(lab.user)).toEqual(before);
    expect(await lab.git('status', '--porcelain')).toContain('MM u/half.txt');
    const left = await readdir(join(lab.root, (await readdir(lab.root))[0] ?? ''));
    expect(left.filter((name) => !name.startsWith('.'))).toEqual([]);
  });

  it('returns the same results when called again', async () => {
    const lab = await makeLab(folder.path);
    const started = await lab.workspaces().start({ run: 'run', signal });
    await lab.put('a.txt', 'later\n');
    await lab.git('commit', '-aqm', 'Go on');
    expect(await lab.workspaces().start({ run: 'run', signal })).toEqual(started);
    const place = placeOf();
    expect(await lab.workspaces().kept(place, signal)).toBeUndefined();
    const workspace = await openAt(lab.workspaces(), started.base, place);
    await put(workspace.path, 'x', 'x');
    const kept = await workspace.keep({ title: 'First', signal });
    await put(workspace.path, 'x', 'y');
    expect(await workspace.keep({ title: 'Second', signal })).toEqual(kept);
    expect(await lab.workspaces().kept(place, signal)).toEqual(kept);
    expect(await workspace.close()).toEqual({ removed: false, reason: 'Its files are not kept.' });
    expect(await readFile(join(workspace.path, 'x'), 'utf8')).toBe('y');
    const parts = [{ name: 'x', title: 'X', commit: kept.commit }];
    const merged = await lab.workspaces().integrate({ place, base: started.base, parts, signal });
    expect(await lab.workspaces().integrate({ place, base: started.base, parts: [], signal })).toEqual(merged);
    expect(existsSync(workspace.path)).toBe(true);
  });

  it('leaves the user alone when it is cancelled at any time', async () => {
    const lab = await makeLab(folder.path);
    await makeDirty(lab);
    const before = await pictureOf(lab.user);
    const { base } = await lab.workspaces().start({ run: 'run', signal });
    const outcomes = new Set<string>();
    for (let calls = 0; calls < 200; calls += 3) {
      // Aborts when the signal is looked at for the given time.
      const { signal: limited, used } = abortingAfter(calls);
      const workspaces = lab.workspaces({ base: 'head+dirty' });
      const run = `run-${calls}`;
      try {
        const started = await workspaces.start({ run, signal: limited });
        const workspace = await workspaces.open(placeOf('one', 0, run), { base: started.base, signal: limited });
        await put(workspace.path, 'x', 'x');
        try {
          await workspace.keep({ title: 'X', signal: limited });
          outcomes.add('kept');
        } finally {
          await workspace.close();
        }
      } catch (error) {
        expect(error).toMatchObject({ code: 'GIT_FAILED' });
        outcomes.add('cancelled');
      }
      if (!used()) break;
    }
    expect([...outcomes]).toEqual(['cancelled', 'kept']);
    expect(await pictureOf(lab.user)).toEqual(before);
    expect((await lab.workspaces().list(signal)).every(({ state }) => state === 'left')).toBe(true);
    expect(base).toBe(await lab.git('rev-parse', 'HEAD'));
  });
});

// --- internal ---

/** A signal that aborts when it has been listened to a number of times: each call of git listens to it once. */
function abortingAfter(times: number): { readonly signal: AbortSignal; readonly used: () => boolean } {
  const controller = new AbortController();
  let left = times;
  const listen = controller.signal.addEventListener.bind(controller.signal);
  controller.signal.addEventListener = (...args: Parameters<typeof listen>) => {
    listen(...args);
    if (left === 0) queueMicrotask(() => controller.abort());
    left -= 1;
  };
  return { signal: controller.signal, used: () => left < 0 };
}
