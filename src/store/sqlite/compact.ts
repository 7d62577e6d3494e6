/**
 * Giving room back to the disk, beside others who work with the store.
 *
 * Rows that are removed leave pages that SQLite uses again; the file stays as large as it ever was. They are cut off a few at
 * a time, with pauses in which others write. A store of an earlier version does not know how: it is rewritten once.
 *
 * @module
 */
import { statfsSync, statSync } from 'node:fs';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Compaction } from '../port.ts';
import type { Connection } from './connection.ts';
import { number } from './rows.ts';

/** Gives pages that nothing is on back to the disk. @throws PhasegateError `STORE_READ_ONLY`, `STORE_UNREADABLE`, … */
export async function compactStore(connection: Connection, now: () => number): Promise<Compaction> {
  const size = () => connection.read(ACTION, () => statSync(connection.path).size);
  const found = size();
  let largest = found;
  const obstacle = await cut(connection, now, () => (largest = Math.max(found, size())));
  const { unused } = pagesOf(connection);
  return { freed: Math.max(0, largest - size()), unused, ...(unused > 0 && obstacle && { obstacle }) };
}

// --- internal ---

const ACTION = 'make the store smaller';

/** Pages that are cut off at once: others wait for that, some milliseconds. */
const AT_ONCE = 256;

/** How much longer than such a part the pause after it is: who waits looks only now and then whether it can write. */
const PAUSE = 2;

type Obstacle = Compaction['obstacle'];

/**
 * Cuts off what is unused, in the way that the file knows.
 *
 * @param begin Called when the file has all that was in its log.
 * @returns What was in the way.
 */
async function cut(connection: Connection, now: () => number, begin: () => void): Promise<Obstacle> {
  try {
    // Also refuses a store that is opened to be read only.
    const isAtWork = connection.write(ACTION, () => connection.sql(AT_WORK).get(now()) !== undefined);
    bringIn(connection, 'PASSIVE');
    begin();
    if (pagesOf(connection).unused === 0) return undefined;
    if (pragma(connection, 'auto_vacuum') !== INCREMENTAL) return isAtWork ? 'at-work' : rewrite(connection);
    await cutInParts(connection);
    bringIn(connection, 'PASSIVE');
    return undefined;
  } catch (error) {
    if (PhasegateError.is(error) && error.code === 'STORE_BUSY') return 'busy';
    if (PhasegateError.is(error) && error.code === 'STORE_FULL') return 'full';
    throw error;
  }
}

const AT_WORK = 'SELECT 1 FROM leases WHERE expires_at > ? LIMIT 1';

/** How many pages nothing is on. */
const FREE = 'freelist_count';

/** What `auto_vacuum` is in a file that can be cut off in parts. */
const INCREMENTAL = 2;

async function cutInParts(connection: Connection): Promise<void> {
  for (;;) {
    const began = performance.now();
    // Seen in the transaction itself, as others may remove runs before the next.
    const [before, after] = connection.write(ACTION, () => {
      const found = pragma(connection, FREE);
      connection.exec(`PRAGMA incremental_vacuum(${AT_ONCE})`);
      return [found, pragma(connection, FREE)];
    });
    // What does not become less by this never will.
    if (after === 0 || after >= before) return;
    const took = performance.now() - began;
    await new Promise((resolve) => setTimeout(resolve, took * PAUSE));
  }
}

/** Writes the whole file anew, in one go, as one that can be cut off in parts from then on. */
function rewrite(connection: Connection): Obstacle {
  const { path, exec, read } = connection;
  const { bavail, bsize } = statfsSync(path);
  // It is written to a temporary file first, which may be on the same disk, and then to the log.
  if (bavail * bsize < 2 * pagesOf(connection).used) return 'full';
  try {
    read(ACTION, () => exec(`PRAGMA auto_vacuum = ${INCREMENTAL}; VACUUM`));
  } finally {
    // The log has grown by all of it, also where that went wrong.
    bringIn(connection, 'TRUNCATE');
  }
  return undefined;
}

/** Bytes of pages, those that nothing is on and the others. */
function pagesOf(connection: Connection): { readonly used: number; readonly unused: number } {
  return connection.readAtOnce(ACTION, () => {
    const size = pragma(connection, 'page_size');
    const unused = size * pragma(connection, FREE);
    return { unused, used: size * pragma(connection, 'page_count') - unused };
  });
}

function pragma({ sql }: Connection, name: string): number {
  return number(sql(`PRAGMA ${name}`).get() ?? {}, name);
}

/** Brings what is in the log into the file, which becomes smaller only then; not what others still read as it was. */
function bringIn({ exec, read }: Connection, mode: 'PASSIVE' | 'TRUNCATE'): void {
  read(ACTION, () => exec(`PRAGMA wal_checkpoint(${mode})`));
}
