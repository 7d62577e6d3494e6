/**
 * Processes that leave nothing behind.
 *
 * Each runs in a process group of its own, so that what it starts can be stopped with it. On Windows, which has no
 * process groups, the tree below it is stopped by `taskkill`.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { createExcerpt } from './output-excerpt.ts';

/** What to run. */
export interface ProcessOptions {
  /** A program with its arguments, or a line for the shell. */
  readonly line: readonly string[] | string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What it can read; nothing where absent. */
  readonly stdin: string | undefined;
  /** Milliseconds; 0 for none. */
  readonly timeout: number;
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
}

/** How it ended. */
export interface ProcessEnd {
  /** `undefined` where it was ended by a signal, or never started. */
  readonly exitCode: number | undefined;
  readonly endedBy: string | undefined;
  /** Why it could not be started, such as `ENOENT`. */
  readonly spawnError: Error | undefined;
  readonly timedOut: boolean;
  readonly stdout: string;
  /** Bytes left out of `stdout`. */
  readonly omitted: number;
  readonly stderr: string;
  /** Both, as they came. */
  readonly all: string;
  /** Whether bytes are left out of `all`. */
  readonly isCut: boolean;
}

/** Runs a process to its end. Never rejects; when the signal is aborted the process is stopped and its end is told. */
export function runProcess(options: ProcessOptions): Promise<ProcessEnd> {
  const done = follow(options).finally(() => running.delete(done));
  running.add(done);
  return done;
}

/** Resolves when every process that was started here has ended, those that were told to stop included. */
export async function processesAtRest(): Promise<void> {
  await Promise.allSettled(running);
}

// --- internal ---

const running = new Set<Promise<unknown>>();
/** Leaders of groups that may have members. What is left when this process exits is killed then. */
const groups = new Set<number>();

/** Milliseconds between being asked to stop and being killed. */
const KILL_GRACE_MS = 2000;
/** Milliseconds for the last output after a process has ended, in case what it started still writes. */
const DRAIN_MS = 200;
/** Milliseconds; Node fires timers that are longer at once. */
const LONGEST_TIMER = 2 ** 31 - 1;
const windows = process.platform === 'win32';

/** The end of a process that was stopped before it began. */
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
  const { line, cwd, env, stdin, signal, maxOutputBytes } = options;
  // It is a hundred files, and most programs start no process.
  const { execa } = await import('execa');
  if (signal.aborted) return NOT_STARTED;
  const shell = typeof line === 'string';
  const child = execa(shell ? line : (line[0] ?? ''), shell ? [] : line.slice(1), {
    cwd,
    env,
    shell,
    buffer: false,
    reject: false,
    cleanup: false,
    encoding: 'buffer',
    detached: !windows,
    windowsHide: true,
    ...(stdin === undefined ? { stdin: 'ignore' } : { input: stdin }),
  });
  const stdout = createExcerpt(maxOutputBytes);
  const stderr = createExcerpt(maxOutputBytes);
  const all = createExcerpt(maxOutputBytes);
  child.stdout.on('data', (chunk: Buffer) => [stdout, all].forEach((one) => one.add(chunk)));
  child.stderr.on('data', (chunk: Buffer) => [stderr, all].forEach((one) => one.add(chunk)));

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
  let swept: Promise<void> | undefined;
  const clean = () => (swept ??= sweep(pid, child, stop));
  child.once('exit', () => void clean());
  const { exitCode, signal: endedBy, cause } = await child;
  clearTimeout(timer);
  signal.removeEventListener('abort', abort);
  await clean();
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

/** Stops what a process has left running, and no longer listens to what escaped. */
async function sweep(pid: number | undefined, child: Streams, stop: () => Promise<void>): Promise<void> {
  await Promise.race([child, sleep(DRAIN_MS)]);
  await stop();
  child.stdout.destroy();
  child.stderr.destroy();
  if (pid !== undefined) groups.delete(pid);
}

/** Asks a group to stop, and kills what is left of it after a grace. */
async function stopGroup(pid: number | undefined): Promise<void> {
  if (pid === undefined || !kill(pid, 'SIGTERM')) return;
  // Not the time of day: whoever sets the clock back would have a deaf group waited for as long.
  const until = performance.now() + KILL_GRACE_MS;
  // One look after the other: that is what waiting for a group means, which tells nobody when it is gone.
  while (kill(pid, 0) && performance.now() < until) await sleep(20);
  kill(pid, 'SIGKILL');
}

/** @returns Whether there was anything to send it to. */
function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    if (!windows) return process.kill(-pid, signal);
    if (signal === 'SIGKILL') spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' });
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function enter(pid: number): void {
  if (!watching) process.once('exit', () => groups.forEach((one) => kill(one, 'SIGKILL')));
  watching = true;
  groups.add(pid);
}

let watching = false;
