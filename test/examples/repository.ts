/**
 * Temporary git repositories whose commits are the same on every machine, hashes included.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One commit, on top of the one before it. */
export interface CommitSpec {
  readonly message: string;
  /** Files that it writes. @default one of its own under `src` */
  readonly paths?: readonly string[];
  /** Indices of its parents among the commits. @default the commit before it */
  readonly parents?: readonly number[];
  /** Its lightweight tags. */
  readonly tags?: readonly string[];
}

const made: string[] = [];

/** Creates a repository with these commits. HEAD is the last one. */
export function repository(commits: readonly (CommitSpec | string)[]): string {
  const path = emptyDirectory();
  gitIn(path, ['init', '--quiet', '--initial-branch=main']);
  gitIn(path, ['fast-import', '--quiet'], commits.map(importCommit).join(''));
  return path;
}

/** Creates an empty directory. */
export function emptyDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'phasegate-notes-'));
  made.push(path);
  return path;
}

/** Removes all repositories and directories of this module. */
export function removeAll(): void {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
}

/** Runs git without any configuration but the repository's own. */
export function gitIn(path: string, args: readonly string[], input = ''): string {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  const env = { ...Object.fromEntries(own), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', args, { cwd: path, input, env, encoding: 'utf8', maxBuffer: 1 << 28 });
}

// --- internal ---

const START = 1_700_000_000;

function importCommit(given: CommitSpec | string, index: number): string {
  const { message, paths, parents, tags = [] } = typeof given === 'string' ? { message: given } : given;
  const before = parents ?? (index === 0 ? [] : [index - 1]);
  const person = `Ada <ada@example.org> ${START + index * 60} +0000`;
  return [
    ...(before.length === 0 ? ['reset refs/heads/main\n'] : []),
    `commit refs/heads/main\nmark :${index + 1}\nauthor ${person}\ncommitter ${person}\n${data(message)}`,
    ...before.map((parent, at) => `${at === 0 ? 'from' : 'merge'} :${parent + 1}\n`),
    ...(paths ?? [`src/file-${index}.ts`]).map(
      (path) => `M 100644 inline ${JSON.stringify(path)}\n${data(`${index}\n`)}`,
    ),
    '\n',
    ...tags.map((tag) => `reset refs/tags/${tag}\nfrom :${index + 1}\n\n`),
  ].join('');
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}
