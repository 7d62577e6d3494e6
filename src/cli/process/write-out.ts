/**
 * Output of a command's result to a file or to standard output.
 *
 * @module
 */
import { writeFile } from 'node:fs/promises';
import { errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { print } from '../terminal/print.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import type { OutputFile } from './output-file.ts';

/**
 * Writes a text to a file, or to standard output if no file is named.
 *
 * @param note A line for standard output after the file was written.
 * @throws PhasegateError `FILE_UNREADABLE` if the file cannot be written.
 */
export async function writeOut(
  text: string,
  file: OutputFile | undefined,
  note: string,
  io: ProgramIo,
): Promise<ExitCode> {
  if (file === undefined) return (await print(text, io)) ? exitCode.completed : exitCode.brokenPipe;
  try {
    await writeFile(file.path, text);
  } catch (cause) {
    throw new PhasegateError('FILE_UNREADABLE', `Cannot write "${file.name}": ${errorInfo(cause).message}`, {
      hint: 'Name a file that can be written.',
      cause,
    });
  }
  io.stdout.write(`${note}\n`);
  return exitCode.completed;
}
