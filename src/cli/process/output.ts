/**
 * What becomes of what is written.
 *
 * @module
 */
import { exitCode, type ExitCode } from './exit-code.ts';

/** Watches the standard streams, whose errors would otherwise end the process in the middle of its work. */
export interface Output {
  /** Resolves when all is written that can be: to the exit code that a failure asks for, else to the one given. */
  end(code: ExitCode): Promise<ExitCode>;
}

/** Begins to watch. The first error that is not a reader who has gone away is told on standard error. */
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
        // A command that could not write all it had does not know why.
        const isOpen = code === exitCode.completed || code === exitCode.brokenPipe;
        const done = (): void => resolve(isOpen ? (failure ?? code) : code);
        // Errors are told after the callbacks of writes.
        process.stdout.write('', () => process.stderr.write('', () => setImmediate(done)));
      }),
  };
}

/** The exit code of a command that could not write what it had to say. */
export function exitCodeOfFailure(error: Error): ExitCode {
  return isBrokenPipe(error) ? exitCode.brokenPipe : exitCode.unsuccessful;
}

/** Why a write failed. */
export function failureText(error: Error): string {
  return isBrokenPipe(error) ? 'Nobody reads the output any more' : `Cannot write the output: ${error.message}`;
}

// --- internal ---

/** Whether a write failed because its reader is gone. */
function isBrokenPipe(error: Error): boolean {
  return 'code' in error && error.code === 'EPIPE';
}
