/**
 * A small git repository in a temporary folder.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A repository, and a folder next to it for the workspaces of agents. */
export interface Repository {
  readonly path: string;
  readonly workspaces: string;
  /** Runs git in it. @returns Its standard output, in lines. */
  git(...args: readonly string[]): readonly string[];
  remove(): void;
}

/** Makes a repository with one commit. */
export function makeRepository(): Repository {
  const home = mkdtempSync(join(tmpdir(), 'phasegate-fleet-'));
  const path = join(home, 'blog');
  const git = (...args: readonly string[]) =>
    execFileSync('git', [...IDENTITY, ...args], { cwd: path, encoding: 'utf8' })
      .trimEnd()
      .split('\n');
  mkdirSync(path);
  git('init', '--quiet', '--initial-branch', 'main');
  writeFileSync(join(path, 'README.md'), '# Blog\n');
  git('add', '--all');
  git('commit', '--quiet', '--no-gpg-sign', '--message', 'Begin');
  return {
    path,
    workspaces: join(home, 'workspaces'),
    git,
    remove: () => rmSync(home, { recursive: true, force: true, maxRetries: 3 }),
  };
}

// --- internal ---

const IDENTITY = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
