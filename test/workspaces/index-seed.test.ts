/** Snapshots that begin with the index of the new workspace: they see every change, also one that looks like none. */
import { describe, expect, it } from 'vitest';
import { makeLab, placeOf, shell, signal, useFolder, workAt } from './rig.ts';

const folder = useFolder();

/** Changes that a comparison of sizes and times may miss. */
const CHANGES = {
  'at once, with the same size': 'printf "A\\n" > a.txt',
  'with the same size and time': 'touch -r a.txt ../time; printf "A\\n" > a.txt; touch -r ../time a.txt',
  'marked as unchanged in its own index': 'git update-index --assume-unchanged a.txt; printf "A\\n" > a.txt',
  'with its own index replaced': 'rm -rf .git; git init -q; printf "A\\n" > a.txt; git add -A',
};

describe.each(['clone', 'worktree'] as const)('a snapshot of a %s', (isolation) => {
  it.each(Object.entries(CHANGES))('has a change that an agent makes %s', async (_, line) => {
    const lab = await makeLab(folder.path);
    const workspaces = lab.workspaces({ isolation });
    const { base } = await workspaces.start({ run: 'run', signal });
    const { snapshot } = await workAt(workspaces, base, placeOf(), (path) => shell(path, line));
    expect(snapshot.files).toEqual([{ path: 'a.txt', status: 'modified' }]);
    expect(await lab.git('show', `${snapshot.commit}:a.txt`)).toBe('A');
  });
});
