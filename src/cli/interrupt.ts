/**
 * Signals from the terminal and from other processes.
 *
 * @module
 */
import { exitCode, type ExitCode } from './exit-code.ts';

/** Watches for signals while a run goes on. */
export interface Interrupts {
  /** The exit code that the first signal asks for; `undefined` while there was none. */
  readonly code: ExitCode | undefined;
  /** Hands the signals back. */
  release(): void;
}

/**
 * Tells about the first signal, so that the run can be cancelled in good order. A second one ends the process at once:
 * whoever repeats it does not want to wait.
 *
 * @param stop Called once, with a reason.
 */
export function watchSignals(stop: (reason: string) => void): Interrupts {
  let code: ExitCode | undefined;
  const handlers = SIGNALS.map(([signal, own, reason]) => {
    const handler = () => {
      if (code !== undefined) process.exit(own);
      code = own;
      stop(reason);
    };
    process.on(signal, handler);
    return [signal, handler] as const;
  });
  return {
    get code() {
      return code;
    },
    release() {
      for (const [signal, handler] of handlers) process.off(signal, handler);
    },
  };
}

// --- internal ---

const SIGNALS = [
  ['SIGINT', exitCode.interrupted, 'Interrupted by Ctrl-C'],
  ['SIGTERM', exitCode.terminated, 'Stopped by SIGTERM'],
  ['SIGHUP', exitCode.hangup, 'Stopped as the terminal was closed'],
] as const;
