/**
 * The command line in a process of its own.
 *
 * @module
 */
import { watchOutput } from './process/output.ts';
import { limitStderrLog } from './process/stderr-log.ts';
import { runProgram } from './program.ts';
import { ioOfProcess } from './terminal/program-io.ts';

/** Runs the command of this process, and ends the process with its exit code. */
export function start(): void {
  limitStderrLog();
  const output = watchOutput();
  // Not awaited: Node warns if a module still awaits when nothing is left to do. Commands report that themselves.
  void runProgram({ argv: process.argv.slice(2), ...ioOfProcess() })
    .then((code) => output.end(code))
    // Exits explicitly: handles that a pipeline left open would keep the process alive.
    .then((code) => process.exit(code));
}
