/**
 * Output of a command's result to a file or to standard output. A file that cannot be written whole stays as it was.
 *
 * @module
 */
import { access, constants, copyFile, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { newId } from '../../model/values/new-id.ts';
import { realPlace } from '../../store/sqlite/file-identity.ts';
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
  await writeTexts(file, [text].values());
  return tell(`${note}\n`, io);
}

/** Prints what a command has done. Standard error gets it if standard output cannot be written, as an id would be lost. */
export async function tell(text: string, io: ProgramIo): Promise<ExitCode> {
  if (await print(text, io)) return exitCode.completed;
  io.stderr.write(text);
  return exitCode.brokenPipe;
}

/**
 * Writes a file that must not exist, to the disk. No part of it is left if it cannot be written whole.
 *
 * @throws The error of the system, such as `EEXIST`.
 */
export async function writeNew(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } catch (cause) {
    await rm(path, { force: true });
    throw cause;
  } finally {
    await handle.close();
  }
}

/**
 * Writes texts to a file. An earlier file is replaced once the new one is complete, and keeps its permissions unless a mode is given.
 *
 * @param mode Permissions of the file. @default those of the earlier file, or of any new file
 * @returns The return value of the iterator.
 * @throws PhasegateError `FILE_UNREADABLE` if the file cannot be written.
 */
export async function writeTexts<T>(
  { name, path }: OutputFile,
  texts: Iterator<string, T> | AsyncIterator<string, T>,
  mode?: number,
): Promise<T> {
  const found = await stat(path).catch(() => undefined);
  // A device, such as a pipe, is added to. So is what a process has open by the name of a device.
  const isFile = (found?.isFile() ?? true) && !/^\/(?:dev|proc)\//u.test(path);
  const target = isFile ? realPlace(path) : path;
  const folder = dirname(target);
  // The file of a folder that takes no new one is written to, too.
  const isWhole = isFile && (!found || (await isWritable(folder)));
  const part = isWhole ? join(folder, `.${newId()}.part`) : target;
  try {
    // A file that may not be written may not be replaced.
    if (found) await access(target, constants.W_OK);
    const handle = await open(part, isWhole ? 'wx' : isFile ? 'w' : 'a', mode ?? found?.mode);
    let next;
    try {
      // The mask of the process does not count for an earlier file.
      if (isWhole && found && mode === undefined) await handle.chmod(found.mode);
      for (next = await texts.next(); !next.done; next = await texts.next()) await handle.appendFile(next.value);
      // A power cut could otherwise leave the name without its content. A device keeps none.
      if (isFile) await handle.sync();
    } finally {
      await handle.close();
    }
    // A file that a container has as a mount cannot be replaced.
    if (isWhole) await rename(part, target).catch(async () => copyFile(part, target));
    return next.value;
  } catch (cause) {
    if (PhasegateError.is(cause)) throw cause;
    // The name of the part would mislead.
    const problem = errorInfo(cause).message.replaceAll(part, path);
    throw new PhasegateError('FILE_UNREADABLE', `Cannot write "${name}": ${problem}`, {
      hint: 'Name a file that can be written, in a folder that is there.',
      cause,
    });
  } finally {
    if (isWhole) await rm(part, { force: true }).catch(() => undefined);
  }
}

// --- internal ---

function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}
