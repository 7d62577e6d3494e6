/**
 * Backups: a consistent copy of the store while runs are at work.
 *
 * @module
 */
import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { newId } from '../../model/values/new-id.ts';
import { codeOf, errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Backup, BackupOptions } from '../maintenance.ts';
import type { Connection } from './connection.ts';
import { BESIDE, isFileOfStore, realPlace } from './file-identity.ts';

/** Copies the store into a file, which is complete or not there. @throws PhasegateError `FILE_EXISTS`, `FILE_UNREADABLE`, … */
export async function backUp(
  connection: Connection,
  target: string,
  { replace = false }: BackupOptions,
): Promise<Backup> {
  // A link stays, and leads to the copy.
  const file = realPlace(resolve(target));
  await writing(file, () => refuseTaken(connection, file, replace));
  const part = `${file}.${newId()}.part`;
  // Only the owner can read a copy. SQLite accepts an empty file.
  await writing(file, () => closeSync(openSync(part, 'wx', 0o600)));
  try {
    await connection.elsewhere(`back up to ${file}`, { statements: [['VACUUM INTO ?', part]] });
    return await writing(file, async () => {
      await sync(part);
      if (replace) renameSync(part, file);
      else place(part, file);
      return { bytes: statSync(file).size };
    });
  } finally {
    // SQLite leaves a journal next to a copy if the disk is full.
    for (const left of [part, `${part}-journal`]) rmSync(left, { force: true });
  }
}

// --- internal ---

function refuseTaken({ path }: Connection, file: string, replace: boolean): void {
  if (isFileOfStore(file, path)) throw kept(file, 'that is a file of the store itself');
  if (BESIDE.some((end) => file.endsWith(end) && existsSync(file.slice(0, -end.length))))
    throw kept(file, 'SQLite keeps changes of another database there');
  const found = statSync(file, { throwIfNoEntry: false });
  if (found && !replace) throw taken(file);
  // A device, such as /dev/stdout, would be replaced as well.
  if (found && !found.isFile()) throw new Error('It is no regular file');
  // SQLite would apply the changes to the copy.
  for (const log of [`${file}-wal`, `${file}-journal`])
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0)
      throw kept(file, `${log} has changes of an earlier file`);
}

function kept(file: string, rule: string): PhasegateError {
  return new PhasegateError('FILE_EXISTS', `Cannot back up to ${file} as ${rule}`, { hint: 'Name another file.' });
}

/** Gives the copy its name, without replacing a file that somebody has made meanwhile. */
function place(part: string, file: string): void {
  try {
    linkSync(part, file);
  } catch (thrown) {
    if (existsSync(file)) throw taken(file);
    // Some file systems have no links.
    if (codeOf(thrown) === '') throw thrown;
    renameSync(part, file);
  }
}

/** Waits until the disk has the copy. */
async function sync(part: string): Promise<void> {
  const opened = await open(part, 'r+');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

function taken(file: string): PhasegateError {
  return new PhasegateError('FILE_EXISTS', `Cannot back up to ${file} as there is such a file`, {
    hint: 'Name another file; or let it be replaced: `--replace`, or `{ replace: true }`.',
  });
}

async function writing<T>(file: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (PhasegateError.is(cause)) throw cause;
    throw new PhasegateError('FILE_UNREADABLE', `Cannot back up to ${file}: ${errorInfo(cause).message}`, {
      hint: 'Name a file in a folder that exists and can be written.',
      cause,
    });
  }
}
