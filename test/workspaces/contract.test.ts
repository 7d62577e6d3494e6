/** The contract of workspaces, for clones and for working trees. */
import { describe, it } from 'vitest';
import { workspaceCases } from '../../src/testing/workspace-contract.ts';
import { makeDirty, makeLab, pictureOf, shell, useFolder } from './rig.ts';

const folder = useFolder();

describe.each(['clone', 'worktree'] as const)('workspaces by %s', (isolation) => {
  const cases = workspaceCases(async () => {
    const lab = await makeLab(folder.path);
    await makeDirty(lab);
    return {
      open: () => lab.workspaces({ isolation }),
      // The dash keeps the line ends in front of it.
      read: (commit, path) =>
        shell(lab.user, 'git cat-file blob "$SPEC"; echo -', { SPEC: `${commit}:${path}` }).then(
          (text) => text.slice(0, -1),
          () => undefined,
        ),
      picture: () => pictureOf(lab.user),
    };
  });
  it.each(cases)('$about $name', ({ run }) => run());
});
