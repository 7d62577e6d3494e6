/**
 * Kinds of paths in a workspace, of which none is followed out of it.
 *
 * @module
 */
import { constants } from 'node:fs';
import { access, lstat, opendir } from 'node:fs/promises';
import { codeOf } from '../../model/errors/phasegate-error.ts';
import { bytesOf } from '../git/run-git.ts';

/** Kind of a path. `gone` includes a path below a symbolic link, which is another folder's. */
export type PathKind =
  | { readonly kind: 'file'; readonly size: number }
  | { readonly kind: 'link' | 'folder' | 'special' | 'gone' | 'unreadable' };

/** Finds kinds of paths. Each character of a path is a byte. */
export interface PathKinds {
  of(path: string): Promise<PathKind>;
  /** True for a folder that is not empty. */
  isFilled(path: string): Promise<boolean>;
}

/** Creates it for the time of one snapshot, in which folders are looked at once. */
export function createPathKinds(work: string): PathKinds {
  const folders = new Map<string, Promise<boolean>>();

  function full(path: string): Buffer {
    return Buffer.concat([Buffer.from(`${work}/`), bytesOf(path)]);
  }

  function isFolder(path: string): Promise<boolean> {
    const known = folders.get(path);
    if (known) return known;
    const found = lookAt(path);
    folders.set(path, found);
    return found;
  }

  async function lookAt(path: string): Promise<boolean> {
    if (!(await hasFolders(path))) return false;
    const stats = await lstat(full(path)).catch(() => undefined);
    return stats?.isDirectory() ?? false;
  }

  /** True if all folders above a path are folders, and no links. */
  async function hasFolders(path: string): Promise<boolean> {
    const end = path.lastIndexOf('/');
    return end === -1 || isFolder(path.slice(0, end));
  }

  return {
    async of(path) {
      if (!(await hasFolders(path))) return { kind: 'gone' };
      try {
        const stats = await lstat(full(path));
        if (stats.isSymbolicLink()) return { kind: 'link' };
        if (stats.isDirectory()) return { kind: 'folder' };
        if (!stats.isFile()) return { kind: 'special' };
        await access(full(path), constants.R_OK);
        return { kind: 'file', size: stats.size };
      } catch (error) {
        return { kind: codeOf(error) === 'ENOENT' ? 'gone' : 'unreadable' };
      }
    },
    async isFilled(path) {
      if (!(await isFolder(path))) return false;
      const folder = await opendir(full(path).toString('utf8')).catch(() => undefined);
      const first = await folder?.read();
      await folder?.close();
      return first !== undefined && first !== null;
    },
  };
}
