/**
 * Where the result of a command goes.
 *
 * @module
 */
import { writeFile } from 'node:fs/promises';
import { errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { print } from '../terminal/print.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';
import { exitCode, type ExitCode } from './exit-code.ts';

/**
 * Writes a text to a file, or to standard output where none is named.
 *
 * @param note What is said on standard output when it is in the file.
 * @throws PhasegateError `FILE_UNREADABLE` where it cannot be written.
 */
export async function writeOut(text: string, file: string | undefined, note: string, io: ProgramIo): Promise<ExitCode> {
  if (file === undefined) return (await print(text, io)) ? exitCode.completed : exitCode.brokenPipe;
  try {
    await writeFile(placeOf(file, io), text);
  } catch (cause) {
    throw new PhasegateError('FILE_UNREADABLE', `Cannot write "${file}": ${errorInfo(cause).message}`, {
      hint: 'Name a file that can be written.',
      cause,
    });
  }
  io.stdout.write(`${note}\n`);
  return exitCode.completed;
}
