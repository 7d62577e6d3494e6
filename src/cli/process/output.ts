/**
 * Errors of the standard streams, and the exit code that follows from them.
 *
 * @module
 */
import { codeOf } from '../../model/errors/phasegate-error.ts';
import { exitCode, type ExitCode } from './exit-code.ts';

/** A watcher for the standard streams, whose errors would otherwise end the process in the middle of its work. */
export interface Output {
  /** Resolves when all output is flushed. @returns The exit code of a failed write, else the given one. */
  end(code: ExitCode): Promise<ExitCode>;
}

/** Starts to watch. Reports the first error on standard error, unless it is a closed pipe. */
export function watchOutput(): Output {
  let failure: ExitCode | undefined;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: Error) => {
      if (failure !== undefined) return;
      failure = exitCodeOfFailure(error);
      if (!isBrokenPipe(error)) process.stderr.write(`phasegate: ${failureText(error)}\n`);
    });
  }
  return {
    end: (code) =>
      new Promise((resolve) => {
        // The command itself does not know about a failed write, so only these two codes may be replaced.
        const isOpen = code === exitCode.completed || code === exitCode.brokenPipe;
        const done = (): void => resolve(isOpen ? (failure ?? code) : code);
        // Node emits errors after the callbacks of writes.
        process.stdout.write('', () => process.stderr.write('', () => setImmediate(done)));
      }),
  };
}

/** Returns the exit code of a command whose output could not be written. */
export function exitCodeOfFailure(error: Error): ExitCode {
  return isBrokenPipe(error) ? exitCode.brokenPipe : exitCode.unsuccessful;
}

/** Describes a failed write. */
export function failureText(error: Error): string {
  return isBrokenPipe(error) ? 'Nobody reads the output any more' : `Cannot write the output: ${error.message}`;
}

// --- internal ---

/** True if a write failed because the reader closed the pipe. */
function isBrokenPipe(error: Error): boolean {
  return codeOf(error) === 'EPIPE';
}
