/**
 * How git is called: no shell, arguments as a list, and the signal passed on.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { GitError } from './git-error.ts';

/** Where git works, and what stops it. */
export interface GitOptions {
  readonly repo: string;
  readonly signal: AbortSignal;
}

/** The output of one git command. Throws a {@link GitError} that says what git said. */
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

/** What git answered, or what it said instead. */
export type GitResult =
  | { readonly ok: true; readonly stdout: string }
  | { readonly ok: false; readonly said: string; readonly cause: unknown };

/** The same for commands whose failure is an answer. Throws only where git cannot be run at all. */
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

/** More history than this cannot be read at once: 256 MiB, several hundred thousand commits. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Never ask for a password, speak one language, and look at `repo` alone, also when a git hook runs this. */
function environment(): NodeJS.ProcessEnv {
  return { ...process.env, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C', GIT_DIR: undefined, GIT_WORK_TREE: undefined };
}

/** What `execFile` adds to its errors. */
function factsOf(error: unknown): { readonly code: unknown; readonly stderr: string } {
  if (!(error instanceof Error)) return { code: undefined, stderr: '' };
  const code = 'code' in error ? error.code : undefined;
  return { code, stderr: 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : '' };
}

/** Node says `ENOENT` both where the program and where its working directory is missing. */
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
