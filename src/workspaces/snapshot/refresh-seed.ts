/**
 * The index of a new workspace, compared with its files while the agent works. Its snapshot need not read them then.
 *
 * A checkout writes most files in the second in which it writes the index, and git reads such files at the next comparison. A comparison in a
 * later second settles that. A change that it does not see is made after it has begun, so the time of the file is not before that of the index.
 *
 * @module
 */
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Repository } from '../git/repository.ts';
import { withScratch, type Home } from '../marker/home.ts';
import type { IndexSeed } from './index-seed.ts';

/** Options of {@link refreshSeed}. */
export interface RefreshOptions {
  readonly repository: Repository;
  readonly home: Home;
  readonly work: string;
  readonly seed: IndexSeed;
}

/** Begins to refresh the index of a new workspace. A snapshot that comes first does it itself. */
export function refreshSeed({ repository, home, work, seed }: RefreshOptions): void {
  seed.refresh(async (own, wanted) => {
    await setTimeout(NEXT_SECOND_MS, undefined, { signal: wanted, ref: false });
    await withScratch(home, async (scratch) => {
      const index = join(scratch, 'index');
      if ((await own.put(index))?.state !== 'new') return;
      const time = join(scratch, 'time');
      await writeFile(time, '');
      // By the clock of the file system, which need not be that of this machine.
      const seconds = Math.floor((await stat(time)).mtimeMs / 1000);
      const call = { workTree: work, index, timeout: REFRESH_MS };
      await repository.git(['update-index', '-q', '--refresh'], { ...call, codes: [0, 1] });
      await own.take(index, { state: 'refreshed', seconds });
    });
  });
}

// --- internal ---

/** Milliseconds until the next second has begun, by any clock. */
const NEXT_SECOND_MS = 1050;
/** Milliseconds for a comparison, which an agent might hinder by a pipe instead of a file. */
const REFRESH_MS = 60_000;
