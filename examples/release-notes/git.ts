/**
 * Calls of git, without a shell and with an abort signal.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { GitError } from './git-error.ts';

/** The repository, and the signal that stops git. */
export interface GitOptions {
  readonly repo: string;
  readonly signal: AbortSignal;
}

/** Runs a git command and returns its output. Throws a {@link GitError} with git's own message. */
export async function git(args: readonly string[], options: GitOptions): Promise<string> {
  const result = await tryGit(args, options);
  if (result.ok) return result.stdout;
  throw new GitError(
    'GIT_FAILED',
    `Cannot run "git ${args[0]}" in "${options.repo}" as git says: ${result.said}`,
    `Run the same in that directory: git ${args.join(' ')}`,
    result.cause,
  );
}

/** The output of a git command, or git's message about its failure. */
export type GitResult =
  | { readonly ok: true; readonly stdout: string }
  | { readonly ok: false; readonly said: string; readonly cause: unknown };

/** Runs a git command whose failure is a valid result. Throws only if git cannot be run at all. */
export async function tryGit(args: readonly string[], { repo, signal }: GitOptions): Promise<GitResult> {
  try {
    const { stdout } = await run('git', args, { cwd: repo, signal, maxBuffer: MOST_BYTES, env: environment() });
    return { ok: true, stdout };
  } catch (error) {
    signal.throwIfAborted();
    const { code, stderr } = factsOf(error);
    if (code === 'ENOENT') throw await cannotStart(repo, error);
    if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') throw tooMuch(repo, error);
    return { ok: false, said: firstLine(stderr) || String(error), cause: error };
  }
}

// --- internal ---

const run = promisify(execFile);

/** The most output of one command: 256 MiB, or several hundred thousand commits. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Returns an environment in which git asks for no password, prints English, and uses only `repo`, even inside a git hook. */
function environment(): NodeJS.ProcessEnv {
  return { ...process.env, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C', GIT_DIR: undefined, GIT_WORK_TREE: undefined };
}

/** Reads the fields that `execFile` adds to its errors. */
function factsOf(error: unknown): { readonly code: unknown; readonly stderr: string } {
  if (!(error instanceof Error)) return { code: undefined, stderr: '' };
  const code = 'code' in error ? error.code : undefined;
  return { code, stderr: 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : '' };
}

/** Creates the error for `ENOENT`, which Node reports for a missing program and for a missing working directory. */
async function cannotStart(repo: string, cause: unknown): Promise<GitError> {
  const found = await stat(repo).catch(() => undefined);
  return found
    ? new GitError('GIT_MISSING', 'Cannot read the history as there is no program "git"', 'Install git.', cause)
    : new GitError(
        'NOT_A_REPOSITORY',
        `Cannot read the history of "${repo}" as there is no such directory`,
        'Pass a directory in a git repository as `repo`.',
        cause,
      );
}

function tooMuch(repo: string, cause: unknown): GitError {
  const problem = `Cannot read the history of "${repo}" as it is larger than ${MOST_BYTES / 1024 / 1024} MiB`;
  return new GitError('GIT_FAILED', problem, 'Pass a later commit as `since`.', cause);
}

function firstLine(text: string): string {
  return (text.trim().split('\n', 1)[0] ?? '').replace(/^fatal: /u, '');
}
