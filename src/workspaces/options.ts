/**
 * Options of workspaces, their defaults, and their validation.
 *
 * @module
 */
import { isAbsolute, normalize, resolve, sep } from 'node:path';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { CommandLine } from '../actors/command/command-line.ts';
import { stateFolder } from '../actors/command/process-groups.ts';
import type { Isolation } from './isolation.ts';

/** The person or program that commits are by. */
export interface Author {
  readonly name: string;
  readonly email: string;
}

/** Options of `gitWorkspace`. */
export interface GitWorkspaceOptions {
  /** A folder of the repository. @default that of the process */
  readonly repository?: string | undefined;
  /**
   * `clone`: an agent shares nothing with the repository. `worktree`: it shares branches, stash and configuration. `inPlace`: it
   * works in the user's folder, one task at a time.
   *
   * @default 'clone'
   */
  readonly isolation?: Isolation | undefined;
  /**
   * `head` leaves the user's uncommitted work out, and says so. `head+dirty` takes it as a commit on top of HEAD. In place, it
   * is always `head+dirty`.
   *
   * @default 'head'
   */
  readonly base?: 'head' | 'head+dirty' | undefined;
  /**
   * Files and folders to copy from the user's folder, such as `.env.local`. They are never part of a snapshot, unless the
   * repository tracks them.
   *
   * @default []
   */
  readonly include?: readonly string[] | undefined;
  /** Program, or line for the shell, that runs in each new workspace before the agent. @default none */
  readonly setup?: CommandLine | undefined;
  /**
   * Program, or line for the shell, that runs in each workspace before it is removed or left. An agent has written to the
   * folder, so do not run programs of the folder that the agent itself may not run.
   *
   * @default none
   */
  readonly teardown?: CommandLine | undefined;
  /** Milliseconds for each call of git, for the setup and for the teardown. @default 600000 (ten minutes) */
  readonly timeout?: number | undefined;
  /** Number of TCP ports for each workspace; 0 for none. @default 0 */
  readonly ports?: number | undefined;
  /** Most workspaces of this repository that exist at once. @default 25 */
  readonly maxCount?: number | undefined;
  /**
   * Most bytes that all workspaces of this repository take when one is opened; 0 for no limit. With a limit, no files are made ahead.
   *
   * @default 0
   */
  readonly maxBytes?: number | undefined;
  /** Most bytes of new and changed files that one attempt may add to the repository. @default 1073741824 (one GiB) */
  readonly maxChangedBytes?: number | undefined;
  /** Folder for workspaces, outside of the repository. @default a state folder of the user */
  readonly root?: string | undefined;
  /** Author of commits. @default phasegate <phasegate@localhost> */
  readonly author?: Author | undefined;
}

/** Validated options, with defaults. */
export interface Options {
  readonly repository: string;
  readonly isolation: Isolation;
  readonly base: 'head' | 'head+dirty';
  /** Normalized paths with the separator of the system. */
  readonly include: readonly string[];
  readonly setup: CommandLine | undefined;
  readonly teardown: CommandLine | undefined;
  readonly timeout: number;
  readonly ports: number;
  readonly maxCount: number;
  readonly maxBytes: number;
  readonly maxChangedBytes: number;
  readonly root: string;
  readonly author: Author;
}

/** Validates options. @throws PhasegateError `DEFINITION_INVALID` */
export function readOptions(given: GitWorkspaceOptions): Options {
  const { isolation = 'clone', base = 'head', include = [], author = AUTHOR } = given;
  if (!['clone', 'worktree', 'inPlace'].includes(isolation)) throw invalid('isolation', isolation);
  if (!['head', 'head+dirty'].includes(base)) throw invalid('base', base);
  if (!Array.isArray(include)) throw invalid('include', include);
  for (const [key, value] of Object.entries(author)) {
    if (typeof value !== 'string' || value.trim() === '' || /[<>\p{Cc}]/u.test(value))
      throw invalid(`author.${key}`, value);
  }
  return {
    repository: resolve(given.repository ?? process.cwd()),
    isolation,
    base: isolation === 'inPlace' ? 'head+dirty' : base,
    include: include.map(includedPath),
    setup: commandIn('setup', given.setup),
    teardown: commandIn('teardown', given.teardown),
    timeout: number('timeout', given.timeout, 600_000, 1, 2 ** 31 - 1),
    ports: number('ports', given.ports, 0, 0, 100),
    maxCount: number('maxCount', given.maxCount, 25, 1),
    maxBytes: number('maxBytes', given.maxBytes, 0, 0),
    maxChangedBytes: number('maxChangedBytes', given.maxChangedBytes, 1024 ** 3, 0),
    root: resolve(given.root ?? stateFolder('workspaces')),
    author,
  };
}

// --- internal ---

const AUTHOR: Author = { name: 'phasegate', email: 'phasegate@localhost' };

function includedPath(path: string): string {
  const clean = normalize(path);
  const parts = clean.split(sep);
  const isWithin = path !== '' && !isAbsolute(path) && clean !== '.' && !parts.includes('..') && !clean.includes('\0');
  if (!isWithin || parts.some((part) => part.toLowerCase() === '.git')) throw invalid('include', path);
  return clean.endsWith(sep) ? clean.slice(0, -1) : clean;
}

function commandIn(name: string, line: CommandLine | undefined): CommandLine | undefined {
  if (line === undefined || (typeof line === 'string' ? line.trim() !== '' : (line[0] ?? '') !== '')) return line;
  throw invalid(name, line);
}

function number(
  name: string,
  value: number | undefined,
  otherwise: number,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
) {
  const found = value ?? otherwise;
  if (Number.isSafeInteger(found) && found >= least && found <= most) return found;
  throw invalid(name, found);
}

function invalid(name: string, value: unknown): PhasegateError {
  const problem = `Cannot make workspaces as \`${name}\` is invalid: ${JSON.stringify(value) ?? typeof value}`;
  return new PhasegateError('DEFINITION_INVALID', problem, { hint: 'See the options of gitWorkspace.' });
}
