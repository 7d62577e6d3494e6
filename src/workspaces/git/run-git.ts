/**
 * One call of git. Nothing else in this layer starts it.
 *
 * Paths in the output may have any bytes. They are read as Latin-1 where they are given back to git or to the file system,
 * so that each byte is one character.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { open, type FileHandle } from 'node:fs/promises';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { plainText } from '../../model/values/plain-text.ts';

/** Options of {@link runGit}. */
export interface GitCall {
  /** Working directory. It is never a workspace, except for the user's own folder. */
  readonly cwd: string;
  /** Every variable of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** Content of standard input, or the path of a file. @default none */
  readonly input?: string | Uint8Array | { readonly file: string } | undefined;
  /** Accepted exit codes. @default [0] */
  readonly codes?: readonly number[] | undefined;
  /** Most bytes of output. @default 67108864 (64 MiB) */
  readonly maxBytes?: number | undefined;
  /** True if a longer output is cut instead of refused. @default false */
  readonly cut?: boolean | undefined;
  /**
   * A new file for standard error, while standard output is discarded. Git then goes on if this process ends; with a pipe, its next word
   * would end it.
   *
   * @default a pipe for each
   */
  readonly log?: string | undefined;
  /** Milliseconds. A call that takes longer is stopped. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** Result of a call. */
export interface GitEnd {
  readonly code: number;
  readonly output: Buffer;
  /** True if `output` is not all. */
  readonly isCut: boolean;
  /** The start of standard error. */
  readonly said: string;
}

/**
 * Runs git.
 *
 * @throws PhasegateError `GIT_FAILED` if it cannot be started, is stopped, says too much, or ends with another exit code.
 */
export async function runGit(args: readonly string[], call: GitCall): Promise<GitEnd> {
  if (call.signal.aborted) throw failure(args, 'it was stopped', '');
  const { input } = call;
  const file = isFile(input) ? await open(input.file, 'r') : undefined;
  const log = call.log === undefined ? undefined : await open(call.log, 'wx+', 0o600);
  try {
    return await follow(args, call, { file, log });
  } finally {
    await file?.close();
    await log?.close();
  }
}

/** Splits output that ends each item with NUL. Every byte is one character. */
export function itemsOf(output: Buffer): readonly string[] {
  const items = output.toString('latin1').split('\0');
  return items.at(-1) === '' ? items.slice(0, -1) : items;
}

/** Returns the bytes of a path that {@link itemsOf} has read. */
export function bytesOf(path: string): Buffer {
  return Buffer.from(path, 'latin1');
}

/** Returns a path that {@link itemsOf} has read as text. Bytes that are not UTF-8 are replaced. */
export function textOf(path: string): string {
  return bytesOf(path).toString('utf8');
}

// --- internal ---

const MOST_BYTES = 64 * 1024 * 1024;
const MOST_ERROR_BYTES = 16_000;
/** Milliseconds between SIGTERM and SIGKILL. */
const KILL_GRACE_MS = 2000;
const windows = process.platform === 'win32';

/** Open files of a call. */
interface Files {
  readonly file: FileHandle | undefined;
  readonly log: FileHandle | undefined;
}

async function follow(args: readonly string[], call: GitCall, { file, log }: Files): Promise<GitEnd> {
  const { cwd, env, input, codes = [0], maxBytes = MOST_BYTES, cut = false, timeout, signal } = call;
  const stdin = file?.fd ?? (input === undefined ? 'ignore' : 'pipe');
  // A group of its own: an interrupt of the terminal must not end git halfway, and its children are stopped with it.
  const [stdout, stderr] = log ? (['ignore', log.fd] as const) : (['pipe', 'pipe'] as const);
  const child = spawn('git', args, { cwd, env, stdio: [stdin, stdout, stderr], detached: !windows, windowsHide: true });
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  let size = 0;
  let errorSize = 0;
  let problem: string | undefined;
  let killer: NodeJS.Timeout | undefined;
  function stop(because: string | undefined): void {
    problem ??= because;
    kill(child.pid, 'SIGTERM');
    killer ??= setTimeout(() => kill(child.pid, 'SIGKILL'), KILL_GRACE_MS);
  }
  child.stdout?.on('data', (chunk: Buffer) => {
    if (size <= maxBytes) output.push(chunk);
    size += chunk.length;
    if (size > maxBytes) stop(cut ? undefined : `its output exceeds ${maxBytes} bytes`);
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    if (errorSize < MOST_ERROR_BYTES) errors.push(chunk);
    errorSize += chunk.length;
  });
  const timer = setTimeout(() => stop(`it took longer than ${timeout} ms`), timeout);
  const abort = () => stop('it was stopped');
  signal.addEventListener('abort', abort, { once: true });
  // Git may end before it has read all of its input.
  child.stdin?.on('error', () => undefined);
  if (typeof input === 'string' || input instanceof Uint8Array) child.stdin?.end(input);
  const code = await new Promise<number | Error | null>((resolve) => {
    child.once('error', resolve);
    child.once('close', resolve);
  });
  clearTimeout(timer);
  clearTimeout(killer);
  signal.removeEventListener('abort', abort);
  if (log) errors.push(await startOf(log));
  const said = Buffer.concat(errors).toString('utf8').slice(0, MOST_ERROR_BYTES);
  if (code instanceof Error) throw failure(args, 'it cannot be started', code.message, code);
  if (problem !== undefined) throw failure(args, problem, said);
  const isCut = size > maxBytes;
  if (!isCut && (code === null || !codes.includes(code))) {
    throw failure(args, code === null ? 'a signal ended it' : `it ended with exit code ${code}`, said);
  }
  return { code: code ?? 0, output: Buffer.concat(output).subarray(0, maxBytes), isCut, said };
}

async function startOf(log: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await log.read(Buffer.alloc(MOST_ERROR_BYTES), 0, MOST_ERROR_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

function isFile(input: GitCall['input']): input is { readonly file: string } {
  return typeof input === 'object' && !(input instanceof Uint8Array);
}

function kill(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(windows ? pid : -pid, signal);
  } catch {
    // It has ended.
  }
}

function failure(args: readonly string[], problem: string, said: string, cause?: unknown): PhasegateError {
  const command = `git ${args.join(' ')}`.replaceAll(/\p{Cc}/gu, ' ');
  const shown = command.length > 200 ? `${command.slice(0, 200)}…` : command;
  const tail = plainText(said).trim().split('\n').slice(-10).join('\n').slice(-2000);
  return new PhasegateError(
    'GIT_FAILED',
    `Cannot finish \`${shown}\` as ${problem}${tail === '' ? '' : `:\n${tail}`}`,
    { hint: 'Repair what git complains about, then try again. No work was removed.', cause },
  );
}
