/** Places of workspaces on a disk with ext4, which would otherwise look at the places of deleted files again for each new file. */
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeLab, openAt, shell, signal, useFolder } from './rig.ts';

const folder = useFolder();
const EXT = 0xef53;

describe('the folder in which workspaces begin', () => {
  it('is the top of unrelated folders for ext4, so that they are spread over the disk', async (test) => {
    const lab = await makeLab(folder.path);
    const isExt = (await statfs(folder.path)).type === EXT;
    test.skip(!isExt || (await shell(folder.path, 'command -v chattr || :')) === '', 'There is nothing to mark.');
    const workspaces = lab.workspaces({ isolation: 'clone' });
    const { base } = await workspaces.start({ run: 'run', signal });
    await openAt(workspaces, base);
    const [flags = ''] = (await shell(lab.root, 'lsattr -d */.scratch')).split(' ');
    expect(flags).toContain('T');
  });

  it('is used without the program that marks it', async () => {
    const { PATH } = process.env;
    const lab = await makeLab(folder.path);
    const bin = join(lab.root, '..', 'bin');
    await shell(folder.path, `mkdir -p ${bin}; for one in git rm; do ln -s "$(command -v $one)" ${bin}; done`);
    try {
      process.env['PATH'] = bin;
      const workspaces = lab.workspaces({ isolation: 'clone' });
      const { base } = await workspaces.start({ run: 'run', signal });
      const workspace = await openAt(workspaces, base);
      expect(await workspace.close()).toEqual({ removed: true });
    } finally {
      process.env['PATH'] = PATH;
    }
  });
});
