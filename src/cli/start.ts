/**
 * The command line in a process of its own.
 *
 * @module
 */
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { exitCode, type ExitCode } from './process/exit-code.ts';
import { watchOutput } from './process/output.ts';
import { limitStderrLog } from './process/stderr-log.ts';
import { runProgram } from './program.ts';
import { withAddress } from './terminal/error-text.ts';
import { ioOfProcess } from './terminal/program-io.ts';

/** Runs the command of this process, and ends the process with its exit code. */
export function start(): void {
  limitStderrLog();
  const output = watchOutput();
  // Not awaited: Node warns if a module still awaits when nothing is left to do. Commands report that themselves.
  void command()
    .then((code) => output.end(code))
    // Exits explicitly: handles that a pipeline left open would keep the process alive.
    .then((code) => process.exit(code));
}

// --- internal ---

/** Runs the command. Refuses to start in a folder that was removed, as no relative name has a meaning there. */
async function command(): Promise<ExitCode> {
  try {
    return await runProgram({ argv: process.argv.slice(2), ...ioOfProcess() });
  } catch (error) {
    if (!PhasegateError.is(error)) throw error;
    process.stderr.write(`${withAddress(error.message)}\n`);
    return exitCode.usage;
  }
}
