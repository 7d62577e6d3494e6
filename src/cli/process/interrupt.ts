/**
 * Interrupts of a run from outside: signals, closed output pipes, and full disks.
 *
 * @module
 */
import type { ProgramIo } from '../terminal/program-io.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import { exitCodeOfFailure, failureText } from './output.ts';

/** A watcher for interrupts during a run. */
export interface Interrupts {
  /** The exit code of the first interrupt; `undefined` if there was none. */
  readonly code: ExitCode | undefined;
  /** True if standard output has failed, also after another interrupt. */
  readonly isOutputLost: boolean;
  /** Stops watching. */
  release(): void;
}

/**
 * Reports the first interrupt, so that the run can end in good order. A second signal ends the process at once, as the
 * user does not want to wait.
 *
 * @param stop Called once, with a reason.
 * @param leave Called right before a second signal ends the process.
 */
export function watchInterrupts(
  stop: (reason: string) => void,
  leave: () => void,
  { stdout }: Pick<ProgramIo, 'stdout'>,
): Interrupts {
  let code: ExitCode | undefined;
  let isOutputLost = false;

  function interrupt(own: ExitCode, reason: string): void {
    if (code !== undefined) return;
    code = own;
    stop(reason);
  }

  const ignore = onSignals((own, reason) => {
    if (code !== undefined) {
      leave();
      process.exit(own);
    }
    interrupt(own, reason);
  });
  const broken = (error: Error) => {
    isOutputLost = true;
    interrupt(exitCodeOfFailure(error), failureText(error));
  };
  stdout.on('error', broken);
  return {
    get code() {
      return code;
    },
    get isOutputLost() {
      return isOutputLost;
    },
    release() {
      ignore();
      stdout.off('error', broken);
    },
  };
}

/** Resolves at the first interrupting signal. The next signal ends the process at once. */
export function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    const ignore = onSignals(() => {
      ignore();
      resolve();
    });
  });
}

/**
 * Does work that should not be left halfway. The first interrupting signal is only reported, the second ends the process at once.
 *
 * @param onSignal Called at the first signal.
 */
export async function withoutInterrupts<T>(onSignal: () => void, work: () => Promise<T>): Promise<T> {
  let isTold = false;
  const ignore = onSignals((own) => {
    if (isTold) process.exit(own);
    isTold = true;
    onSignal();
  });
  try {
    return await work();
  } finally {
    ignore();
  }
}

// --- internal ---

const SIGNALS = [
  ['SIGINT', exitCode.interrupted, 'Interrupted by Ctrl-C'],
  ['SIGTERM', exitCode.terminated, 'Stopped by SIGTERM'],
  ['SIGHUP', exitCode.hangup, 'Stopped as the terminal was closed'],
] as const;

/** Calls a function at each interrupting signal, with its exit code and reason. @returns A function that ends that. */
function onSignals(call: (code: ExitCode, reason: string) => void): () => void {
  const handlers = SIGNALS.map(([signal, code, reason]) => {
    const handler = () => call(code, reason);
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  return () => {
    for (const end of handlers) end();
  };
}
