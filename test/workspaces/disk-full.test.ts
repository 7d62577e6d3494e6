/** Disks that are full: nothing of the user changes, no work is lost, and work goes on with more space. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitWorkspace } from '../../src/workspaces/operations/git-workspace.ts';
import { makeLab, openAt, pictureOf, placeOf, put, signal, useFolder } from './rig.ts';

const folder = useFolder();

/** Calls a function with a disk of four megabytes. */
async function withDisk(call: (disk: string) => Promise<void>): Promise<void> {
  const disk = join(folder.path, 'disk');
  await mkdir(disk, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]);
  try {
    await call(disk);
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
}

const FILLER = Buffer.alloc(8_000_000, 'x');

async function fill(disk: string): Promise<void> {
  await writeFile(join(disk, 'filler'), FILLER).catch(() => undefined);
}

// Only the root user of Linux may mount a disk.
describe.runIf(process.platform === 'linux' && process.geteuid?.() === 0)('a full disk', () => {
  it('of workspaces opens none, and leaves no half of one', async () => {
    const lab = await makeLab(folder.path);
    const before = await pictureOf(lab.user);
    const { base } = await lab.workspaces().start({ run: 'run', signal });
    await withDisk(async (disk) => {
      const workspaces = lab.workspaces({ root: join(disk, 'root') });
      const first = await openAt(workspaces, base);
      await put(first.path, 'x', 'x');
      await fill(disk);
      await expect(openAt(workspaces, base, placeOf('other'))).rejects.toThrow(/ENOSPC|No space left on device/u);
      await rm(join(disk, 'filler'));
      expect((await workspaces.list(signal)).map(({ path }) => path)).toEqual([first.path]);
      expect((await first.keep({ title: 'X', signal })).files).toEqual([{ path: 'x', status: 'added' }]);
      expect(await first.close()).toEqual({ removed: true });
    });
    expect(await pictureOf(lab.user)).toEqual(before);
  });

  it('of the repository keeps nothing of an attempt, and its folder stays until there is space', async () => {
    const lab = await makeLab(folder.path);
    await withDisk(async (disk) => {
      const repository = join(disk, 'user');
      await cp(lab.user, repository, { recursive: true });
      const before = await pictureOf(repository);
      const workspaces = gitWorkspace({ repository, root: lab.root });
      const { base } = await workspaces.start({ run: 'run', signal });
      const workspace = await openAt(workspaces, base);
      await put(
        workspace.path,
        'x',
        Buffer.from(Array.from({ length: 30_000 }, (_, index) => index % 251)).toString('hex'),
      );
      await fill(disk);
      await expect(workspace.keep({ title: 'X', signal })).rejects.toMatchObject({ code: 'GIT_FAILED' });
      expect(await workspaces.kept(placeOf(), signal)).toBeUndefined();
      await rm(join(disk, 'filler'));
      expect(await pictureOf(repository)).toEqual(before);
      expect((await workspace.keep({ title: 'X', signal })).files).toEqual([{ path: 'x', status: 'added' }]);
      expect(await workspace.close()).toEqual({ removed: true });
      expect(existsSync(workspace.path)).toBe(false);
    });
  });
});
