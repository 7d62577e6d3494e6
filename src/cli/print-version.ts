/**
 * `phasegate --version` without the other code of the command line.
 *
 * @module
 */
import { version } from '../store/version.ts';
import { exitCode } from './process/exit-code.ts';
import { watchOutput } from './process/output.ts';

/** Prints the version, and sets the exit code of the process. */
export async function printVersion(): Promise<void> {
  const output = watchOutput();
  process.stdout.write(`${version()}\n`);
  process.exitCode = await output.end(exitCode.completed);
}
