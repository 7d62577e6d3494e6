/** Two processes that start the same run: one does so between any two calls of git of the other. */
import { describe, expect, it } from 'vitest';
import { repositoryOpener, type Repository } from '../../src/workspaces/git/repository.ts';
import { openHome } from '../../src/workspaces/marker/home.ts';
import { startRunBase } from '../../src/workspaces/operations/run-base.ts';
import { readOptions } from '../../src/workspaces/options.ts';
import { makeLab, useFolder } from './rig.ts';

const folder = useFolder();
const { signal } = new AbortController();

/** Calls `act` right before the nth call of git. Writes of refs are not counted, as those of one process take turns. */
function interrupted(repository: Repository, nth: number, act: () => Promise<unknown>): Repository {
  let calls = 0;
  const before = async ([command]: readonly string[]): Promise<void> => {
    if (command !== 'update-ref' && (calls += 1) === nth) await act();
  };
  return {
    ...repository,
    git: async (...call) => {
      await before(call[0]);
      return repository.git(...call);
    },
    text: async (...call) => {
      await before(call[0]);
      return repository.text(...call);
    },
  };
}

describe('the start of a run', () => {
  it('returns the base of another process that starts the run between any two calls of git', async () => {
    let nth = 0;
    for (let hasActed = true; hasActed;) {
      hasActed = false;
      nth += 1;
      const lab = await makeLab(folder.path);
      const options = readOptions({ repository: lab.user, root: lab.root });
      const repository = await repositoryOpener({ folder: lab.user, author: options.author, timeout: 60_000 })(signal);
      let others: unknown;
      const own = await startRunBase(
        interrupted(repository, nth, async () => {
          hasActed = true;
          others = await lab.workspaces().start({ run: 'run', signal });
        }),
        { home: await openHome(repository, lab.root), options, run: 'run' },
      );
      if (hasActed) expect(own).toEqual(others);
    }
    // The start calls git several times, so the loop above has tried several instants.
    expect(nth).toBeGreaterThan(5);
  });
});
