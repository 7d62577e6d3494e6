/**
 * Compacting: returns unused room to the disk while other processes use the store.
 *
 * Removed rows leave unused pages in the file, which SQLite uses again, but the file does not shrink. They are cut off a few at
 * a time, with pauses in which other processes write. A store of an earlier version does not support that.
 *
 * SQLite also moves rows between pages, and leaves copies of their bytes behind, which `secure_delete` does not find. So the file is
 * rewritten if no process works on a run, and then the log is emptied.
 *
 * @module
 */
import { statfsSync, statSync } from 'node:fs';
import { hasCode } from '../../model/errors/phasegate-error.ts';
import type { Compaction } from '../maintenance.ts';
import { isStoreBusy } from '../refusals.ts';
import type { Connection } from './connection.ts';
import { number } from '../sql/rows.ts';

/** Returns unused pages to the disk. @throws PhasegateError `STORE_READ_ONLY`, `STORE_UNREADABLE`, … */
export async function compactStore(connection: Connection, now: () => number): Promise<Compaction> {
  const size = () => connection.read(ACTION, () => statSync(connection.path).size);
  const found = size();
  let largest = found;
  const obstacle = await cut(connection, now, () => (largest = Math.max(found, size())));
  const isErased = await erase(connection);
  if (!isErased) connection.eraseLater();
  const pending = obstacle ?? (isErased ? undefined : 'read');
  const { unused } = pagesOf(connection);
  return {
    freed: Math.max(0, largest - size()),
    unused,
    ...(unused > 0 && obstacle && { obstacle }),
    ...(pending && { pending }),
  };
}

// --- internal ---

const ACTION = 'make the store smaller';

/** Pages to cut off at once. Other processes wait some milliseconds for that. */
const AT_ONCE = 256;

/** Length of the pause relative to the cut before it. A waiting process checks only now and then if it can write. */
const PAUSE = 2;

/** Milliseconds to wait for processes that read: they need far less, unless they hold on to an old state. */
const PATIENCE = 500;

/** Empties the log, which has what was removed, once no process reads it. @returns False if one still does. */
async function erase({ erased }: Connection): Promise<boolean> {
  const until = performance.now() + PATIENCE;
  while (!erased(ACTION)) {
    if (performance.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
}

type Obstacle = Compaction['obstacle'];

/**
 * Cuts off unused pages, and rewrites the file.
 *
 * @param begin Called when the log was brought into the file.
 * @returns The obstacle; `undefined` if all was done.
 */
async function cut(connection: Connection, now: () => number, begin: () => void): Promise<Obstacle> {
  try {
    // The write also refuses a store that was opened read-only.
    const isAtWork = connection.write(ACTION, () => connection.sql(AT_WORK).get(now()) !== undefined);
    checkpoint(connection);
    begin();
    if (pagesOf(connection).unused > 0 && pragma(connection, 'auto_vacuum') === INCREMENTAL)
      await cutInParts(connection);
    checkpoint(connection);
    return isAtWork ? 'at-work' : await rewrite(connection);
  } catch (error) {
    if (isStoreBusy(error)) return 'busy';
    if (hasCode(error, 'STORE_FULL')) return 'full';
    throw error;
  }
}

const AT_WORK = 'SELECT 1 FROM leases WHERE expires_at > ? LIMIT 1';

/** The pragma for the number of unused pages. */
const FREE = 'freelist_count';

/** The value of `auto_vacuum` in a file that can be cut off in parts. */
const INCREMENTAL = 2;

async function cutInParts(connection: Connection): Promise<void> {
  for (;;) {
    const began = performance.now();
    // Counted within the transaction, as other processes may remove runs in between.
    const [before, after] = connection.write(ACTION, () => {
      const found = pragma(connection, FREE);
      connection.exec(`PRAGMA incremental_vacuum(${AT_ONCE})`);
      return [found, pragma(connection, FREE)];
    });
    // Ends if a cut has no effect, as further ones would have none either.
    if (after === 0 || after >= before) return;
    const took = performance.now() - began;
    await new Promise((resolve) => setTimeout(resolve, took * PAUSE));
  }
}

/** Rewrites the whole file at once: without remains of what was removed, and so that it can be cut off in parts from then on. */
async function rewrite(connection: Connection): Promise<Obstacle> {
  const { path, elsewhere } = connection;
  const { bavail, bsize } = statfsSync(path);
  // SQLite writes a temporary file first, which may be on the same disk, and then the log.
  if (bavail * bsize < 2 * pagesOf(connection).used) return 'full';
  await elsewhere(ACTION, {
    statements: [[`PRAGMA auto_vacuum = ${INCREMENTAL}`], ['VACUUM']],
    // The log has grown by the whole file, even if the rewrite has failed.
    last: checkpointing('TRUNCATE'),
  });
  return undefined;
}

/** Bytes of unused and used pages. */
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

/** Brings the log into the file, which shrinks only then. Pages that other processes still read stay in the log. */
function checkpoint({ exec, read }: Connection): void {
  read(ACTION, () => exec(checkpointing('PASSIVE')));
}

function checkpointing(mode: 'PASSIVE' | 'TRUNCATE'): string {
  return `PRAGMA wal_checkpoint(${mode})`;
}
