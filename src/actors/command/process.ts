/**
 * Child processes that are stopped together with their own children.
 *
 * Each runs in a process group of its own, so that its children can be stopped with it. Windows has no process groups, so there
 * `taskkill` stops the process tree.
 *
 * @module
 */
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { inheritedVariables } from './inherited-variables.ts';
import { createExcerpt } from './output-excerpt.ts';
import { noteGroup, noteRunning, RUN_VARIABLE, sendTo, stopGroup } from './process-groups.ts';

/** Options of {@link runProcess}. */
export interface ProcessOptions {
  /** A program with its arguments, or a line for the shell. */
  readonly line: readonly string[] | string;
  readonly cwd: string;
  /** Variables in addition to those that it inherits, whose values they replace. */
  readonly env: Readonly<Record<string, string>>;
  /** Content of standard input; empty if absent. */
  readonly stdin: string | undefined;
  /** Milliseconds; 0 for none. */
  readonly timeout: number;
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
  /** Called with the id of the process group once the process runs. */
  readonly onStart?: ((pid: number) => void) | undefined;
  /** Called with each piece of output as it arrives. */
  readonly onOutput?: ((chunk: Uint8Array, from: 'stdout' | 'stderr') => void) | undefined;
  /** Called with standard input, which then stays open, in place of `stdin`. */
  readonly onInput?: ((input: ProcessInput) => void) | undefined;
}

/** Standard input of a running process. A process that has ended ignores both calls. */
export interface ProcessInput {
  write(chunk: Uint8Array): void;
  end(): void;
}

/** Result of a process. */
export interface ProcessEnd {
  /** `undefined` if a signal ended it, or it never started. */
  readonly exitCode: number | undefined;
  readonly endedBy: string | undefined;
  /** The reason why it could not be started, such as `ENOENT`. */
  readonly spawnError: Error | undefined;
  readonly timedOut: boolean;
  readonly stdout: string;
  /** Bytes omitted from `stdout`. */
  readonly omitted: number;
  readonly stderr: string;
  /** Both outputs, in the order of arrival. */
  readonly all: string;
  /** True if bytes are omitted from `all`. */
  readonly isCut: boolean;
}

/** Runs a process to its end. Never rejects. An aborted signal stops the process, and the result describes its end. */
export function runProcess(options: ProcessOptions): Promise<ProcessEnd> {
  const done = follow(options).finally(() => running.delete(done));
  running.add(done);
  const { [RUN_VARIABLE]: run } = options.env;
  if (run !== undefined) noteRunning(run, done);
  return done;
}

/** Resolves when every process that was started here has ended, also those that are being stopped. */
export async function processesAtRest(): Promise<void> {
  await Promise.allSettled(running);
}

// --- internal ---

const running = new Set<Promise<unknown>>();
/** Leaders of process groups that may have members. They are killed when this process exits. */
const groups = new Set<number>();

/** Milliseconds to wait for further output after a process has ended, as its children may still write. */
const DRAIN_MS = 200;
/** Milliseconds; Node fires longer timers at once. */
const LONGEST_TIMER = 2 ** 31 - 1;
const windows = process.platform === 'win32';

/** The result of a process that was stopped before it began. */
const NOT_STARTED: ProcessEnd = {
  exitCode: undefined,
  endedBy: undefined,
  spawnError: undefined,
  timedOut: false,
  stdout: '',
  omitted: 0,
  stderr: '',
  all: '',
  isCut: false,
};

async function follow(options: ProcessOptions): Promise<ProcessEnd> {
  const { line, cwd, env, stdin, signal, maxOutputBytes, onStart, onOutput, onInput } = options;
  // Imported on first use, as it is a hundred files and most programs start no process.
  const { execa } = await import('execa');
  if (signal.aborted) return NOT_STARTED;
  const shell = typeof line === 'string';
  const child = execa(shell ? line : (line[0] ?? ''), shell ? [] : line.slice(1), {
    cwd,
    env: { ...inheritedVariables(resolve(cwd)), ...env },
    extendEnv: false,
    shell,
    buffer: false,
    reject: false,
    cleanup: false,
    encoding: 'buffer',
    detached: !windows,
    windowsHide: true,
    ...(onInput ? { stdin: 'pipe' } : stdin === undefined ? { stdin: 'ignore' } : { input: stdin }),
  });
  const stdout = createExcerpt(maxOutputBytes);
  const stderr = createExcerpt(maxOutputBytes);
  const all = createExcerpt(maxOutputBytes);
  child.stdout.on('data', (chunk: Buffer) => {
    [stdout, all].forEach((one) => one.add(chunk));
    onOutput?.(chunk, 'stdout');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    [stderr, all].forEach((one) => one.add(chunk));
    onOutput?.(chunk, 'stderr');
  });
  if (onInput && child.stdin) onInput(inputOf(child.stdin));

  const { pid } = child;
  let timedOut = false;
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= stopGroup(pid));
  const expire = () => {
    timedOut = true;
    void stop();
  };
  const timer = options.timeout > 0 ? setTimeout(expire, Math.min(options.timeout, LONGEST_TIMER)) : undefined;
  const abort = () => void stop();
  signal.addEventListener('abort', abort, { once: true });
  if (pid !== undefined) enter(pid);
  const forget = pid === undefined || env[RUN_VARIABLE] === undefined ? undefined : noteGroup(env[RUN_VARIABLE], pid);
  if (pid !== undefined) onStart?.(pid);
  let swept: Promise<void> | undefined;
  const clean = () => (swept ??= sweep(pid, child, stop));
  child.once('exit', () => void clean());
  const { exitCode, signal: endedBy, cause } = await child;
  clearTimeout(timer);
  signal.removeEventListener('abort', abort);
  await clean();
  forget?.();
  return {
    exitCode,
    endedBy,
    spawnError: pid === undefined && cause instanceof Error ? cause : undefined,
    timedOut,
    stdout: stdout.text(),
    omitted: stdout.omitted,
    stderr: stderr.text(),
    all: all.text(),
    isCut: all.omitted > 0,
  };
}

interface Streams extends PromiseLike<unknown> {
  readonly stdout: { destroy(): unknown };
  readonly stderr: { destroy(): unknown };
}

/** Stops the remaining children of a process, and closes the streams to any that escaped its group. */
async function sweep(pid: number | undefined, child: Streams, stop: () => Promise<void>): Promise<void> {
  await Promise.race([child, sleep(DRAIN_MS)]);
  await stop();
  // A busy event loop can find the end first. Between two immediates it reads all that the process has left in its pipes.
  await Promise.race([child, turn().then(() => turn())]);
  child.stdout.destroy();
  child.stderr.destroy();
  if (pid !== undefined) groups.delete(pid);
}

function inputOf(stdin: Writable): ProcessInput {
  // The end of the process says why it no longer reads.
  stdin.on('error', () => undefined);
  return {
    write: (chunk) => void (stdin.writable && stdin.write(chunk)),
    end: () => void stdin.end(),
  };
}

function enter(pid: number): void {
  if (!watching) process.once('exit', () => groups.forEach((one) => sendTo(one, 'SIGKILL')));
  watching = true;
  groups.add(pid);
}

let watching = false;
