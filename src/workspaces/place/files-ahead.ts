/**
 * Files for later clones, made while agents work: the checkout of many files takes longer than all else that a workspace needs.
 *
 * No agent has been in such a folder. It is below the folder for temporary files, and its name is that of this process, so a later process
 * deletes it if this one is killed.
 *
 * @module
 */
import { mkdtemp, rmdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenRepository, Repository } from '../git/repository.ts';
import { ownName, type Home } from '../marker/home.ts';
import { discardFolder, removeSoon } from '../marker/trash.ts';
import { spreadFolders } from '../marker/spread.ts';
import { hasNoOtherFiles, makeFiles } from './clone.ts';

/** Folders with files that are ready, or will be. */
export interface FilesAhead {
  /** Begins to make folders, one after the other, until there are as many. Nothing waits for them, and a failure only leaves one out. */
  prepare(options: PrepareOptions): void;
  /** Calls a function with the path of files that it may move, if some are ready or begun. Whatever is left of them is deleted. */
  use<T>(repository: Repository, call: (files: string | undefined) => Promise<T>): Promise<T>;
}

/** Options of {@link FilesAhead.prepare}. */
export interface PrepareOptions {
  readonly home: Home;
  /** The commit whose files a later clone probably has, or almost. */
  readonly commit: string;
  /** Most folders at the same time. */
  readonly count: number;
}

/** Creates an empty set of folders. What nobody has used after ten minutes, or at the end of the process, is deleted. */
export function createFilesAhead(repositoryFor: OpenRepository): FilesAhead {
  const items = new Set<Item>();
  let last: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  let stop = new AbortController();

  function abandon(): void {
    stop.abort();
    stop = new AbortController();
    for (const item of items) {
      drop(item);
      if (item.isReady && item.folder !== undefined) void discardFolder(item.home, item.folder).catch(() => undefined);
    }
  }

  function atExit(): void {
    stop.abort();
    for (const { folder } of items) if (folder !== undefined) void removeSoon(folder);
  }

  function drop(item: Item): void {
    items.delete(item);
    if (items.size === 0) process.off('exit', atExit);
  }

  async function fill(item: Item, { home, commit }: PrepareOptions, { signal }: AbortController): Promise<void> {
    if (!items.has(item) || (await isAlmostFull(home))) return;
    await spreadFolders(home.scratch);
    item.folder = await mkdtemp(join(home.scratch, ownName()));
    try {
      // Opened again, as an agent may have added filters in the meantime.
      await makeFiles(await repositoryFor(signal), join(item.folder, FILES), commit);
      item.isReady = true;
    } finally {
      // If nobody wants it any more, or it is not whole.
      if (!item.isReady || signal.aborted) await discardFolder(home, item.folder);
    }
  }

  function add(options: PrepareOptions): void {
    const item: Item = { home: options.home, isReady: false, folder: undefined, made: Promise.resolve() };
    const control = stop;
    item.made = last
      .then(() => fill(item, options, control))
      .catch(() => undefined)
      .then(() => {
        if (!item.isReady) drop(item);
      });
    last = item.made;
    if (items.size === 0) process.on('exit', atExit);
    items.add(item);
  }

  return {
    prepare(options) {
      while (items.size < options.count) add(options);
      clearTimeout(idle);
      idle = setTimeout(abandon, IDLE_MS);
      idle.unref();
    },
    async use(repository, call) {
      // One that is not begun comes too late.
      const item = [...items].find(({ folder }) => folder !== undefined);
      if (!item) return call(undefined);
      drop(item);
      await item.made;
      const { home, folder, isReady } = item;
      if (!isReady || folder === undefined) return call(undefined);
      const files = join(folder, FILES);
      try {
        return await call((await hasNoOtherFiles(repository, files)) ? files : undefined);
      } finally {
        await rmdir(folder).catch(() => discardFolder(home, folder));
      }
    },
  };
}

// --- internal ---

interface Item {
  readonly home: Home;
  /** The folder, once it is begun. */
  folder: string | undefined;
  isReady: boolean;
  made: Promise<void>;
}

/** Name of the files in their folder. */
const FILES = 'files';
/** Milliseconds after which folders that nobody has used are deleted. */
const IDLE_MS = 600_000;
/** Part of a disk that agents need for their own work. */
const FREE_PART = 0.1;

async function isAlmostFull({ scratch }: Home): Promise<boolean> {
  const { bavail, blocks } = await statfs(scratch);
  return bavail < blocks * FREE_PART;
}
